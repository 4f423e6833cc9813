package hclfile

import (
	"cmp"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/schema"
)

func (l *loader) hooks(root *body, cfg *config.Config) {
	for _, b := range l.unique(root.of("hook"), "") {
		cfg.Hooks = append(cfg.Hooks, l.hook(b))
	}
}

func hookNames(cfg *config.Config) []string {
	var out []string
	for _, h := range cfg.Hooks {
		out = append(out, h.Name)
	}
	return out
}

func (l *loader) hook(b *body) config.Hook {
	sc := everything()
	h := config.Hook{
		Name:    b.label,
		At:      b.at,
		On:      l.setting(b, "on", sc).texts(),
		Match:   l.setting(b, "match", sc).text(),
		Command: l.command(b, sc),
		Timeout: attribute(l.setting(b, "timeout", sc), durationOf),
		Env:     l.environment(b),
	}
	seen := map[string]bool{}
	for _, point := range h.On.V {
		if seen[point] {
			l.errorf(h.On.At, "Invalid value", "The argument \"on\" holds %s twice.", quoted(point))
		}
		seen[point] = true
	}
	if h.Match.Set && h.On.Set && !slices.ContainsFunc(h.On.V, hasSubject) {
		l.warnf(schema.RuleNoEffect, h.Match.At, "Argument without effect", "There is nothing to match at %s, so match changes nothing.", strings.Join(slices.Compact(slices.Sorted(slices.Values(h.On.V))), " and "))
	}
	return h
}

// hasSubject reports whether a matcher means something at a point.
func hasSubject(point string) bool { return point != "UserPromptSubmit" && point != "Stop" }

// command decodes the command of a process and records that it is started. A
// program that is a file becomes an absolute path.
func (l *loader) command(b *body, sc *scope) config.Attr[[]string] {
	return l.program(b, sc, "command", b.schema.Type)
}

// program is command for an attribute of that name and a start of that kind.
func (l *loader) program(b *body, sc *scope, name, kind string) config.Attr[[]string] {
	s := l.setting(b, name, sc)
	out := s.texts()
	if !s.set {
		return out
	}
	l.starts = append(l.starts, config.Start{Kind: kind, For: b.address, Text: texts(out.V) + " for " + b.address, At: s.at})
	program := out.V[0]
	if !strings.Contains(program, "/") {
		return out
	}
	out.V[0] = l.resolve(program, s.at.File)
	// What lies elsewhere may be on the machine that runs it, if not on this one.
	if !filepath.IsLocal(filepath.FromSlash(l.origin(out.V[0]))) {
		return out
	}
	at := l.elementPlace(b.attrs[name].Expr, cty.StringVal(program))
	switch {
	case l.opts.Exists != nil && !l.opts.Exists(out.V[0]):
		l.unreadable(out.V[0], fs.ErrNotExist, at, "program")
	case l.opts.Executable != nil && !l.opts.Executable(out.V[0]):
		l.errorf(at, "Not a program", "The file %s cannot be executed. Make it executable (chmod +x), or name the program that reads it: [\"sh\", %s].", quoted(program), quoted(program))
	}
	return out
}

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// credentialVariable are names of variables whose values are secrets by their
// kind.
var credentialVariable = regexp.MustCompile(`(?i)^(?:.*_)?(?:auth|authorization|credentials?|key|apikey|passphrase|passwd|password|secret|token)$`)

// environment decodes the variables of a process.
func (l *loader) environment(b *body) []config.EnvVar {
	given := l.written(b, "env", "The variable", strings.Clone, func(v pair) bool {
		if variableName.MatchString(v.name) {
			return false
		}
		l.errorf(v.key, "Invalid variable name", "The name of an environment variable has only letters, digits and _, and no digit in front.")
		return true
	})
	var out []config.EnvVar
	for _, v := range given {
		secret := l.secret(v.expr, secretUse{owner: b.address + ".env." + v.name, what: "The variable " + v.name, credential: credentialVariable.MatchString(v.name), variable: true})
		out = append(out, config.EnvVar{Name: v.name, Value: secret})
	}
	slices.SortFunc(out, func(a, b config.EnvVar) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// hookDigests are the hooks of an agent as its digest sees them.
func (l *loader) hookDigests(a *config.Agent, cfg *config.Config) []string {
	var out []string
	for _, name := range a.Hooks {
		h, _ := cfg.Hook(name)
		var o object
		o.text("name", h.Name)
		o.raw("on", texts(h.On.V))
		o.text("match", h.Match.V)
		o.raw("command", l.commandDigest(h.Command.V))
		o.text("timeout", h.Timeout.V.String())
		o.raw("env", envDigest(h.Env))
		out = append(out, o.end())
	}
	return out
}

// commandDigest is a command as digests see it: its program as records name it.
func (l *loader) commandDigest(command []string) string {
	command = slices.Clone(command)
	if len(command) > 0 {
		command[0] = l.origin(command[0])
	}
	return texts(command)
}

// envDigest is the variables of a process as digests see them: names alone.
func envDigest(env []config.EnvVar) string {
	var o object
	for _, v := range env {
		o.raw(v.Name, "null")
	}
	return o.end()
}
