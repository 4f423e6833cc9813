package schema

import (
	"maps"
	"slices"
	"strings"
)

// JSONSchema is a JSON Schema, draft 2020-12, of the JSON syntax of HCL, by which
// editors complete and check *.dsh.hcl.json. A value of any type may be a text with
// an expression: "${var.size}".
func JSONSchema() string {
	d := definitions{}
	s := d.body("", Language())
	s["$defs"] = d
	s["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	s["title"] = "dsh configuration in the JSON syntax of HCL"
	return written(s)
}

// shape is a schema of JSON Schema.
type shape = map[string]any

// expression is a text that holds an expression, in the place of a value of another
// type.
func expression() shape { return shape{"type": "string", "pattern": `[$%]\{`} }

// or allows a value of one of the shapes.
func or(shapes ...shape) shape { return shape{"anyOf": shapes} }

func oneOrMany(s shape) shape { return or(s, shape{"type": "array", "items": s}) }

// definitions are the bodies of blocks, by the addresses of the blocks.
type definitions map[string]shape

// refer puts a shape into the definitions and returns what stands for it.
func (d definitions) refer(name string, s shape) shape {
	d[name] = s
	return shape{"$ref": "#/$defs/" + name}
}

// body is the body of a block as an object. A key of "//" is a comment there.
func (d definitions) body(path string, b *Block) shape {
	properties := shape{"//": true}
	out := shape{"type": "object", "properties": properties, "additionalProperties": false}
	if b.Doc != "" {
		out["description"] = b.Doc
	}
	var required []string
	for _, a := range b.Attributes {
		properties[a.Name] = attributeShape(a)
		for _, f := range a.Former {
			former := maps.Clone(attributeShape(a))
			former["deprecated"] = true
			former["description"] = "The name is " + a.Name + " now: " + f.Why
			properties[f.Name] = former
		}
		if a.Required && len(a.Former) == 0 {
			required = append(required, a.Name)
		}
	}
	if b.Names != nil {
		out["additionalProperties"] = attributeShape(*b.Names)
	}
	for _, c := range b.Blocks {
		properties[c.Block.Type] = d.block(strings.TrimPrefix(path+"."+c.Block.Type, "."), c)
	}
	if len(required) > 0 {
		out["required"] = required
	}
	var groups []shape
	for _, group := range b.OneOf {
		var one []shape
		for _, name := range group {
			one = append(one, shape{"required": []string{name}})
		}
		groups = append(groups, shape{"oneOf": one})
	}
	for _, group := range b.AtMostOne {
		for i, name := range group {
			for _, other := range group[i+1:] {
				groups = append(groups, shape{"not": shape{"required": []string{name, other}}})
			}
		}
	}
	if len(groups) > 0 {
		out["allOf"] = groups
	}
	return out
}

// block is what stands behind a block's type: its body below its labels. What may
// occur often may be a list everywhere. A body whose blocks have an order, such as
// prefix, is a list of objects with a few keys each, so required attributes are not
// asked of every one of them.
func (d definitions) block(path string, c Child) shape {
	body := d.body(path, c.Block)
	part := maps.Clone(body)
	delete(part, "required")
	delete(part, "allOf")
	s := or(d.refer(path, body), shape{"type": "array", "items": d.refer(path+".part", part)})
	for range c.Block.Labels {
		s = oneOrMany(d.refer(path+".named", shape{"type": "object", "additionalProperties": s}))
	}
	s["description"] = c.Block.Doc
	return s
}

func attributeShape(a Attribute) shape {
	s := valueShape(a)
	s["description"] = a.Doc
	if d := plain(a.Default); d != nil {
		s["default"] = d
	}
	return s
}

func valueShape(a Attribute) shape {
	text := shape{"type": "string"}
	if a.Constraint.NotEmpty {
		text["minLength"] = 1
	}
	if len(a.Constraint.OneOf) > 0 {
		text = or(shape{"enum": a.Constraint.OneOf}, expression())
	}
	number := func(kind string) shape {
		n := shape{"type": kind}
		closed, open := a.Constraint.Range.Min.ends()
		bound(n, "minimum", closed)
		bound(n, "exclusiveMinimum", open)
		closed, open = a.Constraint.Range.Max.ends()
		bound(n, "maximum", closed)
		bound(n, "exclusiveMaximum", open)
		return n
	}
	switch a.Type {
	case Bool:
		return or(shape{"type": "boolean"}, expression())
	case Whole:
		return or(number("integer"), expression())
	case Number, Amount:
		return or(number("number"), expression())
	case Duration:
		return or(shape{"type": "string", "pattern": `^([0-9.]+(h|m|s|ms))+$`}, expression())
	case Size:
		return or(number("integer"), shape{"type": "string", "pattern": `^[0-9.]+ ?(B|KiB|MiB|kB|MB)$`}, expression())
	case Texts, Command:
		return or(shape{"type": "array", "items": text}, expression())
	case TextOrTexts:
		return or(text, shape{"type": "array", "items": text, "minItems": 1})
	case Values:
		return or(shape{"type": "object"}, expression())
	case Any:
		return shape{}
	case Reference:
		return address(a.Refers)
	case References:
		item := address(a.Refers)
		if p := a.Provided; p != nil {
			item = or(provided(p), item)
		}
		return shape{"type": "array", "items": item}
	case TypeName:
		return shape{"type": "string", "examples": simpleTypes()}
	case Secrets:
		return shape{"type": "object", "additionalProperties": shape{"type": "string"}}
	}
	if len(a.Constraint.OneOf) > 0 {
		return text
	}
	return maps.Clone(text)
}

func bound(s shape, name string, v *float64) {
	if v != nil {
		s[name] = *v
	}
}

// address is how a reference is written, bare or as an expression.
func address(blockType string) shape {
	return shape{"type": "string", "pattern": `^(\$\{)?` + blockType + `\.[A-Za-z_][A-Za-z0-9_-]*\}?$`, "examples": []string{blockType + ".NAME"}}
}

// provided is how a reference to what the program has is written.
func provided(p *Provided) shape {
	return shape{"type": "string", "pattern": `^(\$\{)?` + p.Root + `\.(` + strings.Join(p.Names, "|") + `)\}?$`, "examples": []string{p.Root + "." + p.Names[0]}}
}

// simpleTypes are the type names that take no argument.
func simpleTypes() []string {
	return slices.DeleteFunc(TypeNames(), func(s string) bool { return strings.ContainsAny(s, "([") })
}
