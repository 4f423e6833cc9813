package config

import (
	"errors"
	"fmt"

	"github.com/dsh-hcl/dsh/config/diag"
)

// Secret is a value that is resolved only where it is used and never shown. It
// prints as "(sensitive)" in every format. The zero Secret is not set.
type Secret struct {
	resolve func() (string, []string, diag.List)
	at      diag.Range
	open    bool
}

// NewSecret returns a secret that resolve computes when Reveal is called.
// resolve must not put the value into its diagnostics.
func NewSecret(at diag.Range, resolve func() (string, diag.List)) Secret {
	return NewComposed(at, func() (string, []string, diag.List) {
		v, problems := resolve()
		return v, nil, problems
	})
}

// NewComposed is NewSecret for a secret that is made of others, which resolve
// returns as well: the token of "Bearer TOKEN".
func NewComposed(at diag.Range, resolve func() (value string, parts []string, problems diag.List)) Secret {
	return Secret{resolve: resolve, at: at}
}

// Open returns the secret as a value that everybody may see: it was kept back only
// because its neighbours are secret.
func (s Secret) Open() Secret {
	s.open = true
	return s
}

// IsSensitive reports whether the value must not be seen, which holds for every
// Secret but those that were made by Open.
func (s Secret) IsSensitive() bool { return s.IsSet() && !s.open }

// IsSet reports whether the configuration gives the secret.
func (s Secret) IsSet() bool { return s.resolve != nil }

// At is the place of the secret's expression.
func (s Secret) At() diag.Range { return s.at }

// Reveal computes the value. Call it where the value is handed to a process or a
// connection, and keep it nowhere. An unset environment variable is a diagnostic
// with the position.
func (s Secret) Reveal() (string, diag.List) {
	v, _, problems := s.RevealParts()
	return v, problems
}

// RevealParts is Reveal that also returns the sensitive values which the secret was
// made of, so that they can be hidden where the whole is.
func (s Secret) RevealParts() (value string, parts []string, problems diag.List) {
	if s.resolve == nil {
		return "", nil, nil
	}
	return s.resolve()
}

// Format implements fmt.Formatter; every verb prints "(sensitive)".
func (s Secret) Format(f fmt.State, _ rune) { fmt.Fprint(f, "(sensitive)") }

// MarshalJSON refuses, so that no encoder writes a secret by accident.
func (s Secret) MarshalJSON() ([]byte, error) {
	return nil, errors.New("a secret has no JSON form")
}
