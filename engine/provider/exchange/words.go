package exchange

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/provider"
)

// Words is what a provider said about a failure, fit to be shown.
type Words struct {
	Message, Code string
	Kind          string // error type, or "" where Code holds it
	Status        int    // HTTP status within a stream, 0 when none was told
}

// readWords finds the message in the body of a refusal, whatever its shape. cut
// says that text is only the beginning of the body.
func readWords(text string, cut bool, secrets provider.Secrets) Words {
	if v, err := canon.Parse(text); err == nil {
		if v.Kind() == canon.ArrayKind { // Gemini wraps the object into an array
			for v = range v.Elements() {
				break
			}
		}
		if w := ErrorWords(v, secrets); w.Message != "" || w.Code != "" {
			return w
		}
		if text, err = canon.Canonical(v); err != nil {
			return Words{}
		}
	}
	if trimmed := strings.TrimSpace(text); strings.HasPrefix(trimmed, "<") {
		lower := strings.ToLower(trimmed)
		at, end := strings.Index(lower, "<title>"), strings.Index(lower, "</title>")
		if at < 0 || end < at || len(lower) != len(trimmed) {
			return Words{Message: "a page of HTML"}
		}
		text, cut = "a page of HTML titled "+trimmed[at+len("<title>"):end], false
	}
	return Words{Message: secrets.Excerpt(text, cut)}
}

// ErrorWords reads an error object, or an object with a member error.
func ErrorWords(v canon.Value, secrets provider.Secrets) Words {
	if e := v.Get("error"); e.Kind() == canon.ObjectKind {
		v = e
	} else if s, ok := e.Text(); ok {
		return Words{Message: secrets.Excerpt(s, false)}
	}
	shown := func(names ...string) string {
		for _, name := range names {
			m := v.Get(name)
			s, _ := m.Text()
			switch m.Kind() {
			case canon.Number, canon.ArrayKind, canon.ObjectKind:
				// Canonical, so that a secret is spelt in the one way that is known.
				s, _ = canon.Canonical(m)
			}
			if s = secrets.Excerpt(s, false); s != "" {
				return s
			}
		}
		return ""
	}
	w := Words{Message: shown("message", "detail", "msg"), Code: shown("code"), Kind: shown("type")}
	if n, err := strconv.Atoi(w.Code); err == nil && n >= 400 && n < 600 {
		w.Code, w.Status = "", n
	}
	if w.Code == "" {
		w.Code, w.Kind = w.Kind, ""
	}
	return w
}

// overflow are the ways in which providers say that a request is longer than what
// the model reads, in lower case.
var overflow = [...]string{
	"context_length_exceeded", "context_window_exceeded", "exceed_context_size", // codes
	"maximum context length", "maximum prompt length", "maximum model length",
	"prompt is too long", "input is too long", "context window exceeds",
	"exceeds the context window", "exceeds the available context", "exceed context limit",
	"exceeds the maximum number of tokens", "exceeded model token limit",
	"range of input length should be", "reduce the length of the messages",
}

// overflows reports whether the provider says that the request is too long.
func (w Words) overflows() bool {
	text := strings.ToLower(w.Code + " " + w.Kind + " " + w.Message)
	for _, phrase := range overflow {
		if strings.Contains(text, phrase) {
			return true
		}
	}
	return false
}

// Classify returns the stable code of a refusal with that HTTP status.
func (w Words) Classify(status int) string {
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return provider.CodeAuth
	case status == http.StatusTooManyRequests:
		return provider.CodeRateLimited
	case w.overflows():
		return provider.CodeContextWindow
	case status == http.StatusRequestTimeout:
		return provider.CodeTimeout
	case status >= 500:
		return provider.CodeUnavailable
	}
	return provider.CodeInvalidRequest
}

// Streamed returns the stable code of an error within a stream, whose HTTP status was
// a success.
func (w Words) Streamed() string {
	if w.Status != 0 {
		return w.Classify(w.Status)
	}
	text := strings.ToLower(w.Code + " " + w.Kind)
	has := func(parts ...string) bool {
		for _, p := range parts {
			if strings.Contains(text, p) {
				return true
			}
		}
		return false
	}
	switch {
	case w.overflows():
		return provider.CodeContextWindow
	case has("rate_limit", "quota"):
		return provider.CodeRateLimited
	case has("api_key", "authentication", "permission"):
		return provider.CodeAuth
	case has("content_filter", "content_policy"):
		return provider.CodeContentFilter
	case has("invalid_request", "invalid_prompt"):
		return provider.CodeInvalidRequest
	}
	return provider.CodeUnavailable
}
