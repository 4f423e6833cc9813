package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/header"
	"github.com/dsh-hcl/dsh/engine/msg"
)

// Frozen is a composed, validated and sealed system text and prefix.
type Frozen struct {
	System  string
	Prefix  header.Prefix
	Sources header.Sources
	Skipped []event.ContributorSkipped
	// Drift and Reused are those of the header event (docs/format/header.md).
	Drift  []header.Change
	Reused bool
}

// Freeze runs the contributors of system and prefix once, checks what they made
// and seals it. A contributor that panics is an error. Errors have a stable
// code: that of the contributor, or INVALID_PREFIX, as *PrefixTooLargeError has.
func (a *Agent) Freeze(ctx context.Context) (Frozen, error) {
	system, err := compose(ctx, a.system)
	if err != nil {
		return Frozen{}, fmt.Errorf("system: %w", err)
	}
	prefix, err := compose(ctx, a.prefix)
	if err != nil {
		return Frozen{}, fmt.Errorf("prefix: %w", err)
	}
	var f Frozen
	var parts []string
	for _, p := range system.Pieces {
		text := p.Message.Content.Text()
		if text == "" {
			continue
		}
		parts = append(parts, text)
		f.Sources.System = append(f.Sources.System, source(p, text))
	}
	f.System = strings.Join(parts, "\n\n")
	var messages []msg.Message
	for _, p := range prefix.Pieces {
		if err := checkPiece(p); err != nil {
			return Frozen{}, err
		}
		messages = append(messages, p.Message)
		f.Sources.Prefix = append(f.Sources.Prefix, source(p, p.Message.Raw()))
	}
	if err := a.checkSize(prefix.Pieces); err != nil {
		return Frozen{}, err
	}
	f.Prefix = header.Seal(messages)
	for _, s := range append(system.Skipped, prefix.Skipped...) {
		f.Skipped = append(f.Skipped, event.ContributorSkipped{Address: s.Address, Reason: s.Reason})
	}
	return f, nil
}

func compose(ctx context.Context, contributors []msg.Contributor) (c msg.Composition, err error) {
	defer contain(&err)
	return msg.Compose(ctx, contributors)
}

// checkPiece holds a prefix message to what every provider accepts.
func checkPiece(p msg.Piece) error {
	switch {
	case p.Message.Role != msg.RoleUser && p.Message.Role != msg.RoleAssistant:
		return &msg.Error{Code: msg.CodeInvalidPrefix, Message: fmt.Sprintf("prefix: %s: role %q is neither user nor assistant", p.Address, p.Message.Role)}
	case p.Message.Content.IsEmpty():
		return &msg.Error{Code: msg.CodeInvalidPrefix, Message: fmt.Sprintf("prefix: %s: message without content", p.Address)}
	}
	return nil
}

func source(p msg.Piece, text string) header.Source {
	sum := sha256.Sum256([]byte(text))
	return header.Source{Address: p.Address, Origin: p.Origin, Bytes: int64(len(text)), SHA256: hex.EncodeToString(sum[:])}
}

// contain turns a panic of code that the engine does not own into an error.
func contain(err *error) {
	if r := recover(); r != nil {
		*err = &msg.Error{Code: msg.CodeUnknown, Message: fmt.Sprintf("panic: %v", r)}
	}
}
