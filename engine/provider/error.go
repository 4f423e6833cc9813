package provider

import (
	"crypto/tls"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/dsh-hcl/dsh/engine/msg"
)

// Stable codes of failed requests. A code never changes its meaning.
const (
	CodeAuth           = "AUTH"                 // the provider refused the credentials
	CodeRateLimited    = "RATE_LIMITED"         // too many requests or tokens in a time
	CodeContextWindow  = msg.CodeContextWindow  // the request is longer than the model reads
	CodeInvalidRequest = "INVALID_REQUEST"      // the provider refused the request as it is
	CodeUnavailable    = "PROVIDER_UNAVAILABLE" // the provider failed
	CodeUnreachable    = "UNREACHABLE"          // no answer: name, connection, TLS
	CodeStreamCut      = "STREAM_CUT"           // the answer ended before its end
	CodeBadResponse    = "BAD_RESPONSE"         // the answer is not what the protocol says
	CodeTimeout        = msg.CodeTimeout        // no header in time, or silence in a stream
	CodeContentFilter  = "CONTENT_FILTER"       // the provider withheld the answer
)

// Error is a request that failed. No field holds a credential.
type Error struct {
	Code         string // stable code, one of the constants
	Status       int    // HTTP status, 0 when there was no response
	Endpoint     string // host and path of the endpoint
	Message      string // the whole story in one line: endpoint, status, Provider
	Provider     string // the provider's own message, cut to MaxProviderText bytes, or ""
	ProviderCode string // the provider's own code, or ""
	Err          error  // cause, or nil
	// RetryAfter is how long the provider asks to wait, 0 when it does not say.
	RetryAfter time.Duration
}

// statusOverloaded is how some providers say that they have too much to do.
const statusOverloaded = 529

// Passing reports whether the same request may succeed a moment later: no connection,
// no response in time, or a status that tells of a passing state. A certificate that
// is not trusted, a server without TLS and a spent quota do not pass.
func (e *Error) Passing() bool {
	switch e.Code {
	case CodeUnreachable:
		var untrusted *tls.CertificateVerificationError
		var noTLS tls.RecordHeaderError
		return !errors.As(e.Err, &untrusted) && !errors.As(e.Err, &noTLS)
	case CodeTimeout, CodeRateLimited, CodeUnavailable:
	default:
		return false
	}
	switch e.Status {
	case 0:
		return e.Code == CodeTimeout
	case http.StatusRequestTimeout, http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable,
		http.StatusGatewayTimeout, statusOverloaded:
		return true
	case http.StatusTooManyRequests:
		return !strings.Contains(e.ProviderCode, "insufficient_quota")
	}
	return false
}

// Error returns Message.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// StableCode implements the interface that msg.CodeOf looks for.
func (e *Error) StableCode() string { return e.Code }
