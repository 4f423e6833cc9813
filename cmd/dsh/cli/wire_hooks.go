package cli

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/config/diag"
	"github.com/dsh-hcl/dsh/contrib"
	"github.com/dsh-hcl/dsh/engine"
	"github.com/dsh-hcl/dsh/engine/hook"
	"github.com/dsh-hcl/dsh/engine/proc"
	"github.com/dsh-hcl/dsh/engine/provider"
)

// This file is where the parts meet for processes, as wire.go is for the rest.

// known are the secrets that a run has resolved, so that they can be taken out of
// what its processes write. It may be used by several goroutines.
type known struct {
	mu      sync.Mutex
	values  []string
	secrets provider.Secrets
}

// reveal resolves a secret and remembers it, unless everybody may see it.
func (k *known) reveal(s config.Secret) (string, diag.List) {
	v, parts, problems := s.RevealParts()
	if v == "" || !s.IsSensitive() {
		return v, problems
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for i, text := range append([]string{v}, parts...) {
		if i > 0 && len(text) < minPart || slices.Contains(k.values, text) {
			continue
		}
		k.values = append(k.values, text)
		k.secrets = provider.NewSecrets(k.values...)
	}
	return v, problems
}

// minPart is how many bytes a part of a secret has that is hidden where it stands
// alone. A shorter one, a version or a flag, would make every text unreadable.
const minPart = 4

// list returns what is to be hidden. The caller may keep it.
func (k *known) list() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.values)
}

// clean replaces the secrets in a text; cut says that it is only the beginning of
// what was written.
func (k *known) clean(text string, cut bool) string {
	k.mu.Lock()
	secrets := k.secrets
	k.mu.Unlock()
	return secrets.Clean(text, cut)
}

// inherited are the variables that every process gets.
var inherited = [...]string{"PATH", "HOME", "LANG", "TERM", "TMPDIR"}

// environment is that of a process: what every one gets and what is declared for
// it, which comes last and so counts.
func (c *command) environment(k *known, declared []config.EnvVar) ([]string, error) {
	var out []string
	for _, name := range inherited {
		if v, ok := c.env.Getenv(name); ok {
			out = append(out, name+"="+v)
		}
	}
	var problems diag.List
	for _, d := range declared {
		v, more := k.reveal(d.Value)
		problems = append(problems, more...)
		out = append(out, d.Name+"="+v)
	}
	return out, problems.Err()
}

// pathOf is the value of PATH in an environment.
func pathOf(env []string) string {
	path := ""
	for _, v := range env {
		if value, ok := strings.CutPrefix(v, "PATH="); ok {
			path = value
		}
	}
	return path
}

// hooks makes the hooks of an agent as the engine asks them: commands that run in
// the workspace. Their environment is resolved when they first run.
func (c *command) hooks(p *project, agent *engine.Agent) []engine.Hook {
	declared, ok := p.config.Agent(agent.Name())
	if !ok {
		return nil
	}
	var out []engine.Hook
	for _, name := range declared.Hooks {
		h, ok := p.config.Hook(name)
		if !ok {
			continue // the configuration has no errors, so there is one
		}
		out = append(out, c.hook(p, h))
	}
	return out
}

func (c *command) hook(p *project, h *config.Hook) engine.Hook {
	running := &proc.Running{}
	c.atOnce(running.Kill)
	environment := sync.OnceValues(func() ([]string, error) { return c.environment(p.known, h.Env) })
	out := engine.Hook{Name: h.Name, Hide: p.known.clean, Run: func(ctx context.Context, input []byte) proc.Result {
		env, err := environment()
		if err != nil {
			return proc.Result{ExitCode: -1, Err: err}
		}
		// Hooks of Claude Code find the workspace so; what is declared comes last.
		env = append([]string{"CLAUDE_PROJECT_DIR=" + p.config.Workspace}, env...)
		return inWorkspace(ctx, p, h.Command.V, proc.Command{Env: env, Stdin: input, Timeout: h.Timeout.V, Running: running})
	}}
	for _, point := range h.On.V {
		out.Points = append(out.Points, hook.Point(point))
	}
	if h.Match.V != "" {
		out.Match = regexp.MustCompile(h.Match.V) // it was compiled at check
	}
	return out
}

// inWorkspace runs a declared command in the workspace, as the rest of run says.
func inWorkspace(ctx context.Context, p *project, command []string, run proc.Command) proc.Result {
	program, err := proc.Look(command[0], pathOf(run.Env))
	if err != nil {
		return proc.Result{ExitCode: -1, Err: err}
	}
	run.Args, run.Dir = append([]string{program}, command[1:]...), p.config.Workspace
	return proc.Run(ctx, run)
}

// contribute makes the function that runs the commands of contributors. What they
// write is cleaned of the secrets that are known by then.
func (c *command) contribute(p *project) func(context.Context, config.Contributor) contrib.Ran {
	running := &proc.Running{}
	c.atOnce(running.Kill)
	return func(ctx context.Context, declared config.Contributor) contrib.Ran {
		env, err := c.environment(p.known, declared.Env)
		if err != nil {
			return contrib.Ran{Err: err}
		}
		r := inWorkspace(ctx, p, declared.Command.V, proc.Command{Env: env, Timeout: declared.Timeout.V, MaxOutput: contrib.MaxOutputBytes, Running: running})
		return contrib.Ran{Stdout: p.known.clean(string(r.Stdout), r.Cut), Stderr: p.known.clean(string(r.Stderr), r.Cut),
			ExitCode: r.ExitCode, Cut: r.Cut, TimedOut: r.TimedOut, Err: r.Err}
	}
}
