// Package tool is the tools of an agent as one set: in the order of declaration,
// each with the schema that the model sees and that its arguments are held against
// before it runs. It knows no tool; those are below it. It promises that every call
// comes to an outcome: what goes wrong is an error that the model reads.
//
// Specification: spec/loop.md, section 0.5.
package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/permit"
)

// Stable codes of calls that failed.
const (
	CodeArguments = "INVALID_ARGUMENTS" // they are not JSON, or do not fit the schema
	CodeStale     = "STALE"             // a file is not what the model last read of it
	CodeOutside   = "OUTSIDE_WORKSPACE" // a path leads out of the workspace
	CodeFailed    = "TOOL_FAILED"       // the tool could not do what was asked
	CodeExit      = "EXIT_CODE"         // a command ended with another exit code than 0
)

// Outcome is what a tool came to. Error is set for failures that have a stable
// identity. Meta is canonical JSON, "" for none; it never reaches the model.
type Outcome struct {
	Content msg.Content
	IsError bool
	Error   msg.Opt[event.ResultError]
	Meta    string
}

// Text is the outcome of a call that went well. What is not UTF-8 in it is replaced.
func Text(text string) Outcome { return Outcome{Content: content(text)} }

// Fail is the outcome of a call that failed with a stable code.
func Fail(code, format string, args ...any) Outcome {
	return Outcome{Content: content("Error: " + fmt.Sprintf(format, args...)), IsError: true,
		Error: msg.Some(event.ResultError{Name: "ToolError", Code: code})}
}

func content(text string) msg.Content {
	c, _ := msg.TextContent(strings.ToValidUTF8(text, string(utf8.RuneError))) // so it is valid
	return c
}

// Tool is one tool. Its schema is part of the header: it is the same for every
// instance, and holds no path of a machine.
type Tool struct {
	Schema msg.Tool
	// About says what a call is about, for the rules that decide whether it runs. nil
	// stands for its arguments.
	About func(args canon.Value) (permit.Kind, []string)
	// Run runs a call whose arguments, a canonical JSON object, fit the schema. It
	// returns soon after ctx is done.
	Run func(ctx context.Context, args canon.Value) Outcome
}

// Set is the tools of one instance. It implements Tools of package engine.
type Set struct {
	tools  []Tool
	checks []func() (*jsonschema.Resolved, error)
}

// NewSet makes a set of tools with distinct names, in the order of declaration.
func NewSet(tools ...Tool) *Set {
	s := &Set{tools: tools}
	for _, t := range tools {
		s.checks = append(s.checks, sync.OnceValues(func() (*jsonschema.Resolved, error) {
			var schema jsonschema.Schema
			if err := json.Unmarshal([]byte(t.Schema.Parameters), &schema); err != nil {
				return nil, err
			}
			return schema.Resolve(nil)
		}))
	}
	return s
}

// Schemas are the tools as the model sees them. The slice is the caller's.
func (s *Set) Schemas() []msg.Tool {
	out := make([]msg.Tool, len(s.tools))
	for i, t := range s.tools {
		out[i] = t.Schema
	}
	return out
}

// Run holds a call's arguments against the schema and runs it.
func (s *Set) Run(ctx context.Context, call msg.ToolCall) Outcome {
	for i, t := range s.tools {
		if t.Schema.Name != call.Name {
			continue
		}
		args, err := s.arguments(i, call.Arguments)
		if err != nil {
			return Fail(CodeArguments, "the arguments of %s %s", call.Name, err)
		}
		return t.Run(ctx, args)
	}
	return Fail(msg.CodeUnknownTool, "unknown tool %s", call.Name)
}

// Permit is the verdict of a policy about a call. One whose arguments do not fit is
// allowed, since Run does nothing but say so.
func (s *Set) Permit(p permit.Policy, call msg.ToolCall) permit.Verdict {
	for i, t := range s.tools {
		if t.Schema.Name != call.Name {
			continue
		}
		args, err := s.arguments(i, call.Arguments)
		if err != nil {
			return permit.Verdict{}
		}
		c := permit.Call{Tool: call.Name, Subjects: []string{args.Raw()}}
		if t.About != nil {
			c.Kind, c.Subjects = t.About(args)
		}
		return p.Decide(c)
	}
	return permit.Verdict{}
}

// arguments is a call's arguments in canonical form. The error is the rest of a
// sentence that begins with them.
func (s *Set) arguments(i int, text string) (canon.Value, error) {
	v, err := canon.Parse(text)
	if err != nil {
		return v, fmt.Errorf("are not JSON: %w", err)
	}
	if v.Kind() != canon.ObjectKind {
		return v, fmt.Errorf("are not a JSON object")
	}
	if name, twice := repeated(v); twice {
		// Whoever decided about the call may have read the other one.
		return v, fmt.Errorf("have the member %s twice", name)
	}
	if text, err = canon.Canonical(v); err != nil {
		return v, fmt.Errorf("cannot be used: %w", err)
	}
	check, err := s.checks[i]()
	if err != nil {
		return v, fmt.Errorf("cannot be checked: %w", err)
	}
	var instance any
	if err := json.Unmarshal([]byte(text), &instance); err != nil {
		return v, fmt.Errorf("are not JSON: %w", err)
	}
	if err := check.Validate(instance); err != nil {
		return v, fmt.Errorf("do not fit its schema: %s", reason(err))
	}
	return canon.ParseCanonical(text)
}

// repeated finds a member that an object in a value has twice.
func repeated(v canon.Value) (string, bool) {
	switch v.Kind() {
	case canon.ObjectKind:
		seen := map[string]bool{}
		for name, e := range v.Members() {
			if seen[name] {
				return name, true
			}
			seen[name] = true
			if name, twice := repeated(e); twice {
				return name, true
			}
		}
	case canon.ArrayKind:
		for e := range v.Elements() {
			if name, twice := repeated(e); twice {
				return name, true
			}
		}
	}
	return "", false
}

// reason is what does not fit, without the library's account of where it looked.
func reason(err error) string {
	text := err.Error()
	for strings.HasPrefix(text, "validating ") {
		_, rest, found := strings.Cut(text, ": ")
		if !found {
			break
		}
		text = rest
	}
	return text
}
