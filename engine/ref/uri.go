package ref

import (
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/dsh-hcl/dsh/engine/canon"
)

// Scheme begins the address of a session, letter case included.
const Scheme = "dsh-session:"

// EncodeURI returns the address of a session id: the scheme and the URL-safe base64
// of the id as a JSON string. Every id has exactly one. Errors: *Error with
// CodeInvalidReference for an id that is not UTF-8 (spec/references.md section 2).
func EncodeURI(id string) (string, error) {
	if err := canon.CheckText(id); err != nil {
		return "", &Error{CodeInvalidReference, "a session id is UTF-8 text", err}
	}
	return encodeURI(id), nil
}

func encodeURI(id string) string {
	return Scheme + base64.RawURLEncoding.EncodeToString([]byte(canon.Quote(id)))
}

// DecodeURI returns the id of an address. Whatever is not exactly what EncodeURI
// writes is refused. Errors: *Error with CodeInvalidReference.
func DecodeURI(uri string) (string, error) {
	refuse := func(why string, cause error) (string, error) {
		return "", &Error{CodeInvalidReference, fmt.Sprintf("%s is no address of a session: %s", canon.Quote(canon.ValidText(uri)), why), cause}
	}
	payload, ok := strings.CutPrefix(uri, Scheme)
	if !ok || payload == "" || base64Run(payload) != len(payload) {
		return refuse("it is "+Scheme+" and then letters, digits, - and _", nil)
	}
	raw, err := base64.RawURLEncoding.DecodeString(payload)
	if err != nil {
		return refuse("it is not base64", err)
	}
	v, err := canon.ParseCanonical(string(raw))
	if err == nil {
		if id, ok := v.Text(); ok && canon.CheckText(id) == nil && encodeURI(id) == uri {
			return id, nil
		}
	}
	return refuse("it does not hold an id as it is written", err)
}

// base64Run is how many bytes at the beginning of s belong to the URL-safe alphabet.
func base64Run(s string) int {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '_' {
			continue
		}
		return i
	}
	return len(s)
}
