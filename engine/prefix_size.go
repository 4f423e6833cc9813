package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/dsh-hcl/dsh/engine/meter"
	"github.com/dsh-hcl/dsh/engine/msg"
)

// PrefixTooLargeError says that the messages of a prefix have more tokens than its
// max_tokens allows.
type PrefixTooLargeError struct {
	Limit, Tokens meter.Tokens
	Exact         bool   // the texts were counted, not estimated
	Tokenizer     string // the exact one, or the family of the estimate
	Parts         []PrefixPart
}

// PrefixPart is what one contributor put into a prefix.
type PrefixPart struct {
	Address string
	Tokens  meter.Tokens
}

// Error lists the contributors, the largest first.
func (e *PrefixTooLargeError) Error() string {
	how := "estimated for " + e.Tokenizer
	if e.Exact {
		how = "counted with " + e.Tokenizer
	}
	parts := make([]string, len(e.Parts))
	for i, p := range e.Parts {
		parts[i] = fmt.Sprintf("%s %d", p.Address, p.Tokens)
	}
	return fmt.Sprintf("the prefix has %d tokens, %s, and max_tokens allows %d: %s", e.Tokens, how, e.Limit, strings.Join(parts, ", "))
}

// StableCode returns the error's code.
func (e *PrefixTooLargeError) StableCode() string { return msg.CodeInvalidPrefix }

// checkSize holds a prefix to its limit. Errors: *PrefixTooLargeError.
func (a *Agent) checkSize(pieces []msg.Piece) error {
	if a.maxPrefix == 0 {
		return nil
	}
	e := &PrefixTooLargeError{Limit: a.maxPrefix, Exact: a.estimator.Exact(), Tokenizer: a.estimator.Family()}
	for _, p := range pieces {
		n := a.estimator.Message(p.Message)
		e.Tokens += n
		i := slices.IndexFunc(e.Parts, func(o PrefixPart) bool { return o.Address == p.Address })
		if i < 0 {
			i = len(e.Parts)
			e.Parts = append(e.Parts, PrefixPart{Address: p.Address})
		}
		e.Parts[i].Tokens += n
	}
	if e.Tokens <= e.Limit {
		return nil
	}
	slices.SortStableFunc(e.Parts, func(a, b PrefixPart) int { return cmp.Compare(b.Tokens, a.Tokens) })
	return e
}
