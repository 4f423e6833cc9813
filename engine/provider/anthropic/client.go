// Package anthropic speaks the messages protocol of Anthropic and of everybody who
// answers like it: one POST, an answer as named server-sent events. Reasoning keeps
// the signature that the service wants back with it. How the exchange goes is in
// package exchange.
package anthropic

import (
	"context"
	"fmt"
	"iter"
	"net/http"

	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/provider"
	"github.com/dsh-hcl/dsh/engine/provider/exchange"
)

// Version is the version of the protocol, as its header states it.
const Version = "2023-06-01"

// Client is a provider.Client. It is safe for concurrent use.
type Client struct{ access exchange.Access }

// New returns a client; its dialect is "anthropic" or "". Nothing is resolved or
// connected before the first request; what cannot work is reported by that.
func New(a exchange.Access) *Client { return &Client{access: a} }

// Stream implements provider.Client.
func (c *Client) Stream(ctx context.Context, body provider.Body) iter.Seq2[msg.Chunk, error] {
	if d := c.access.Dialect; d != "" && d != "anthropic" {
		return func(yield func(msg.Chunk, error) bool) {
			yield(nil, &provider.Error{Code: provider.CodeInvalidRequest, Message: fmt.Sprintf("dialect %q is not known; protocol anthropic has one only", d)})
		}
	}
	return exchange.Stream(ctx, protocol(), c.access, body)
}

func protocol() exchange.Protocol {
	return exchange.Protocol{
		Path: []string{"v1", "messages"},
		Prepare: func(h http.Header, key string) {
			h.Set("Anthropic-Version", Version)
			if key != "" {
				h.Set("X-Api-Key", key)
			}
		},
		End: "message_stop",
		Decoder: func(f *exchange.Failure, emit func(msg.Chunk) error) exchange.Decoder {
			return &decoder{Failure: f, emit: emit}
		},
	}
}
