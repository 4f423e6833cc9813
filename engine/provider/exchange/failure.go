package exchange

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/dsh-hcl/dsh/engine/provider"
)

// maxErrorBody bounds, in bytes, how much of the body of a refusal is read.
const maxErrorBody = 64 << 10

// Failure makes the errors of one request: it knows what every one of them names
// and what none may show.
type Failure struct {
	Endpoint   string           // host and path
	Secrets    provider.Secrets // of the request
	Events     int              // of the stream that were read, the one under way included
	authorised bool             // something was sent that could be a credential
	httpStatus int              // 0 until there is a response
}

// Fail returns an error that tells: endpoint, text, then the provider's words.
func (f *Failure) Fail(code, text string, said Words) *provider.Error {
	e := &provider.Error{
		Code: code, Status: f.httpStatus, Endpoint: f.Endpoint,
		Provider: said.Message, ProviderCode: said.Code,
		Message: f.Endpoint + ": " + text,
	}
	if said.Message != "" {
		e.Message += ": " + said.Message
	}
	if said.Code != "" && !strings.Contains(said.Message, said.Code) {
		e.Message += " (" + said.Code + ")"
	}
	return e
}

// Bad is an answer that the protocol does not allow.
func (f *Failure) Bad(format string, args ...any) *provider.Error {
	return f.Fail(provider.CodeBadResponse, fmt.Sprintf(format, args...), Words{})
}

// ended returns why ctx is done, nil while it is not: the caller's cause as it is,
// or the time limit that was reached.
func (f *Failure) ended(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	cause := context.Cause(ctx)
	if late, ok := cause.(*overdue); ok {
		return f.Fail(provider.CodeTimeout, late.Error(), Words{})
	}
	return cause
}

// broken explains an error of the connection. What ended the context comes before
// what the connection says about it.
func (f *Failure) broken(ctx context.Context, code, text string, err error) error {
	if ended := f.ended(ctx); ended != nil {
		return ended
	}
	e := f.Fail(code, text+": "+f.Secrets.Excerpt(err.Error(), false), Words{})
	// The text of a connection's error can repeat what the other side sent.
	if f.Secrets.Hide(err.Error()) == err.Error() {
		e.Err = err
	}
	return e
}

// refused explains a response whose status is not a success.
func (a *answer) refused(ctx context.Context) error {
	a.httpStatus = a.resp.StatusCode
	text := fmt.Sprintf("HTTP %d", a.httpStatus)
	if name := http.StatusText(a.httpStatus); name != "" {
		text += " " + name
	}
	if a.httpStatus < 400 {
		// A redirect is never followed: the credentials are for this host.
		to := "nowhere"
		if u, err := url.Parse(a.resp.Header.Get("Location")); err == nil && u.Path != "" {
			to = a.Secrets.Excerpt(u.Host+u.EscapedPath(), false)
		}
		return a.Bad("%s: redirects to %s, which is not followed; correct base_url", text, to)
	}
	raw, err := io.ReadAll(io.LimitReader(a.body, maxErrorBody))
	// A body that stalls does not hide the status; a cancellation does.
	if _, late := context.Cause(ctx).(*overdue); err != nil && ctx.Err() != nil && !late {
		return context.Cause(ctx)
	}
	said := readWords(string(raw), len(raw) == maxErrorBody || err != nil, a.Secrets)
	code := said.Classify(a.httpStatus)
	e := a.Fail(code, text, said)
	e.RetryAfter = provider.RetryAfter(a.resp.Header, time.Now())
	switch {
	case code == provider.CodeAuth && !a.authorised:
		e.Message += "; no api_key is configured"
	case code == provider.CodeAuth:
		e.Message += "; check api_key"
	case a.httpStatus == http.StatusNotFound:
		e.Message += "; check base_url and the model's id"
	}
	return e
}

// Count says how many events were read.
func (f *Failure) Count() string {
	if f.Events == 1 {
		return "1 event"
	}
	return fmt.Sprintf("%d events", f.Events)
}
