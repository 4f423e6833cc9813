package provider

import (
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
}

// Error returns Message.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// StableCode implements the interface that msg.CodeOf looks for.
func (e *Error) StableCode() string { return e.Code }
