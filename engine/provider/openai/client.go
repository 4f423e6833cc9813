package openai

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"time"

	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/provider"
)

// Options say how to reach a provider.
type Options struct {
	// BaseURL is an absolute http or https URL without credentials; requests go to
	// chat/completions below its path. A query is kept.
	BaseURL string
	// Dialect is "openai", "deepseek" or "", which is "openai". It shapes bodies, not
	// answers, of which the union is read; one that is not known here is refused,
	// for nobody has made sure that its answers can be read.
	Dialect string
	// APIKey resolves the key anew for every request. nil and an empty key send no
	// Authorization. Its error ends the request as it is.
	APIKey func() (string, error)
	// Headers are added to every request and replace the client's own of the same
	// name. An error of a value ends the request as it is.
	Headers []Header
	// Hidden returns further texts that no error may show, such as the parts a
	// credential was made of. It is asked once the credentials were resolved; nil
	// stands for none.
	Hidden func() []string
	// HeaderTimeout is the longest wait for the head of the answer, connecting and
	// sending included. 0 waits for ever.
	HeaderTimeout time.Duration
	// IdleTimeout is the longest silence within an answer; every byte ends a
	// silence, those of comments included. The time the consumer takes does not
	// count. 0 waits for ever.
	IdleTimeout time.Duration
	// Transport carries the requests. It must end a blocked call or read when the
	// request's context is done, as net/http's does, and must not follow redirects.
	Transport http.RoundTripper
	// UserAgent names the program, "dsh" when empty.
	UserAgent string
}

// Header is one HTTP header. Its value counts as a secret.
type Header struct {
	Name  string
	Value func() (string, error)
}

// Client is a provider.Client. It is safe for concurrent use.
type Client struct{ opt Options }

// New returns a client. Nothing is resolved or connected before the first request;
// options that cannot work are reported by that.
func New(opt Options) *Client {
	if opt.UserAgent == "" {
		opt.UserAgent = "dsh"
	}
	return &Client{opt: opt}
}

// errStopped says that the consumer left the loop.
var errStopped = errors.New("stopped")

// Stream implements provider.Client.
func (c *Client) Stream(ctx context.Context, body provider.Body) iter.Seq2[msg.Chunk, error] {
	return func(yield func(msg.Chunk, error) bool) {
		err := c.stream(ctx, body, func(chunk msg.Chunk) error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if !yield(chunk, nil) {
				return errStopped
			}
			return nil
		})
		if err != nil && err != errStopped {
			yield(nil, err)
		}
	}
}

// stream makes one request and emits its chunks. Errors of emit end it at once.
func (c *Client) stream(ctx context.Context, body provider.Body, emit func(msg.Chunk) error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	// The time limits cancel ctx too; its cause tells who was first.
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	req, fail, err := c.request(ctx, body)
	if err != nil {
		return err
	}

	headerSeen := limit(c.opt.HeaderTimeout, "no response header within", cancel)
	resp, err := c.opt.Transport.RoundTrip(req)
	headerSeen()
	if err != nil {
		return fail.broken(ctx, provider.CodeUnreachable, "cannot be reached", err)
	}
	defer resp.Body.Close()
	stream := watch(resp.Body, c.opt.IdleTimeout, cancel)
	a := answer{failure: fail, resp: resp, body: stream, cancel: cancel, emit: emit}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return a.refused(ctx)
	}
	return a.read(ctx)
}
