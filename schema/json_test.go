package schema

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestJSON holds the JSON form to the table: every block and attribute is in it.
func TestJSON(t *testing.T) {
	var table jsonTable
	d := json.NewDecoder(strings.NewReader(JSON()))
	d.DisallowUnknownFields()
	if err := d.Decode(&table); err != nil {
		t.Fatal(err)
	}
	if table.FormatVersion != "1.0" || len(table.Functions) != len(Functions()) || len(table.Rules) != len(Rules()) || len(table.Names) != len(Names()) {
		t.Errorf("%+v", table)
	}
	var same func(path string, b *Block, j jsonBlock)
	same = func(path string, b *Block, j jsonBlock) {
		if b.Type != j.Type || b.Doc != j.Doc || len(b.Attributes) != len(j.Attributes) || len(b.Blocks) != len(j.Blocks) || len(b.Labels) != len(j.Labels) {
			t.Errorf("%s: %+v", path, j)
			return
		}
		for i, a := range b.Attributes {
			if got := j.Attributes[i]; got.Name != a.Name || got.Required != a.Required || got.Sensitive != a.Sensitive || got.Type != a.Type.String() || got.Doc != a.Doc {
				t.Errorf("%s.%s: %+v", path, a.Name, got)
			}
		}
		for i, c := range b.Blocks {
			if c.Max != j.Blocks[i].Max {
				t.Errorf("%s.%s: %d", path, c.Block.Type, c.Max)
			}
			same(path+"."+c.Block.Type, c.Block, j.Blocks[i])
		}
	}
	same("", Language(), table.Configuration)
	same("", Script(), table.Script)
	text, ok := BlockJSON("agent.limits")
	if !ok || !strings.Contains(text, `"default": 64`) || !strings.Contains(text, `"minimum": 1`) {
		t.Errorf("%s", text)
	}
}

func TestFind(t *testing.T) {
	paths := Paths()
	for _, p := range paths {
		md, found := BlockMarkdown(p)
		_, alsoFound := BlockJSON(p)
		if !found || !alsoFound || !strings.HasPrefix(md, "# "+strings.ReplaceAll(p, ".", " / ")+"\n") {
			t.Errorf("%s: %.60q", p, md)
		}
	}
	if !slices.Contains(paths, "agent.system.text") || !slices.Contains(paths, "reply.usage") || len(paths) < 25 {
		t.Errorf("%q", paths)
	}
	for _, p := range []string{"", "agnet", "agent.", "agent.limits.max_steps"} {
		if _, ok := Find(p); ok {
			t.Errorf("there is a block %q", p)
		}
	}
}

// TestFormer: a former name is in every description of the table.
func TestFormer(t *testing.T) {
	b := &Block{Type: "limits", Attributes: []Attribute{{Name: "max_steps", Type: Whole, Required: true, Doc: "Steps.", Former: []Former{{"steps", "it is a limit."}}}}}
	if a, why, ok := b.Renamed("steps"); !ok || a.Name != "max_steps" || why != "it is a limit." {
		t.Errorf("%v %q", a, why)
	}
	if _, _, ok := b.Renamed("max_steps"); ok {
		t.Error("a name is its own former one")
	}
	if names := b.BodySchema().Attributes; len(names) != 2 {
		t.Errorf("%v", names)
	}
	if text := meaningCell(b.Attributes[0]); text != "Steps. Its name was `steps` before, which is still read: it is a limit." {
		t.Error(text)
	}
	if j := toJSONAttribute(b.Attributes[0]); len(j.Former) != 1 || j.Former[0].Name != "steps" {
		t.Errorf("%+v", j)
	}
	properties := definitions{}.body("", b)["properties"].(shape)
	if former, ok := properties["steps"].(shape); !ok || former["deprecated"] != true {
		t.Errorf("%v", properties)
	}
}

// TestJSONSchema validates documents by the schema, with the part of JSON Schema
// that it uses.
func TestJSONSchema(t *testing.T) {
	var root map[string]any
	if err := json.Unmarshal([]byte(JSONSchema()), &root); err != nil {
		t.Fatal(err)
	}
	defs := root["$defs"].(map[string]any)
	var inside func(path string, b *Block)
	inside = func(path string, b *Block) {
		for _, c := range b.Blocks {
			at := strings.TrimPrefix(path+"."+c.Block.Type, ".")
			def, ok := defs[at].(map[string]any)
			if !ok {
				t.Errorf("%s is not defined", at)
				continue
			}
			properties := def["properties"].(map[string]any)
			for _, name := range append(c.Block.AttributeNames(), c.Block.BlockTypes()...) {
				if properties[name] == nil {
					t.Errorf("%s.%s is not described", at, name)
				}
			}
			inside(at, c.Block)
		}
	}
	inside("", Language())

	const good = `{
		"//": "A comment.",
		"variable": {"team": {"type": "string", "default": "core", "validation": [{"condition": "${var.team != \"\"}", "error_message": "Name one."}]}},
		"locals": {"x": 1, "y": {"z": []}},
		"provider": {"p": {"protocol": "openai", "timeout": "1m30s", "headers": {"X-A": "${env.A}"}}},
		"model": [{"m": {"provider": "provider.p", "id": "m", "context_window": 100, "price": {"input": 0.5, "output": "${2 * 2}"}}}],
		"hook": {"h": {"on": "Stop", "command": ["x"]}},
		"agent": {"a": {
			"model": "${model.m}", "hooks": ["hook.h"], "limits": {"max_steps": 3},
			"prefix": [{"on_resume": "reuse"}, {"text": {"t": {"content": "x", "max_bytes": "64KiB"}}}, {"file": {"f": {"path": "a", "optional": true}}}, {"text": {"u": {"content": "y"}}}]
		}}
	}`
	if problems := validate(t, root, good); len(problems) > 0 {
		t.Errorf("%q", problems)
	}
	for _, bad := range []string{
		`{"agnet": {}}`,
		`{"provider": {"p": {"protocol": "opanai"}}}`,
		`{"provider": {"p": {}}}`,
		`{"provider": {"p": {"protocol": "openai", "timeout": "5 minutes"}}}`,
		`{"model": {"m": {"provider": "p", "id": "m"}}}`,
		`{"model": {"m": {"provider": "provider.p", "id": ""}}}`,
		`{"model": {"m": {"provider": "provider.p", "id": "m", "temperature": 3}}}`,
		`{"model": {"m": {"provider": "provider.p", "id": "m", "context_window": 1.5}}}`,
		`{"agent": {"a": {"model": "model.m", "limits": {"max_steps": 0}}}}`,
		`{"agent": {"a": {"model": "model.m", "prefix": [{"text": {"t": {"contents": "x"}}}]}}}`,
		`{"agent": {"a": {"model": "model.m", "prefix": {"template": {"t": {"content": "x", "path": "y"}}}}}}`,
		`{"hook": {"h": {"on": [], "command": ["x"]}}}`,
		`{"hook": {"h": {"on": ["Stopp"], "command": ["x"]}}}`,
	} {
		if len(validate(t, root, bad)) == 0 {
			t.Errorf("%s is allowed", bad)
		}
	}
}

func validate(t *testing.T, root map[string]any, text string) []string {
	t.Helper()
	var doc any
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	return problemsOf(root, root, doc, "")
}

// problemsOf is what is wrong with a value by a schema. A keyword that it does not
// know is a problem too.
func problemsOf(root map[string]any, s any, v any, at string) (out []string) {
	rules, ok := s.(map[string]any)
	if !ok {
		if s == true {
			return nil
		}
		return []string{at + " is not allowed"}
	}
	list := func(name string) []any { l, _ := rules[name].([]any); return l }
	wrong := func(format string, args ...any) { out = append(out, at+": "+fmt.Sprintf(format, args...)) }
	object, _ := v.(map[string]any)
	array, _ := v.([]any)
	text, isText := v.(string)
	number, isNumber := v.(float64)
	fitting := func(name string) (n int) {
		for _, s := range list(name) {
			if len(problemsOf(root, s, v, at)) == 0 {
				n++
			}
		}
		return n
	}
	for _, keyword := range slices.Sorted(maps.Keys(rules)) {
		switch value := rules[keyword]; keyword {
		case "$schema", "$defs", "title", "description", "default", "deprecated", "examples":
		case "$ref":
			name := strings.TrimPrefix(value.(string), "#/$defs/")
			out = append(out, problemsOf(root, root["$defs"].(map[string]any)[name], v, at)...)
		case "type":
			is := map[string]bool{"object": object != nil, "array": array != nil, "string": isText, "number": isNumber, "integer": isNumber && number == float64(int64(number)), "boolean": v == true || v == false}
			if !is[value.(string)] {
				wrong("no %s", value)
			}
		case "enum":
			if !slices.Contains(list("enum"), v) {
				wrong("none of %v", value)
			}
		case "pattern":
			if isText && !regexp.MustCompile(value.(string)).MatchString(text) {
				wrong("does not match %s", value)
			}
		case "minLength":
			if isText && len(text) < int(value.(float64)) {
				wrong("too short")
			}
		case "minItems":
			if array != nil && len(array) < int(value.(float64)) {
				wrong("too few")
			}
		case "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum":
			end := value.(float64)
			fits := map[string]bool{"minimum": number >= end, "exclusiveMinimum": number > end, "maximum": number <= end, "exclusiveMaximum": number < end}
			if isNumber && !fits[keyword] {
				wrong("beyond %v", end)
			}
		case "anyOf":
			if fitting("anyOf") == 0 {
				wrong("fits no form")
			}
		case "oneOf":
			if fitting("oneOf") != 1 {
				wrong("fits %d forms", fitting("oneOf"))
			}
		case "allOf":
			for _, s := range list("allOf") {
				out = append(out, problemsOf(root, s, v, at)...)
			}
		case "required":
			for _, name := range list("required") {
				if _, has := object[name.(string)]; object != nil && !has {
					wrong("lacks %s", name)
				}
			}
		case "items":
			for i, e := range array {
				out = append(out, problemsOf(root, value, e, fmt.Sprintf("%s[%d]", at, i))...)
			}
		case "properties", "additionalProperties":
			properties, _ := rules["properties"].(map[string]any)
			for name, e := range object {
				s, known := properties[name]
				if known != (keyword == "properties") {
					continue
				}
				if !known {
					s = value
				}
				out = append(out, problemsOf(root, s, e, at+"."+name)...)
			}
		default:
			wrong("keyword %s is not known", keyword)
		}
	}
	return out
}
