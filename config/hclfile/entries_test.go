package hclfile

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/schema"
)

// everyEntry reads testdata/every, a configuration that writes every attribute.
func everyEntry(t *testing.T) []config.Entry {
	t.Helper()
	files := map[string]string{}
	for _, name := range []string{"dsh.hcl", "model.hcl", "d.tmpl", "b.md", "primer.jsonl", "ca.pem"} {
		b, err := os.ReadFile("testdata/every/" + name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(b)
	}
	return mustLoad(t, files, nil).Entries()
}

// tablePath is the address of a block without the names of blocks: agent.limits.
func tablePath(address string) string {
	at, path := schema.Language(), []string{}
	words := strings.Split(address, ".")
	for len(words) > 0 {
		name, _, _ := strings.Cut(words[0], "[")
		c, ok := at.Child(name)
		if !ok {
			return ""
		}
		path, at = append(path, name), c.Block
		words = words[min(len(words), 1+len(at.Labels)):]
	}
	return strings.Join(path, ".")
}

// TestEveryAttributeIsShown: each attribute of the table is an entry, with the
// value that testdata/every gives it and, where that leaves it out, with its
// default. A new attribute is written there as well.
func TestEveryAttributeIsShown(t *testing.T) {
	shown, given := map[string]bool{}, map[string]bool{}
	for _, e := range everyEntry(t) {
		path := tablePath(e.Block)
		shown[path+"."+e.Name] = true
		if !e.Default && (e.Hidden || e.Value != "null") {
			given[path+"."+e.Name] = true
		}
		if !json.Valid([]byte(e.Value)) {
			t.Errorf("%s: %q is no JSON", e.Address(), e.Value)
		}
		if strings.Contains(e.Value, "canary") {
			t.Errorf("%s shows a secret", e.Address())
		}
	}
	for _, path := range schema.Paths() {
		c, _ := schema.Find(path)
		if path == "reply" { // the blocks of scripts follow
			break
		}
		for _, name := range c.Block.AttributeNames() {
			switch {
			case !shown[path+"."+name]:
				t.Errorf("%s.%s is not shown", path, name)
			case !given[path+"."+name]:
				t.Errorf("%s.%s is not written in testdata/every, or its value is lost", path, name)
			}
		}
	}
	if len(given) < 80 {
		t.Errorf("only %d attributes are written", len(given))
	}
}

func TestEntries(t *testing.T) {
	text, err := os.ReadFile("testdata/every/dsh.hcl")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	all := map[string]config.Entry{}
	for _, e := range everyEntry(t) {
		if _, again := all[e.Address()]; again {
			t.Errorf("%s is shown twice", e.Address())
		}
		all[e.Address()] = e
	}
	for address, want := range map[string]string{
		"var.team":                                `["core"] from its line`,
		"var.key":                                 "hidden from its line",
		"variable.team.type":                      `"list(string)" from its line`,
		"variable.team.validation[1].condition":   "true from its line",
		"variable.key.default":                    "hidden from its line",
		"local.greeting":                          `"Hello core.\nBye." from its line`,
		"local.token":                             "hidden from its line",
		"provider.service.api_key":                "hidden from its line",
		"provider.service.headers":                "hidden from its line",
		"provider.default.base_url":               `"https://api.deepseek.com" from default`,
		"provider.default.api_key":                "null from default",
		"model.chat.provider":                     `"provider.service" from its line`,
		"model.chat.temperature":                  "0.2 from its line",
		"model.cheap.price.cache_write":           "0.1 from default",
		"model.small.stop":                        "null from default",
		"agent.whole.hooks":                       `["hook.guard"] from its line`,
		"agent.whole.system.text.a.max_bytes":     `"64KiB" from its line`,
		"agent.whole.system.template.c.content":   `"${1}" from its line`,
		"agent.plain.limits.max_steps":            "64 from default",
		"agent.plain.prefix.on_resume":            `"recompose" from default`,
		"agent.plain.hooks":                       "null from default",
		"agent.whole.compaction.threshold_ratio":  "0.7 from its line",
		"agent.whole.compaction.threshold_tokens": "null from default",
		"agent.whole.compaction.summary.model":    `"model.large" from its line`,

		"agent.whole.compaction.policy.large.threshold_ratio":  "0.5 from its line",
		"agent.whole.compaction.policy.large.threshold_tokens": "100000 from default",
		"agent.whole.compaction.policy.chat.threshold_ratio":   "null from default",

		"agent.short.compaction.threshold_ratio":    "null from default",
		"agent.short.compaction.threshold_tokens":   "8000 from its line",
		"agent.default.compaction.threshold_ratio":  "0.8 from default",
		"agent.default.compaction.threshold_tokens": "160000 from default",
		"agent.default.compaction.retain_ratio":     "0.16 from default",
		"agent.default.compaction.retain_tokens":    "32000 from default",
		"agent.default.compaction.min_gain":         "0.1 from default",
		"agent.default.compaction.summary.retries":  "1 from default",
		"agent.default.compaction.summary.model":    "null from default",

		"hook.guard.env":                          "hidden from its line",
		"agent.whole.prefix.template.c.vars":      "{} from its line",
		"agent.whole.prefix.template.d.max_bytes": "null from default",
	} {
		e, ok := all[address]
		origin := e.Origin()
		if name := e.Name; e.Block != "var" && strings.Contains(lines[e.At.Start.Line-1], name+" ") || e.Block == "var" && strings.Contains(lines[e.At.Start.Line-1], "default") {
			origin = "its line"
		}
		got := e.Value + " from " + origin
		if e.Hidden {
			got = "hidden from " + origin
		}
		if !ok || got != want {
			t.Errorf("%s is %s, want %s", address, got, want)
		}
	}
	if e := all["model.small.context_window"]; e.Note != "unknown" {
		t.Errorf("%+v", e)
	}
	for address := range all {
		for _, absent := range []string{"agent.plain.compaction.", "agent.default.compaction.prune.", "agent.plain.references."} {
			if strings.HasPrefix(address, absent) {
				t.Errorf("%s is shown, and nothing of the kind happens", address)
			}
		}
	}
}

// TestEntriesOfInputs: a value from outside is said to be from there.
func TestEntriesOfInputs(t *testing.T) {
	const text = "variable \"a\" {}\nvariable \"b\" {}\nvariable \"c\" {}\nvariable \"d\" { default = null }\nlocals {\n  x = [var.a, var.b, var.c, var.d]\n}\n"
	m := memory{testDir + "/dsh.hcl": text, testDir + "/x.auto.dshvars": "b = 1\nc = 2\n"}
	opts := options(m, map[string]string{"DSH_VAR_a": "A", "DSH_VAR_b": "B"})
	opts.Inputs = []Input{{Name: "c", Value: "C"}}
	cfg, sources, diags := Load(testDir, testWorkspace, opts)
	if cfg == nil {
		t.Fatal(rendered(diags, sources))
	}
	var got []string
	for _, e := range cfg.Entries() {
		if e.Block == "var" || e.Block == "local" {
			got = append(got, e.Address()+" "+e.Value+" "+e.Origin())
		}
	}
	want := `var.a "A" DSH_VAR_a|var.b 1 x.auto.dshvars:1|var.c "C" --var c|var.d null dsh.hcl:4|local.x ["A",1,"C",null] dsh.hcl:6`
	if strings.Join(got, "|") != want {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "|"), want)
	}
}
