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
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/config/diag"
	"github.com/dsh-hcl/dsh/config/prompt"
	"github.com/dsh-hcl/dsh/engine/msg"
)

// Options are what contributors need of what surrounds them.
type Options struct {
	Files prompt.Files
	// Workspace and Config are the folders, absolute, that the model is told paths of
	// files in: the first that a file lies in.
	Workspace, Config string
	// Run runs the command of a contributor.
	Run func(context.Context, config.Contributor) Ran
}

// shown is how the model is told the path of a file.
func (o Options) shown(path string) string { return prompt.Shown(path, o.Workspace, o.Config) }

// content is what becomes one message: text behind an intro, which is never cut.
// Origin and role are those of the contributor where they are "".
type content struct{ intro, text, origin, role string }

// source computes the contents of a contributor. It runs once per composition; ctx
// is cancelled with the turn.
type source func(ctx context.Context) ([]content, error)

// one is the source of a contributor with a single content.
func one(text func() (string, error)) source {
	return func(context.Context) ([]content, error) {
		s, err := text()
		return []content{{text: s}}, err
	}
}

// kinds is every kind of contributor there is.
var kinds = [...]struct {
	kind   config.Kind
	source func(config.Contributor, Options) source
}{
	{config.KindText, text},
	{config.KindFile, file},
	{config.KindTemplate, template},
	{config.KindMessages, messages},
	{config.KindFiles, files},
	{config.KindInstructions, instructions},
	{config.KindCommand, command},
	{config.KindSkills, skills},
}

// Build makes the contributors of a system or prefix block, in the order in which
// they are declared; those with when = false are left out. Nothing is read before
// they run. list is not kept. An error is a value that loading a configuration
// would have refused.
//
// Contributors fail with *Error, which has the code INVALID_PREFIX, or, when
// declared on_error = "skip", leave a msg.Skip behind.
func Build(list []config.Contributor, o Options) ([]msg.Contributor, error) {
	var out []msg.Contributor
	for _, c := range list {
		if err := check(c); err != nil {
			return nil, &Error{Address: c.Address, At: c.At, Err: err}
		}
		if !c.When.V {
			continue
		}
		contents := sourceOf(c, o)
		out = append(out, msg.PrependPieces(c.Address, func(ctx context.Context) ([]msg.Piece, *msg.Skip, error) {
			return run(ctx, c, contents)
		}))
	}
	return out, nil
}

func sourceOf(c config.Contributor, o Options) source {
	for _, k := range kinds {
		if k.kind == c.Kind {
			return k.source(c, o)
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
	if c.MaxFileBytes.V < 0 {
		return fmt.Errorf("max_file_bytes is %d", c.MaxFileBytes.V)
	}
	return nil
}

// run computes the pieces of one contributor, in order. One that fails yields none.
func run(ctx context.Context, c config.Contributor, from source) ([]msg.Piece, *msg.Skip, error) {
	pieces, err := render(ctx, c, from)
	switch {
	case err != nil && ctx.Err() == nil && c.OnError.V == "skip":
		return nil, &msg.Skip{Address: c.Address, Reason: err.Error()}, nil
	case err != nil:
		return nil, nil, &Error{Address: c.Address, At: c.At, Err: err}
	}
	return pieces, nil, nil
}

func render(ctx context.Context, c config.Contributor, from source) ([]msg.Piece, error) {
	contents, err := from(ctx)
	if err != nil {
		return nil, err
	}
	var out []msg.Piece
	for _, one := range contents {
		one.origin, one.role = cmp.Or(one.origin, c.Origin), cmp.Or(one.role, c.Role.V)
		// A path need not be UTF-8, and records are.
		one.origin = strings.ToValidUTF8(one.origin, "\uFFFD")
		text, err := bounded(c, one)
		if err != nil {
			return nil, err
		}
		if text == "" {
			continue
		}
		m, err := msg.NewMessage(msg.Role(one.role), msg.Text{Text: wrap(c.Envelope.V, text)})
		if err != nil {
			return nil, err
		}
		out = append(out, msg.Piece{Origin: one.origin, Message: m})
	}
	return out, nil
}

// bounded is what of a content becomes a message, without its envelope: "" for
// nothing.
func bounded(c config.Contributor, from content) (string, error) {
	text := from.text
	if err := checkText(from.origin, text); err != nil {
		return "", err
	}
	if blank(text) {
		return "", nil
	}
	whole := len(from.intro) + len(text)
	max := c.MaxBytes.V
	switch {
	case max == 0 || whole <= max:
		return from.intro + text, nil
	case c.Oversize.V == "error":
		return "", &OversizeError{Size: whole, Limit: max, Of: "max_bytes"}
	case len(from.intro) >= max:
		from.intro = ""
	}
	if room := max - len(from.intro); len(text) > room {
		text = cut(text, room, c.Oversize.V)
	}
	if blank(text) {
		return "", nil
	}
	return from.intro + text, nil
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

// OversizeError is content above its limit with oversize = "error". Both numbers are
// bytes of content, the envelope not counted. Of names the limit; Origin is the file
// that a limit of files is about, "" for one of all content.
type OversizeError struct {
	Size, Limit int
	Of, Origin  string
}

func (e *OversizeError) Error() string {
	what := "content"
	if e.Origin != "" {
		what = e.Origin
	}
	return fmt.Sprintf("%s is %d bytes, %s is %d", what, e.Size, e.Of, e.Limit)
}

// EncodingError is content that is not UTF-8, or that holds a NUL character. Offset
// is that of the first byte that belongs to no character, or of the NUL character,
// from the start of the file or text.
type EncodingError struct {
	Origin string
	Offset int
	NUL    bool
}

func (e *EncodingError) Error() string {
	if e.NUL {
		return fmt.Sprintf("%s holds a NUL character at byte %d", e.Origin, e.Offset)
	}
	return fmt.Sprintf("%s is not UTF-8: byte %d belongs to no character", e.Origin, e.Offset)
}
