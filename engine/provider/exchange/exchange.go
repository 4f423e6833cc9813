package exchange

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"time"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/provider"
)

// Access says how a provider is reached.
type Access struct {
	// BaseURL is an absolute http or https URL without credentials; requests go to
	// the protocol's path below its path. A query is kept.
	BaseURL string
	// Dialect is that of the protocol, "" for its own. It shapes bodies, not answers, of
	// which the union is read; a client refuses one that it does not know, for nobody has
	// made sure that its answers can be read.
	Dialect string
	// APIKey resolves the key anew for every request. nil and an empty key send
	// none. Its error ends the request as it is.
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

// Protocol is what the requests of one protocol have in common.
type Protocol struct {
	// Path is where requests go below the base URL.
	Path []string
	// Prepare sets the protocol's own headers, and the key unless that is "".
	Prepare func(h http.Header, key string)
	// End is what ends a stream, for those who read that it is missing. Done is set
	// when it is the data of an event and not for a Decoder to recognise.
	End  string
	Done bool
	// Decoder makes the decoder of one answer. emit hands out its chunks; an error of
	// emit ends the decoding at once and is returned as it is.
	Decoder func(f *Failure, emit func(msg.Chunk) error) Decoder
}

// Decoder turns one answer into chunks. Its errors end the answer: an *provider.Error,
// made by its Failure, or what emit returned.
type Decoder interface {
	// Event takes the next event of a stream; done says that it was the last one.
	Event(name string, v canon.Value) (done bool, err error)
	// Object takes an answer that is one object and no stream.
	Object(v canon.Value) error
	// Finish is called once, when the answer is whole: usage and finish go out.
	Finish() error
}

// errStopped says that the consumer left the loop.
var errStopped = errors.New("stopped")

// Stream makes one request whenever it is ranged over and yields what
// provider.Client.Stream does. Nothing is resolved or connected before.
func Stream(ctx context.Context, p Protocol, a Access, body provider.Body) iter.Seq2[msg.Chunk, error] {
	if a.UserAgent == "" {
		a.UserAgent = "dsh"
	}
	c := call{p, a}
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

// call is one request to be made.
type call struct {
	protocol Protocol
	opt      Access
}

// stream makes one request and emits its chunks. Errors of emit end it at once.
func (c *call) stream(ctx context.Context, body provider.Body, emit func(msg.Chunk) error) error {
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
	a := answer{Failure: fail, protocol: c.protocol, resp: resp, body: stream, cancel: cancel, emit: emit}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return a.refused(ctx)
	}
	return a.read(ctx)
}
