package hclfile

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/dsh-hcl/dsh/schema"
)

// texts of HCL from everywhere in the project, by where they are from.
func hclTexts(t testing.TB) map[string]string {
	t.Helper()
	out := map[string]string{"full.dsh.hcl": fullConfig}
	for _, pattern := range []string{"testdata/errors/*", "testdata/scripts/*", "testdata/mistakes/*", "../../docs/examples/*/*.hcl", "../../scenarios/*/*.txtar"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			t.Fatal(pattern, err)
		}
		for _, path := range paths {
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if filepath.Ext(path) == ".hcl" {
				out[path] = string(b)
				continue
			}
			for name, text := range archive(path, string(b)) {
				if ext := filepath.Ext(name); ext == ".hcl" || ext == valuesEnding {
					out[path+"/"+name] = text
				}
			}
		}
	}
	var examples func(at string, b *schema.Block)
	examples = func(at string, b *schema.Block) {
		if b.Example != "" {
			out[at+".dsh.hcl"] = b.Example + "\n"
		}
		for _, c := range b.Blocks {
			examples(at+"."+c.Block.Type, c.Block)
		}
	}
	examples("schema", schema.Language())
	return out
}

// TestFormatKeepsMeaning: whatever is formatted has the same tokens, and formatting
// it again changes nothing.
func TestFormatKeepsMeaning(t *testing.T) {
	formatted := 0
	for name, text := range hclTexts(t) {
		for _, variant := range []string{text, strings.ReplaceAll(text, "\n", "\r\n"), mangled(text, 1), mangled(text, 2)} {
			out, _, problems := Format(name, []byte(variant), false)
			if problems.HasErrors() {
				if string(out) != variant {
					t.Errorf("%s: a text with errors was changed", name)
				}
				if strings.Contains(problems.Err().Error(), "cannot be formatted") {
					t.Errorf("%s: %v", name, problems)
				}
				continue
			}
			formatted++
			if strings.HasPrefix(name, "schema.") && variant == text && string(out) != text {
				t.Errorf("%s: the example of the reference is not laid out:\n%s", name, out)
			}
			if !sameTokens([]byte(variant), out) {
				t.Errorf("%s: other tokens:\n%s", name, out)
			}
			if again, _, _ := Format(name, out, false); !bytes.Equal(again, out) {
				t.Errorf("%s: formatting again changes\n%s\ninto\n%s", name, out, again)
			}
		}
	}
	if formatted < 300 {
		t.Errorf("only %d texts were formatted", formatted)
	}
}

// mangled puts blanks in front of tokens where they mean nothing.
func mangled(text string, seed uint64) string {
	tokens, diags := hclsyntax.LexConfig([]byte(text), "", hcl.InitialPos)
	if diags.HasErrors() {
		return text
	}
	random := rand.New(rand.NewPCG(seed, 0))
	var b strings.Builder
	at, inside := 0, 0
	for _, token := range tokens {
		b.WriteString(text[at:token.Range.Start.Byte])
		if inside == 0 && token.Type != hclsyntax.TokenEOF {
			b.WriteString(strings.Repeat(" ", random.IntN(3)))
		}
		switch token.Type {
		case hclsyntax.TokenOQuote, hclsyntax.TokenOHeredoc:
			inside++
		case hclsyntax.TokenCQuote, hclsyntax.TokenCHeredoc:
			inside--
		}
		b.Write(token.Bytes)
		at = token.Range.End.Byte
	}
	return b.String()
}

// TestFormatKeepsConfiguration: the agents of a configuration are the same before
// and after.
func TestFormatKeepsConfiguration(t *testing.T) {
	paths, err := filepath.Glob("testdata/errors/*")
	if err != nil {
		t.Fatal(err)
	}
	folders := []map[string]string{fullFiles()}
	example := map[string]string{}
	for _, name := range []string{"dsh.hcl", "model.hcl", "AGENTS.md", "prompts/workspace.md.tmpl"} {
		b, err := os.ReadFile("../../docs/examples/reviewer/" + name)
		if err != nil {
			t.Fatal(err)
		}
		example[name] = string(b)
	}
	folders = append(folders, example)
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		folders = append(folders, archive(path, string(b)))
	}
	digests := 0
	for _, files := range folders {
		laid := map[string]string{}
		for name, text := range files {
			laid[name] = text
			if ext := filepath.Ext(name); ext == ".hcl" || ext == valuesEnding {
				out, _, _ := Format(name, []byte(mangled(text, 3)), false)
				laid[name] = string(out)
			}
		}
		before, _, had := load(files, nil)
		after, _, has := load(laid, nil)
		if (before == nil) != (after == nil) || len(had) != len(has) {
			t.Errorf("problems %v, then %v", had, has)
			continue
		}
		for i := range had {
			if had[i].Summary != has[i].Summary {
				t.Errorf("%v, then %v", had[i], has[i])
			}
		}
		if before == nil {
			continue
		}
		for i, a := range before.Agents {
			digests++
			if a.Digest != after.Agents[i].Digest {
				t.Errorf("agent %s has another digest", a.Name)
			}
		}
	}
	if digests < 5 {
		t.Errorf("%d agents", digests)
	}
}

func TestFormatErrors(t *testing.T) {
	for name, text := range map[string]string{
		"dsh.hcl":        "provider \"p\" {\n  api_key = \"canary\n}\n",
		"x.auto.dshvars": "team = \"canary\n",
		"a.dshvars":      "a = [\n \"canary\",\n",
		"<stdin>":        "provider \"p\" { api_key = \"canary }",
		"bad.hcl":        "a = \"\xff\"",
	} {
		out, sources, problems := Format(name, []byte(text), true)
		if !problems.HasErrors() || string(out) != text {
			t.Errorf("%s: %q, %v", name, out, problems)
		}
		if s := rendered(problems, sources); strings.Contains(s, "canary") {
			t.Errorf("%s: a secret is shown:\n%s", name, s)
		}
	}
}

// renamedLanguage is a table with a renamed argument.
func renamedLanguage() *schema.Block {
	limits := &schema.Block{Type: "limits", Attributes: []schema.Attribute{
		{Name: "max_steps", Type: schema.Whole, Required: true, Former: []schema.Former{{Name: "steps", Why: "every limit is named for what it bounds."}}},
		{Name: "other", Type: schema.Text},
		{Name: "access", Type: schema.Secret, Sensitive: true, Former: []schema.Former{{Name: "pass", Why: "it is no word."}}},
	}}
	return &schema.Block{Blocks: []schema.Child{{Block: limits}}}
}

func TestRenamed(t *testing.T) {
	read := func(text string) (values []wholeSet, out string) {
		l := newLoader(options(memory{}, nil), renamedLanguage(), "a file")
		s := &source{name: "dsh.hcl", text: []byte(text)}
		l.accept(s, scan(s))
		for _, n := range l.items(s.body, l.language, "").blocks {
			set := l.setting(l.open(n, ""), "max_steps", everything())
			values = append(values, wholeSet{set.whole().V, set.set})
		}
		return values, rendered(l.finish(), l.sources)
	}
	values, out := read("limits {\n  steps = 7\n}\nlimits {\n  max_steps = 8\n}\n")
	if len(values) != 2 || values[0] != (wholeSet{7, true}) || values[1] != (wholeSet{8, true}) {
		t.Errorf("%v", values)
	}
	if strings.Count(out, "Warning: Argument renamed [renamed]") != 1 || strings.Contains(out, "Error") ||
		!strings.Contains(strings.Join(strings.Fields(out), " "), "is called \"max_steps\" now: every limit is named for what it bounds. Write the new name, or let `dsh fmt -fix` do it.") {
		t.Error(out)
	}
	values, out = read("limits {\n  steps = 7\n  max_steps = 8\n}\n")
	if values[0] != (wholeSet{8, true}) || !strings.Contains(out, "Error: Conflicting arguments") {
		t.Errorf("%v %s", values, out)
	}
}

// wholeSet is a whole number and whether it was written.
type wholeSet struct {
	v   int
	set bool
}

func TestFix(t *testing.T) {
	const text = "# steps\nlimits {\n  steps = 7 # steps\n  other = \"steps = 1\"\n}\nlimits {\n  steps = 1\n  max_steps = 2\n}\nunknown {\n  steps = 1\n}\n"
	const want = "# steps\nlimits {\n  max_steps = 7 # steps\n  other     = \"steps = 1\"\n}\nlimits {\n  steps     = 1\n  max_steps = 2\n}\nunknown {\n  steps = 1\n}\n"
	out, _, problems := format("dsh.hcl", []byte(text), true, renamedLanguage(), false)
	if string(out) != want || len(problems) > 0 {
		t.Errorf("%s%v", out, problems)
	}
	if out, _, _ := format("dsh.hcl", []byte(text), false, renamedLanguage(), false); !strings.Contains(string(out), "  steps = 7") {
		t.Errorf("without fix:\n%s", out)
	}
}

// TestFormerNamesAreSecret: what is hidden under a name is hidden under the name
// that it had.
func TestFormerNamesAreSecret(t *testing.T) {
	for _, text := range []string{"limits {\n  pass = \"canary\"\n}\n", "limits {\n  pass = \"canary\n}\n"} {
		l := newLoader(options(memory{}, nil), renamedLanguage(), "a file")
		s := &source{name: "dsh.hcl", text: []byte(text)}
		l.accept(s, scan(s))
		for _, n := range l.items(s.body, l.language, "").blocks {
			l.open(n, "")
		}
		if out := rendered(l.finish(), l.sources); out == "" || strings.Contains(out, "canary") {
			t.Errorf("%s", out)
		}
	}
}

// FuzzFormat holds that formatting changes blanks only and is done once.
func FuzzFormat(f *testing.F) {
	for name, text := range hclTexts(f) {
		f.Add(filepath.Base(name), text)
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		out, sources, problems := Format(name, []byte(text), false)
		rendered(problems, sources)
		if problems.HasErrors() {
			if string(out) != text {
				t.Error("a text with errors was changed")
			}
			return
		}
		if !sameTokens([]byte(text), out) {
			t.Errorf("other tokens: %q", out)
		}
		if again, _, _ := Format(name, out, false); !bytes.Equal(again, out) {
			t.Errorf("%q, then %q", out, again)
		}
	})
}
