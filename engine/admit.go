package engine

import (
	"fmt"
	"unicode/utf8"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/msg"
)

// What a program around the engine hands in becomes lines of the log. A value that
// cannot be one fails here, as an error of who handed it in, and never inside the
// log, which would end the instance.

// sourced holds context to having a source; there is no default for it.
func sourced(list ...event.ContextMessage) error {
	for _, c := range list {
		if err := admit(c.Source); err != nil {
			return fmt.Errorf("context: %w", err)
		}
	}
	return nil
}

func admit(s event.Source) error {
	if s == (event.Source{}) {
		return fmt.Errorf("it has no source")
	}
	if v, err := canon.ParseCanonical(s.Raw()); err != nil {
		return fmt.Errorf("its source cannot be logged: %w", err)
	} else if _, ok := event.SourceOf(v); !ok {
		return fmt.Errorf("its source has no kind")
	}
	return nil
}

// checkOutcome holds an outcome to what the log can record.
func checkOutcome(o ToolOutcome) error {
	if o.Meta != "" {
		if _, err := canon.ParseCanonical(o.Meta); err != nil {
			return fmt.Errorf("the tool's meta cannot be logged: %w", err)
		}
	}
	if e, ok := o.Error.Get(); ok && !utf8.ValidString(e.Name+e.Code) {
		return fmt.Errorf("the tool failed with a name or code that is not UTF-8")
	}
	return nil
}

// checkCall holds a configuration that a seam changed to what a header can record.
func checkCall(c msg.CallConfig) error {
	v, err := canon.ParseCanonical(c.Raw())
	if err == nil {
		_, err = msg.ParseCallConfig(v)
	}
	if err != nil {
		return fmt.Errorf("the request's configuration cannot be logged: %w", err)
	}
	return nil
}

// checkTools holds tools to what a header can record.
func checkTools(tools []msg.Tool) error {
	for _, t := range tools {
		if _, err := canon.ParseCanonical(t.Raw()); err != nil {
			return fmt.Errorf("tool %q cannot be logged: %w", t.Name, err)
		}
	}
	return nil
}
