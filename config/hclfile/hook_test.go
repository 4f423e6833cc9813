package hclfile

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dsh-hcl/dsh/config"
)

const hooked = `
provider "p" { protocol = "openai" }
model "m" {
  provider = provider.p
  id       = "m"
}
hook "notify" {
  on      = "Stop"
  command = ["notify", "-t", "done\n"]
}
hook "guard" {
  on      = ["PreToolUse", "PostToolUse"]
  match   = "bash|write"
  command = ["./hooks/guard.sh"]
  timeout = "5s"
  env = {
    TOKEN = env.TOKEN
    MODE  = "strict"
    LANG  = nonsensitive(env.LANG)
    KEY   = nonsensitive(env.LANG)
  }
}
agent "a" {
  model = model.m
  hooks = [hook.guard, hook.notify]
  limits {
    max_input_tokens = 1000
    turn_timeout     = "10m"
  }
}
agent "b" { model = model.m }
`

func TestHooks(t *testing.T) {
	env := map[string]string{"TOKEN": "canary", "LANG": "C"}
	cfg := mustLoad(t, map[string]string{"dsh.hcl": hooked, "hooks/guard.sh": ""}, env)
	guard, _ := cfg.Hook("guard")
	if !slices.Equal(guard.On.V, []string{"PreToolUse", "PostToolUse"}) || guard.Match.V != "bash|write" || guard.Timeout.V != 5*time.Second ||
		!slices.Equal(guard.Command.V, []string{testDir + "/hooks/guard.sh"}) {
		t.Errorf("%+v", guard)
	}
	var vars []string
	for _, v := range guard.Env {
		s, problems := v.Value.Reveal()
		vars = append(vars, fmt.Sprint(v.Name, "=", s, " ", v.Value.IsSensitive(), len(problems)))
	}
	if got := strings.Join(vars, ", "); got != "KEY=C true 0, LANG=C false 0, MODE=strict false 0, TOKEN=canary true 0" {
		t.Errorf("env %s", got)
	}
	notify, _ := cfg.Hook("notify")
	if !slices.Equal(notify.On.V, []string{"Stop"}) || notify.Timeout.V != time.Minute || notify.Match.V != "" || !slices.Equal(notify.Command.V, []string{"notify", "-t", "done\n"}) {
		t.Errorf("%+v", notify)
	}
	a, b := cfg.Agents[0], cfg.Agents[1]
	if !slices.Equal(a.Hooks, []string{"guard", "notify"}) || len(b.Hooks) != 0 {
		t.Errorf("hooks %q, %q", a.Hooks, b.Hooks)
	}
	if a.MaxInputTokens.V != 1000 || a.TurnTimeout.V != 10*time.Minute || a.ToolTimeout.V != 2*time.Minute || b.MaxInputTokens.V != 0 || b.TurnTimeout.V != 0 || b.ToolTimeout.Set {
		t.Errorf("limits %+v, %+v", a, b)
	}
	var starts []string
	for _, s := range cfg.Starts {
		if strings.HasPrefix(s.For, "hook.") {
			starts = append(starts, s.Kind+" "+s.Text+" "+s.At.String())
		}
	}
	want := []string{
		`hook ["notify","-t","done\n"] for hook.notify dsh.hcl:9,13`,
		`hook ["./hooks/guard.sh"] for hook.guard dsh.hcl:14,13`,
		`env env.TOKEN for hook.guard.env.TOKEN dsh.hcl:17,13`,
		`env env.LANG for hook.guard.env.LANG dsh.hcl:19,26`,
		`env env.LANG for hook.guard.env.KEY dsh.hcl:20,26`,
	}
	if !slices.Equal(starts, want) {
		t.Errorf("starts\n%s", strings.Join(starts, "\n"))
	}
}

// Checking needs no value of the environment; using a hook does.
func TestHookEnvironmentIsReadLate(t *testing.T) {
	env := map[string]string{}
	cfg := mustLoad(t, map[string]string{"dsh.hcl": hooked, "hooks/guard.sh": ""}, env)
	guard, _ := cfg.Hook("guard")
	token := guard.Env[slices.IndexFunc(guard.Env, func(v config.EnvVar) bool { return v.Name == "TOKEN" })].Value
	if _, problems := token.Reveal(); !problems.HasErrors() || problems[0].Subject.Start.Line == 0 {
		t.Errorf("%v", problems)
	}
	env["TOKEN"] = "a\nb"
	if v, problems := token.Reveal(); v != "a\nb" || problems.HasErrors() {
		t.Errorf("%q %v", v, problems)
	}
	env["TOKEN"] = ""
	if v, problems := token.Reveal(); v != "" || problems.HasErrors() {
		t.Errorf("%q %v", v, problems)
	}
	env["TOKEN"] = "\x00"
	if _, problems := token.Reveal(); !problems.HasErrors() {
		t.Error("a NUL is let through")
	}
}

func TestHooksInDigest(t *testing.T) {
	digest := func(dir string, replace ...string) string {
		t.Helper()
		if !strings.Contains(hooked, replace[0]) {
			t.Fatalf("no %q", replace[0])
		}
		m := memory{path.Join(dir, "dsh.hcl"): strings.Replace(hooked, replace[0], replace[1], 1), path.Join(dir, "hooks/guard.sh"): ""}
		opts := options(m, nil)
		opts.Dir = dir
		cfg, sources, diags := Load(dir, dir, opts)
		if diags.HasErrors() {
			t.Fatal(rendered(diags, sources))
		}
		return cfg.Agents[0].Digest
	}
	base := digest(testDir, "guard", "guard")
	for _, same := range [][2]string{{`MODE  = "strict"`, `MODE  = "lax"`}, {`on      = "Stop"`, `on      = ["Stop"]`}} {
		if digest(testDir, same[0], same[1]) != base {
			t.Errorf("%s for %s changed the digest", same[1], same[0])
		}
	}
	if digest("/another/checkout", "guard", "guard") != base {
		t.Error("the digest depends on the folder")
	}
	seen := map[string]string{base: "nothing"}
	for _, change := range [][2]string{
		{"[hook.guard, hook.notify]", "[hook.notify, hook.guard]"}, {"[hook.guard, hook.notify]", "[hook.guard]"},
		{`"bash|write"`, `"bash"`}, {`"5s"`, `"6s"`}, {`"-t"`, `"-u"`}, {`["PreToolUse", "PostToolUse"]`, `"PreToolUse"`}, {"MODE ", "MODUS "},
		{"max_input_tokens = 1000", "max_input_tokens = 1001"}, {`turn_timeout     = "10m"`, `turn_timeout     = "11m"`}, {`turn_timeout     = "10m"`, `tool_timeout     = "1m"`},
	} {
		got := digest(testDir, change[0], change[1])
		if earlier, again := seen[got]; again {
			t.Errorf("%s has the digest of %s", change[1], earlier)
		}
		seen[got] = change[1]
	}
}
