package schema

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	engine "github.com/dsh-hcl/dsh/engine/hook"
)

// walk calls f for every block of both languages, with its path.
func walk(f func(path string, b *Block)) {
	var inside func(path string, b *Block)
	inside = func(path string, b *Block) {
		f(path, b)
		for _, c := range b.Blocks {
			inside(path+"/"+c.Block.Type, c.Block)
		}
	}
	inside("dsh.hcl", Language())
	inside("model.hcl", Script())
}

func TestTableIsComplete(t *testing.T) {
	name := regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	sentences := func(path, doc string) {
		if doc == "" || !strings.HasSuffix(doc, ".") || strings.TrimSpace(doc) != doc {
			t.Errorf("%s: documentation %q is no sentence", path, doc)
		}
	}
	top := Language().BlockTypes()
	blocks := 0
	walk(func(path string, b *Block) {
		blocks++
		sentences(path, b.Doc)
		if strings.Contains(path, "/") && !name.MatchString(b.Type) {
			t.Errorf("%s: block type %q", path, b.Type)
		}
		seen := map[string]bool{}
		for _, n := range append(b.AttributeNames(), b.BlockTypes()...) {
			if seen[n] || !name.MatchString(n) {
				t.Errorf("%s: name %q is taken or malformed", path, n)
			}
			seen[n] = true
		}
		for _, group := range b.OneOf {
			for _, n := range group {
				if a, ok := b.Attribute(n); !ok || a.Required {
					t.Errorf("%s: %q cannot be one of a group", path, n)
				}
			}
		}
		for _, a := range b.Absent {
			if seen[a.Name] || a.Why == "" {
				t.Errorf("%s: %q is said to be absent", path, a.Name)
			}
		}
		if b.Names != nil {
			sentences(path+".NAME", b.Names.Doc)
		}
		for _, a := range b.Attributes {
			at := path + "." + a.Name
			sentences(at, a.Doc)
			if a.Required && (a.Default != cty.NilVal || a.Absence != "") {
				t.Errorf("%s: required and with a default", at)
			}
			if a.Default != cty.NilVal && a.Absence != "" {
				t.Errorf("%s: a default and words for its absence", at)
			}
			if (a.Type == Reference || a.Type == References) != (a.Refers != "") || a.Refers != "" && !slices.Contains(top, a.Refers) {
				t.Errorf("%s: refers to %q", at, a.Refers)
			}
			if a.Sensitive != (a.Type == Secret || a.Type == Secrets) {
				t.Errorf("%s: sensitive and type disagree", at)
			}
			checkDefault(t, at, a)
		}
	})
	if blocks < 20 {
		t.Errorf("only %d blocks were checked", blocks)
	}
}

func checkDefault(t *testing.T, at string, a Attribute) {
	t.Helper()
	v := a.Default
	if v == cty.NilVal {
		return
	}
	switch a.Type {
	case Text:
		if v.Type() != cty.String || len(a.Constraint.OneOf) > 0 && !slices.Contains(a.Constraint.OneOf, v.AsString()) {
			t.Errorf("%s: default %#v", at, v)
		}
	case Bool:
		if v.Type() != cty.Bool {
			t.Errorf("%s: default %#v", at, v)
		}
	case Whole, Number:
		f, _ := v.AsBigFloat().Float64()
		if v.Type() != cty.Number || !a.Constraint.Range.Contains(f) {
			t.Errorf("%s: default %#v", at, v)
		}
	case Duration:
		d, err := time.ParseDuration(v.AsString())
		if err != nil || !a.Constraint.Range.Contains(d.Seconds()) {
			t.Errorf("%s: default %#v", at, v)
		}
	case Size:
		if v.Type() != cty.String || !strings.HasSuffix(v.AsString(), "iB") {
			t.Errorf("%s: default %#v", at, v)
		}
	default:
		t.Errorf("%s: a default of type %s cannot be documented", at, a.Type)
	}
}

func TestListsAreSorted(t *testing.T) {
	functions, rules := Functions(), Rules()
	if !slices.IsSortedFunc(functions, func(a, b Function) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("functions are not sorted")
	}
	if !slices.IsSortedFunc(rules, func(a, b Rule) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("rules are not sorted")
	}
	for _, f := range functions {
		if !strings.HasPrefix(f.Call, f.Name+"(") || !strings.HasSuffix(f.Doc, ".") {
			t.Errorf("function %q: %q, %q", f.Name, f.Call, f.Doc)
		}
	}
	if len(functions) < 60 || len(rules) < 5 {
		t.Errorf("%d functions, %d rules", len(functions), len(rules))
	}
}

func TestBodySchema(t *testing.T) {
	s := Language().BodySchema()
	if len(s.Attributes) != 0 || len(s.Blocks) != 9 {
		t.Fatalf("root: %d attributes, %d blocks", len(s.Attributes), len(s.Blocks))
	}
	if b := s.Blocks[5]; b.Type != "agent" || !slices.Equal(b.LabelNames, []string{"NAME"}) {
		t.Errorf("agent: %+v", b)
	}
	system, _ := agent().Child("system")
	text, ok := system.Block.Child("text")
	if !ok {
		t.Fatal("system has no text")
	}
	if _, ok := text.Block.Attribute("role"); ok {
		t.Error("system text has a role")
	}
}

// TestHookPoints holds the table to the points that the engine knows.
func TestHookPoints(t *testing.T) {
	var points []string
	for _, p := range engine.Points() {
		points = append(points, string(p))
	}
	if !slices.Equal(HookPoints(), points) {
		t.Errorf("the table has %q, the engine %q", HookPoints(), points)
	}
}

func TestRange(t *testing.T) {
	cases := []struct {
		r    Range
		text string
		in   []float64
		out  []float64
	}{
		{Range{}, "", []float64{-1, 0, 1e9}, nil},
		{atLeast(1), "at least 1", []float64{1, 2}, []float64{0.5, 0, -1}},
		{above(0), "greater than 0", []float64{0.1}, []float64{0, -1}},
		{within(0, 2), "at least 0 and at most 2", []float64{0, 2}, []float64{-0.1, 2.1}},
		{Range{Max: Bound{Set: true, Value: 1, Open: true}}, "less than 1", []float64{0.9}, []float64{1}},
	}
	for _, c := range cases {
		if c.r.String() != c.text {
			t.Errorf("%+v is %q", c.r, c.r.String())
		}
		for _, v := range c.in {
			if !c.r.Contains(v) {
				t.Errorf("%v is not %s", v, c.text)
			}
		}
		for _, v := range c.out {
			if c.r.Contains(v) {
				t.Errorf("%v is %s", v, c.text)
			}
		}
	}
}

// TestMarkdown keeps docs/language.md equal to the table; DSH_UPDATE rewrites it.
func TestMarkdown(t *testing.T) {
	const path = "../docs/language.md"
	want := Markdown()
	if os.Getenv("DSH_UPDATE") != "" {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not what the table says; DSH_UPDATE=1 go test ./schema rewrites it", path)
	}
	for _, part := range []string{"## Functions", "#### agent / limits", "##### agent / prefix / file", "| `max_steps` | whole number (at least 1) | `64` |"} {
		if !strings.Contains(want, part) {
			t.Errorf("the reference lacks %q", part)
		}
	}
}
