package openai

import (
	"context"
	"fmt"
	"iter"
	"net/http"

	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/provider"
	"github.com/dsh-hcl/dsh/engine/provider/exchange"
)

// Client is a provider.Client. It is safe for concurrent use.
type Client struct{ access exchange.Access }

// New returns a client. Its dialect is "openai", "deepseek" or "", which is "openai".
// Nothing is resolved or connected before the first request; what cannot work is
// reported by that.
func New(a exchange.Access) *Client { return &Client{access: a} }

// Stream implements provider.Client.
func (c *Client) Stream(ctx context.Context, body provider.Body) iter.Seq2[msg.Chunk, error] {
	switch c.access.Dialect {
	case "", "openai", "deepseek":
	default:
		return func(yield func(msg.Chunk, error) bool) {
			yield(nil, &provider.Error{Code: provider.CodeInvalidRequest,
				Message: fmt.Sprintf("dialect %q is not known; it is openai or deepseek", c.access.Dialect)})
		}
	}
	return exchange.Stream(ctx, protocol(), c.access, body)
}

func protocol() exchange.Protocol {
	return exchange.Protocol{
		Path: []string{"chat", "completions"},
		Prepare: func(h http.Header, key string) {
			if key != "" {
				h.Set("Authorization", "Bearer "+key)
			}
		},
		End: "[DONE]", Done: true,
		Decoder: func(f *exchange.Failure, emit func(msg.Chunk) error) exchange.Decoder {
			return &decoder{Failure: f, emit: emit}
		},
	}
}
