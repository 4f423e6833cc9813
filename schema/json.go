package schema

import (
	"bytes"
	"encoding/json"

	"github.com/zclconf/go-cty/cty"
)

// JSON is the whole table as one object, for programs. docs/tools.md describes it;
// members are added with time, and none is taken away or changes its meaning within
// format version 1.
func JSON() string {
	t := jsonTable{
		FormatVersion: "1.0",
		Configuration: toJSON(Child{Block: Language(), Max: 1}),
		Script:        toJSON(Child{Block: Script(), Max: 1}),
	}
	for _, n := range Names() {
		t.Names = append(t.Names, jsonName{Name: n.Name, Doc: n.Doc})
	}
	for _, f := range Functions() {
		t.Functions = append(t.Functions, jsonName(f))
	}
	for _, r := range Rules() {
		t.Rules = append(t.Rules, jsonName{Name: r.Name, Doc: r.Doc})
	}
	return written(t)
}

// BlockJSON is one block as it stands in JSON.
func BlockJSON(path string) (string, bool) {
	c, ok := Find(path)
	if !ok {
		return "", false
	}
	return written(toJSON(c)), true
}

type jsonTable struct {
	FormatVersion string     `json:"format_version"`
	Configuration jsonBlock  `json:"configuration"`
	Script        jsonBlock  `json:"script"`
	Names         []jsonName `json:"names"`
	Functions     []jsonName `json:"functions"`
	Rules         []jsonName `json:"rules"`
}

type jsonName struct {
	Name string `json:"name"`
	Call string `json:"call,omitempty"`
	Doc  string `json:"doc"`
}

type jsonBlock struct {
	Type         string          `json:"type,omitempty"`
	Labels       []jsonLabel     `json:"labels"`
	Max          int             `json:"max"`
	Doc          string          `json:"doc"`
	Example      string          `json:"example,omitempty"`
	Experimental bool            `json:"experimental,omitempty"`
	Attributes   []jsonAttribute `json:"attributes"`
	Names        *jsonAttribute  `json:"any_attribute,omitempty"`
	OneOf        [][]string      `json:"exactly_one_of,omitempty"`
	AtMostOne    [][]string      `json:"at_most_one_of,omitempty"`
	Absent       []jsonFormer    `json:"absent,omitempty"`
	Blocks       []jsonBlock     `json:"blocks"`
}

type jsonLabel struct {
	Name string `json:"name"`
	Free bool   `json:"free"`
}

type jsonAttribute struct {
	Name         string          `json:"name"`
	Type         string          `json:"type"`
	Required     bool            `json:"required"`
	Default      any             `json:"default,omitempty"`
	Absence      string          `json:"absence,omitempty"`
	Constraint   *jsonConstraint `json:"constraint,omitempty"`
	Refers       string          `json:"refers_to,omitempty"`
	Provided     []string        `json:"provided,omitempty"`
	Doc          string          `json:"doc"`
	Sensitive    bool            `json:"sensitive,omitempty"`
	Experimental bool            `json:"experimental,omitempty"`
	Former       []jsonFormer    `json:"former_names,omitempty"`
}

// jsonFormer is a name with a reason.
type jsonFormer struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

type jsonConstraint struct {
	Text         string   `json:"text"`
	OneOf        []string `json:"one_of,omitempty"`
	Min          *float64 `json:"minimum,omitempty"`
	ExclusiveMin *float64 `json:"exclusive_minimum,omitempty"`
	Max          *float64 `json:"maximum,omitempty"`
	ExclusiveMax *float64 `json:"exclusive_maximum,omitempty"`
	NotEmpty     bool     `json:"not_empty,omitempty"`
}

func toJSON(c Child) jsonBlock {
	b := c.Block
	out := jsonBlock{
		Type: b.Type, Labels: []jsonLabel{}, Max: c.Max, Doc: b.Doc, Example: b.Example, Experimental: b.Stability == Experimental,
		Attributes: []jsonAttribute{}, OneOf: b.OneOf, AtMostOne: b.AtMostOne, Blocks: []jsonBlock{},
	}
	for _, l := range b.Labels {
		out.Labels = append(out.Labels, jsonLabel(l))
	}
	for _, a := range b.Attributes {
		out.Attributes = append(out.Attributes, toJSONAttribute(a))
	}
	if b.Names != nil {
		a := toJSONAttribute(*b.Names)
		out.Names = &a
	}
	for _, a := range b.Absent {
		out.Absent = append(out.Absent, jsonFormer(a))
	}
	for _, inner := range b.Blocks {
		out.Blocks = append(out.Blocks, toJSON(inner))
	}
	return out
}

func toJSONAttribute(a Attribute) jsonAttribute {
	out := jsonAttribute{
		Name: a.Name, Type: a.Type.String(), Required: a.Required, Default: plain(a.Default), Absence: a.Absence, Refers: a.Refers,
		Doc: a.Doc, Sensitive: a.Sensitive, Experimental: a.Stability == Experimental,
	}
	if p := a.Provided; p != nil {
		for _, name := range p.Names {
			out.Provided = append(out.Provided, p.Root+"."+name)
		}
	}
	for _, f := range a.Former {
		out.Former = append(out.Former, jsonFormer(f))
	}
	if text := a.Constraint.String(); text != "" {
		c := &jsonConstraint{Text: text, OneOf: a.Constraint.OneOf, NotEmpty: a.Constraint.NotEmpty}
		c.Min, c.ExclusiveMin = a.Constraint.Range.Min.ends()
		c.Max, c.ExclusiveMax = a.Constraint.Range.Max.ends()
		out.Constraint = c
	}
	return out
}

// ends is the bound as an end that is allowed itself, or as one that is not.
func (b Bound) ends() (closed, open *float64) {
	switch {
	case !b.Set:
		return nil, nil
	case b.Open:
		return nil, &b.Value
	}
	return &b.Value, nil
}

// plain is a default as a value of JSON. Defaults are primitive.
func plain(v cty.Value) any {
	if v == cty.NilVal {
		return nil
	}
	switch v.Type() {
	case cty.Bool:
		return v.True()
	case cty.Number:
		return json.Number(literal(v))
	}
	return v.AsString()
}

func written(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		panic("schema: " + err.Error()) // the types above have a JSON form
	}
	return b.String()
}
