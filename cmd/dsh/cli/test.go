package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/config/diag"
	"github.com/dsh-hcl/dsh/config/hclfile"
	"github.com/dsh-hcl/dsh/engine/ref"
	"github.com/dsh-hcl/dsh/engine/store"
	"github.com/dsh-hcl/dsh/scenarios"
)

func (c *command) testCommand() *cobra.Command {
	var o testOptions
	cmd := &cobra.Command{
		Use:   "test [flags] [DIR]",
		Short: "Run the project's scenarios",
		Long: "Runs the scenarios/*.txtar of a configuration folder, at any depth, each in a\n" +
			"folder of its own with the scripted model of model.hcl in place of every provider.\n" +
			"Hooks, tools and commands run for real, so a configuration that has any must be trusted.\n" +
			"Goldens lie in golden/SCENARIO/. DSH_UPDATE=1 does what --update does; where CI is\n" +
			"set, only DSH_UPDATE=force rewrites. Where GITHUB_ACTIONS is true, a scenario that\n" +
			"fails is shown beside its line, too.\n\n" +
			"Verbs, each explained by dsh test --help VERB:\n" + verbNames() + "\n\n" +
			"Exits with 1 when a scenario fails, asserts nothing or takes too long, and when\n" +
			"something is wrong with the goldens.",
		Args: argCount(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return c.test(cmd.Context(), o, first(args)) },
	}
	f := cmd.Flags()
	f.StringVar(&o.run, "run", "", "run only scenarios whose name matches `regexp`")
	f.BoolVar(&o.update, "update", false, "rewrite goldens, and the files that cmp compares with")
	f.StringVar(&o.move, "accept-prefix-move", "", "rewrite goldens of headers, too, whose bytes providers have cached, for this `reason`")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "print the log of scenarios that pass, too")
	f.BoolVar(&o.work, "work", false, "keep the scenarios' folders and print where they are")
	f.BoolVar(&o.trust, "trust", false, "trust the configuration's hooks and the scenarios' programs for this run")
	f.IntVar(&o.parallel, "parallel", runtime.GOMAXPROCS(0), "`number` of scenarios to run at once")
	f.BoolVar(&o.json, "json", false, "print the events of go test -json, one a line")
	f.StringVar(&o.junit, "junit", "", "write a JUnit XML report to `file`, too")
	f.StringVar(&o.shuffle, "shuffle", "off", "`order` to run in: off, on, or the seed of an earlier run")
	f.DurationVar(&o.timeout, "timeout", 10*time.Minute, "end the run after this `time`, 0 for never")
	f.BoolVar(&o.watch, "watch", false, "run again whenever a file of the project changes, until interrupted")
	c.helpOnVerbs(cmd)
	return cmd
}

type testOptions struct {
	run                   string
	update, verbose, work bool
	trust, json, watch    bool
	parallel              int
	junit, shuffle, move  string
	timeout               time.Duration
}

// below reports whether a path lies in a folder.
func below(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// UpdateMode says whether goldens are to be rewritten: asked by flag or by
// DSH_UPDATE, refused where CI is set unless DSH_UPDATE is "force".
func UpdateMode(getenv func(string) (string, bool), flag bool) (bool, error) {
	mode, _ := getenv("DSH_UPDATE")
	switch mode {
	case "force":
		return true, nil
	case "", "0", "false":
		if !flag {
			return false, nil
		}
	case "1", "true":
	default:
		return false, usageErrorf("DSH_UPDATE is 1, 0 or force, not %q", mode)
	}
	if ci, _ := getenv("CI"); truthy(ci) {
		return false, &refusedError{"goldens are not rewritten where CI is set; DSH_UPDATE=force does it all the same"}
	}
	return true, nil
}

// truthy reads a variable that is on or off.
func truthy(v string) bool { return v != "" && v != "0" && !strings.EqualFold(v, "false") }

// initTesting makes testscript's condition [short] work outside of go test,
// where package testing has not parsed its flags. A run within a run finds them
// parsed.
func initTesting() {
	if testing.Testing() || flag.Parsed() {
		return
	}
	testing.Init()
	flag.CommandLine.Init("dsh", flag.ContinueOnError)
	flag.CommandLine.SetOutput(io.Discard)
	flag.CommandLine.Parse(nil)
}

// Gate decides which of a configuration's starts are let happen in a scenario.
type Gate func(scenario string, starts []config.Start) error

// Host is the program as the scenario runner needs it. A gate that is nil lets all
// starts happen; inputs are those of Env.
func Host(reads func() ([]scenarios.File, error), gate Gate, inputs []hclfile.Input) scenarios.Host {
	env := func(s scenarios.Surroundings) Env {
		e := surrounded(s)
		e.Inputs = inputs
		if gate != nil {
			e.Gate = func(starts []config.Start) error { return gate(s.Scenario, starts) }
		}
		return e
	}
	return scenarios.Host{
		Command: func(ctx context.Context, args []string, s scenarios.Surroundings) int {
			return Run(ctx, args, env(s))
		},
		Open: func(o scenarios.Open, s scenarios.Surroundings) (*scenarios.Opened, int) {
			return openForScenario(o, env(s))
		},
		Model: modelForScenario,
		Reads: reads,
	}
}

// surrounded is the environment of a command line in a scenario.
func surrounded(s scenarios.Surroundings) Env {
	return Env{Stdin: strings.NewReader(""), Stdout: s.Stdout, Stderr: s.Stderr, Getenv: s.Getenv, Dir: s.Dir, Home: s.Home,
		Now: s.Now, AfterFunc: s.AfterFunc, Sleep: s.Sleep, NewID: s.NewID, PID: 1, Host: "scenario", Model: s.Model, Within: s.Work, Opens: s.Opens}
}

func openForScenario(o scenarios.Open, env Env) (*scenarios.Opened, int) {
	ctx := context.Background()
	c := &command{env: env}
	c.flags.config = o.Config
	p, err := c.load(loadOptions{vars: o.Vars})
	if err != nil {
		return nil, c.exit(ctx, err)
	}
	if err := c.requireTrust(p, false); err != nil {
		p.close()
		return nil, c.exit(ctx, err)
	}
	session, agent, client, err := c.open(p, runOptions{agent: o.Agent, resume: o.Resume, fork: o.Fork})
	if err != nil {
		p.close()
		return nil, c.exit(ctx, err)
	}
	var declared []string
	if a, ok := p.config.Agent(agent.Name()); ok {
		for _, in := range slices.Concat(a.System, a.Prefix) {
			declared = append(declared, in.Address)
		}
	}
	from := c.sources(p, agent)
	from.self = session.Log.Header().ID
	tools := c.tools(p, agent)
	return &scenarios.Opened{Agent: agent, Cite: func(session, label string) (ref.Cite, error) {
		if agent.References() == nil {
			return ref.Cite{}, fmt.Errorf("agent %q may cite no sessions: it has no references block", agent.Name())
		}
		cite, err := from.one(c, session, label)
		if none := (*store.NotFoundError)(nil); errors.As(err, &none) {
			// What a host cites that is not there is found out when the prompt is taken.
			cite, err = ref.Cite{SessionID: session}, nil
		}
		return cite, err
	}, Declared: declared, Session: session, Client: client, SummaryClient: c.summaryClient(p, agent, session, client), Hooks: c.hooks(p, agent), Tools: tools.Tools, Permit: tools.Permit, ReadSession: from.read, Close: p.close}, 0
}

func modelForScenario(path string, src []byte, clock scenarios.Clock, stderr io.Writer) (scenarios.Model, error) {
	if src == nil {
		return Scripted(nil, ScriptedOptions{Now: clock.Now, Sleep: clock.Sleep}), nil
	}
	script, problems := hclfile.LoadScript(path, src)
	if problems.HasErrors() {
		problems.Sort()
		diag.Text(stderr, problems, diag.Sources{path: src}, diag.TextOptions{})
		return nil, problems.Err()
	}
	return Scripted(script, ScriptedOptions{Now: clock.Now, Sleep: clock.Sleep}), nil
}

// reads lists the files below the project's folders that its configuration
// reads, as they lie in a scenario's folder: those of the configuration folder
// under their paths there, others under their paths in the workspace.
func (p *project) reads() ([]scenarios.File, error) {
	var out []scenarios.File
	seen := map[string]bool{}
	for _, path := range p.read.paths() {
		for _, base := range []string{p.config.Dir, p.config.Workspace} {
			if !below(path, base) {
				continue
			}
			rel, err := filepath.Rel(base, path)
			if err != nil {
				return nil, err
			}
			if name := filepath.ToSlash(rel); !seen[name] && !strings.HasPrefix(name, ".git/") {
				seen[name] = true
				out = append(out, scenarios.File{Path: path, Name: name, Answers: p.answers(path)})
			}
			break
		}
	}
	return out, nil
}

// answers reports whether a file is a scripted model and no contributor reads it.
func (p *project) answers(path string) bool {
	for _, a := range p.config.Agents {
		for _, contributor := range slices.Concat(a.System, a.Prefix) {
			if contributor.Path.V == path {
				return false
			}
		}
	}
	return slices.ContainsFunc(p.config.Providers, func(p config.Provider) bool { return p.Script.V == path })
}
