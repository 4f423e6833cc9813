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
	text        string // as it was read, where Raw would order or spell it otherwise
}

// Equal compares field by field, an absent stop list unequal to an empty one.
// Members that this program does not know take no part.
func (c CallConfig) Equal(o CallConfig) bool {
	return c.Model == o.Model && c.Temperature == o.Temperature && c.MaxTokens == o.MaxTokens &&
		(c.Stop == nil) == (o.Stop == nil) && slices.Equal(c.Stop, o.Stop)
}

// Raw returns the canonical JSON object: model, temperature, maxTokens, stop. Of a
// configuration that was read with other members or in another order, and not
// changed since, it returns the text that was read.
func (c CallConfig) Raw() string {
	if c.text != "" {
		v, err := canon.ParseCanonical(c.text)
		if err == nil {
			if read, err := ParseCallConfig(v); err == nil && read.Equal(c) {
				return c.text
			}
		}
	}
	return c.write()
}

func (c CallConfig) write() string {
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

// ParseCallConfig takes a call configuration from a canonical JSON value.
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
	if c.write() != v.Raw() {
		c.text = v.Raw()
	}
	return c, nil
}

// Tool is a tool as the model sees it. Parameters is a canonical JSON Schema
// object; two tools are equal when their bytes are.
type Tool struct {
	Name, Description, Parameters string
	text                          string // as it was read, where Raw would order or spell it otherwise
}

// Raw returns the canonical JSON object: name, description, parameters. Of a tool
// that was read with other members or in another order, and not changed since, it
// returns the text that was read.
func (t Tool) Raw() string {
	if t.text != "" {
		v, err := canon.ParseCanonical(t.text)
		if err == nil && toolOf(v) == t {
			return t.text
		}
	}
	return t.write()
}

func (t Tool) write() string {
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
	if _, ok := v.Get("description").Text(); !ok {
		return Tool{}, fmt.Errorf("tool %q without description", name)
	}
	if v.Get("parameters").Kind() != canon.ObjectKind {
		return Tool{}, fmt.Errorf("tool %q without parameters object", name)
	}
	return toolOf(v), nil
}

// KeepTool takes from a canonical JSON object what a log calls a tool, whatever
// is in it, and says why it is none that a model could be shown.
func KeepTool(v canon.Value) (Tool, error) {
	if _, err := ParseTool(v); err != nil {
		return toolOf(v), err
	}
	return toolOf(v), nil
}

// toolOf takes a tool as it is; what it lacks is empty.
func toolOf(v canon.Value) Tool {
	var t Tool
	t.Name, _ = v.Get("name").Text()
	t.Description, _ = v.Get("description").Text()
	t.Parameters = v.Get("parameters").Raw()
	if t.write() != v.Raw() {
		t.text = v.Raw()
	}
	return t
}
