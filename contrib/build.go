// Package contrib makes the contributors a configuration declares: one file per
// kind, one table of kinds. What a contributor yields is decided when a session
// starts or resumes, not when the configuration is loaded, so a file is read
// then, as raw bytes. The package promises that declaration order is wire order,
// that a contributor with nothing to say leaves no trace, and that no content
// goes beyond its max_bytes.
//
// Every kind's content takes one way:
//
//  1. line endings, where the kind or newlines = "lf" says so
//  2. content that is empty or only white space yields no message, whatever its size
//  3. content above max_bytes is an error or is cut, as oversize says
//  4. the envelope goes around what is left
package contrib

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/config/diag"
	"github.com/dsh-hcl/dsh/engine/msg"
)

// Files reads what a configuration may read: the whole file at an absolute path,
// or an error when it is larger than max bytes. An absent file is fs.ErrNotExist.
type Files interface {
	ReadFile(path string, max int64) ([]byte, error)
}

// source computes the content of a contributor. It runs once per composition.
type source func() (string, error)

// kinds is every kind of contributor there is.
var kinds = [...]struct {
	kind   config.Kind
	source func(config.Contributor, Files) source
}{
	{config.KindText, text},
	{config.KindFile, file},
	{config.KindTemplate, template},
}

// Build makes the contributors of a system or prefix block, in the order in which
// they are declared; those with when = false are left out. Nothing is read before
// they run. list is not kept. An error is a value that loading a configuration
// would have refused.
//
// Contributors fail with *Error, which has the code INVALID_PREFIX, or, when
// declared on_error = "skip", leave a msg.Skip behind.
func Build(list []config.Contributor, files Files) ([]msg.Contributor, error) {
	var out []msg.Contributor
	for _, c := range list {
		if err := check(c); err != nil {
			return nil, &Error{Address: c.Address, At: c.At, Err: err}
		}
		if !c.When.V {
			continue
		}
		// A path need not be UTF-8, and records are.
		c.Origin = strings.ToValidUTF8(c.Origin, "\uFFFD")
		content := sourceOf(c, files)
		out = append(out, msg.Prepend(c.Address, c.Origin, func(context.Context) ([]msg.Message, *msg.Skip, error) {
			return run(c, content)
		}))
	}
	return out, nil
}

func sourceOf(c config.Contributor, files Files) source {
	for _, k := range kinds {
		if k.kind == c.Kind {
			return k.source(c, files)
		}
	}
	panic("contrib: kind was not checked")
}

func known(kind config.Kind) bool {
	for _, k := range kinds {
		if k.kind == kind {
			return true
		}
	}
	return false
}

// check holds a contributor to the values that the rest of the package takes for
// granted.
func check(c config.Contributor) error {
	if !known(c.Kind) {
		return fmt.Errorf("unknown kind %q", string(c.Kind))
	}
	for _, a := range [...]struct {
		name, value string
		allowed     []string
	}{
		{"role", c.Role.V, []string{"user", "assistant"}},
		{"on_error", c.OnError.V, []string{"fail", "skip"}},
		{"oversize", c.Oversize.V, []string{"error", "head", "tail", "middle"}},
		{"newlines", c.Newlines.V, []string{"keep", "lf", ""}}, // "" is a kind without the attribute
	} {
		if !slices.Contains(a.allowed, a.value) {
			return fmt.Errorf("%s is %q", a.name, a.value)
		}
	}
	if c.MaxBytes.V < 0 {
		return fmt.Errorf("max_bytes is %d", c.MaxBytes.V)
	}
	return nil
}

// run computes the messages of one contributor: one or none.
func run(c config.Contributor, content source) ([]msg.Message, *msg.Skip, error) {
	message, ok, err := render(c, content)
	switch {
	case err != nil && c.OnError.V == "skip":
		return nil, &msg.Skip{Address: c.Address, Reason: err.Error()}, nil
	case err != nil:
		return nil, nil, &Error{Address: c.Address, At: c.At, Err: err}
	case !ok:
		return nil, nil, nil
	}
	return []msg.Message{message}, nil, nil
}

func render(c config.Contributor, content source) (m msg.Message, ok bool, err error) {
	text, err := content()
	if err != nil {
		return m, false, err
	}
	if at := invalidUTF8(text); at >= 0 {
		return m, false, &EncodingError{Origin: c.Origin, Offset: at}
	}
	if blank(text) {
		return m, false, nil
	}
	if max := c.MaxBytes.V; max > 0 && len(text) > max {
		if c.Oversize.V == "error" {
			return m, false, &OversizeError{Size: len(text), Limit: max}
		}
		if text = cut(text, max, c.Oversize.V); blank(text) {
			return m, false, nil
		}
	}
	m, err = msg.NewMessage(msg.Role(c.Role.V), msg.Text{Text: wrap(c.Envelope.V, text)})
	return m, err == nil, err
}

// Error is a contributor that failed, with its address and the place of its block.
type Error struct {
	Address string
	At      diag.Range
	Err     error
}

func (e *Error) Error() string { return e.Address + ": " + e.Err.Error() }

// Unwrap returns the cause: *OversizeError, *EncodingError, *diag.ListError of a
// template, or what Files returned.
func (e *Error) Unwrap() error { return e.Err }

// StableCode implements the interface msg.CodeOf looks for.
func (e *Error) StableCode() string { return msg.CodeInvalidPrefix }

// OversizeError is content above its max_bytes with oversize = "error". Both
// numbers are bytes of content, the envelope not counted.
type OversizeError struct{ Size, Limit int }

func (e *OversizeError) Error() string {
	return fmt.Sprintf("content is %d bytes, max_bytes is %d", e.Size, e.Limit)
}

// EncodingError is content that is not UTF-8. Offset is that of the first byte
// that belongs to no character, from the start of the file or text.
type EncodingError struct {
	Origin string
	Offset int
}

func (e *EncodingError) Error() string {
	return fmt.Sprintf("%s is not UTF-8: byte %d belongs to no character", e.Origin, e.Offset)
}
