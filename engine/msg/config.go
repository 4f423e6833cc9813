package msg

import (
	"fmt"
	"slices"

	"github.com/dsh-hcl/dsh/engine/canon"
)

// CallConfig is what a call of a model takes besides messages, system text and
// tools. Temperature is a canonical JSON number. A nil Stop is absent, which
// differs from an empty one.
type CallConfig struct {
	Model       string
	Temperature Opt[string]
	MaxTokens   Opt[int64] // of output
	Stop        []string
}

// Equal compares field by field, an absent stop list unequal to an empty one.
func (c CallConfig) Equal(o CallConfig) bool {
	return c.Model == o.Model && c.Temperature == o.Temperature && c.MaxTokens == o.MaxTokens &&
		(c.Stop == nil) == (o.Stop == nil) && slices.Equal(c.Stop, o.Stop)
}

// Raw returns the canonical JSON object: model, temperature, maxTokens, stop.
func (c CallConfig) Raw() string {
	var o canon.Object
	o.String("model", c.Model)
	if t, ok := c.Temperature.Get(); ok {
		o.Raw("temperature", t)
	}
	if n, ok := c.MaxTokens.Get(); ok {
		o.Int("maxTokens", n)
	}
	if c.Stop != nil {
		o.Strings("stop", c.Stop)
	}
	return o.End()
}

// ParseCallConfig takes a call configuration from a JSON value.
func ParseCallConfig(v canon.Value) (CallConfig, error) {
	var c CallConfig
	model, ok := v.Get("model").Text()
	if !ok {
		return c, fmt.Errorf("config without model")
	}
	c.Model = model
	if t := v.Get("temperature"); t.Exists() {
		if t.Kind() != canon.Number {
			return c, fmt.Errorf("config temperature is not a number")
		}
		c.Temperature = Some(t.Raw())
	}
	if t := v.Get("maxTokens"); t.Exists() {
		n, ok := t.Int()
		if !ok {
			return c, fmt.Errorf("config maxTokens is not an integer")
		}
		c.MaxTokens = Some(n)
	}
	if t := v.Get("stop"); t.Exists() {
		if t.Kind() != canon.ArrayKind {
			return c, fmt.Errorf("config stop is not an array")
		}
		c.Stop = []string{}
		for e := range t.Elements() {
			s, ok := e.Text()
			if !ok {
				return c, fmt.Errorf("config stop holds something besides strings")
			}
			c.Stop = append(c.Stop, s)
		}
	}
	return c, nil
}

// Tool is a tool as the model sees it. Parameters is a canonical JSON Schema
// object; two tools are equal when their bytes are.
type Tool struct{ Name, Description, Parameters string }

// Raw returns the canonical JSON object: name, description, parameters.
func (t Tool) Raw() string {
	var o canon.Object
	o.String("name", t.Name)
	o.String("description", t.Description)
	o.Raw("parameters", t.Parameters)
	return o.End()
}

// ParseTool takes a tool schema from a canonical JSON value.
func ParseTool(v canon.Value) (Tool, error) {
	name, ok := v.Get("name").Text()
	if !ok {
		return Tool{}, fmt.Errorf("tool without name")
	}
	desc, ok := v.Get("description").Text()
	if !ok {
		return Tool{}, fmt.Errorf("tool %q without description", name)
	}
	p := v.Get("parameters")
	if p.Kind() != canon.ObjectKind {
		return Tool{}, fmt.Errorf("tool %q without parameters object", name)
	}
	return Tool{Name: name, Description: desc, Parameters: p.Raw()}, nil
}
