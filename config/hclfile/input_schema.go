package hclfile

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/zclconf/go-cty/cty"

	"github.com/dsh-hcl/dsh/config"
)

// toolInput decodes the schema of a tool's arguments.
func (l *loader) toolInput(b *body, sc *scope) config.Attr[string] {
	s := l.setting(b, "input", sc)
	out := attribute(s, canonical)
	if !s.set {
		out.V = noInput
		return out
	}
	if problem := schemaProblem(s.v); problem != "" {
		l.errorf(s.at, "Invalid schema", "The argument \"input\" is no JSON Schema that arguments can be held against: %s.", problem)
	}
	return out
}

// noInput is the schema of a tool without arguments.
const noInput = `{"type":"object","properties":{},"additionalProperties":false}`

// schemaProblem says what is wrong with the schema of a tool's arguments, "" for
// nothing.
func schemaProblem(v cty.Value) string {
	if t, ok := member(v, "type"); !ok || t.Type() != cty.String || t.AsString() != "object" {
		return `its type is not "object", and the arguments of a tool are one`
	}
	if problem := keywords(v, ""); problem != "" {
		return problem
	}
	var s jsonschema.Schema
	err := json.Unmarshal([]byte(canonical(v)), &s)
	if err == nil {
		_, err = s.Resolve(nil)
	}
	if err == nil {
		return ""
	}
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(err.Error(), "jsonschema: "), "json: "), ".")
}

// schemaKeywords are the keywords of a schema by what they hold. A reference could
// lead around in a circle or out of the configuration, so there is none: a value is
// shared by a local.
var schemaKeywords = map[string]string{
	"additionalProperties": "schema", "propertyNames": "schema", "items": "schema", "contains": "schema", "not": "schema", "if": "schema", "then": "schema", "else": "schema",
	"allOf": "schemas", "anyOf": "schemas", "oneOf": "schemas", "prefixItems": "schemas",
	"properties": "named", "patternProperties": "named", "dependentSchemas": "named",
	"type": "", "enum": "", "const": "", "title": "", "description": "", "default": "", "examples": "", "deprecated": "", "format": "",
	"multipleOf": "", "minimum": "", "maximum": "", "exclusiveMinimum": "", "exclusiveMaximum": "", "minLength": "", "maxLength": "", "pattern": "",
	"minItems": "", "maxItems": "", "uniqueItems": "", "minContains": "", "maxContains": "",
	"minProperties": "", "maxProperties": "", "required": "", "dependentRequired": "",
}

// keywords looks for what no schema has. at says where, "" for the whole.
func keywords(v cty.Value, at string) string {
	if v.Type() == cty.Bool && at != "" {
		return ""
	}
	if v.IsNull() || !v.Type().IsObjectType() && !v.Type().IsMapType() {
		return fmt.Sprintf("%s is no schema: write an object", at)
	}
	var known []string
	for name := range schemaKeywords {
		known = append(known, name)
	}
	slices.Sort(known)
	for it := v.ElementIterator(); it.Next(); {
		key, e := it.Element()
		name := key.AsString()
		kind, ok := schemaKeywords[name]
		where := strings.TrimPrefix(at+"."+name, ".")
		switch {
		case strings.HasPrefix(name, "$"):
			return fmt.Sprintf("%s is not supported: write the schema out, and share a part of it by a local", where)
		case !ok:
			detail := ""
			if n := nearest(name, known); n != "" {
				detail = "; did you mean " + n + "?"
			}
			return fmt.Sprintf("%s is no keyword that is supported%s", where, strings.TrimSuffix(detail, "?"))
		case kind == "schema":
			if problem := keywords(e, where); problem != "" {
				return problem
			}
		case kind != "":
			if e.IsNull() || !e.CanIterateElements() {
				return where + " holds no schemas"
			}
			for inner := e.ElementIterator(); inner.Next(); {
				k, s := inner.Element()
				place := where
				if kind == "named" {
					if k.Type() != cty.String {
						return where + " is a list; write an object"
					}
					place += "." + k.AsString()
				}
				if problem := keywords(s, place); problem != "" {
					return problem
				}
			}
		}
	}
	return ""
}

// member is a member of an object or a map.
func member(v cty.Value, name string) (cty.Value, bool) {
	switch {
	case v.Type().IsObjectType() && v.Type().HasAttribute(name):
		v = v.GetAttr(name)
	case v.Type().IsMapType() && v.HasIndex(cty.StringVal(name)).True():
		v = v.Index(cty.StringVal(name))
	default:
		return v, false
	}
	return v, !v.IsNull()
}
