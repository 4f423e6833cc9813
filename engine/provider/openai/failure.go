package openai

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

// failure makes the errors of one request: it knows what every one of them names
// and what none may show.
type failure struct {
	endpoint   string // host and path
	secrets    provider.Secrets
	authorised bool // something was sent that could be a credential
	httpStatus int  // 0 until there is a response
}

// fail returns an error that tells: endpoint, text, then the provider's words.
func (f *failure) fail(code, text string, said words) *provider.Error {
	e := &provider.Error{
		Code: code, Status: f.httpStatus, Endpoint: f.endpoint,
		Provider: said.message, ProviderCode: said.code,
		Message: f.endpoint + ": " + text,
	}
	if said.message != "" {
		e.Message += ": " + said.message
	}
	if said.code != "" && !strings.Contains(said.message, said.code) {
		e.Message += " (" + said.code + ")"
	}
	return e
}

// bad is an answer that the protocol does not allow.
func (f *failure) bad(format string, args ...any) *provider.Error {
	return f.fail(provider.CodeBadResponse, fmt.Sprintf(format, args...), words{})
}

// ended returns why ctx is done, nil while it is not: the caller's cause as it is,
// or the time limit that was reached.
func (f *failure) ended(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	cause := context.Cause(ctx)
	if late, ok := cause.(*overdue); ok {
		return f.fail(provider.CodeTimeout, late.Error(), words{})
	}
	return cause
}

// broken explains an error of the connection. What ended the context comes before
// what the connection says about it.
func (f *failure) broken(ctx context.Context, code, text string, err error) error {
	if ended := f.ended(ctx); ended != nil {
		return ended
	}
	e := f.fail(code, text+": "+f.secrets.Excerpt(err.Error(), false), words{})
	// The text of a connection's error can repeat what the other side sent.
	if f.secrets.Hide(err.Error()) == err.Error() {
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
			to = a.secrets.Excerpt(u.Host+u.EscapedPath(), false)
		}
		return a.bad("%s: redirects to %s, which is not followed; correct base_url", text, to)
	}
	raw, err := io.ReadAll(io.LimitReader(a.body, maxErrorBody))
	// A body that stalls does not hide the status; a cancellation does.
	if _, late := context.Cause(ctx).(*overdue); err != nil && ctx.Err() != nil && !late {
		return context.Cause(ctx)
	}
	said := readWords(string(raw), len(raw) == maxErrorBody || err != nil, a.secrets)
	code := classify(a.httpStatus, said)
	e := a.fail(code, text, said)
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
