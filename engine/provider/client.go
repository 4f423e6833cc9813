package provider

import (
	"context"
	"io"
	"iter"

	"github.com/dsh-hcl/dsh/engine/msg"
)

// Body is the body of a request, made once and sent as it is. It does not change
// while a client holds it.
type Body interface {
	// Len is the number of bytes a Reader yields.
	Len() int64
	// Reader returns a reader from the first byte on, a fresh one on each call,
	// so that a request can be sent again.
	Reader() io.Reader
}

// Client sends bodies to one provider in one protocol.
//
// Stream sends body when the sequence is ranged over, and again when it is ranged
// over again. It yields chunks, usage before finish and nothing after finish; or,
// as its last pair, a nil chunk with an error: an *Error, context.Cause(ctx) as it
// is once ctx is cancelled, or what resolving a credential failed with. Leaving
// the loop early closes the connection. Nothing of a request outlives the range.
type Client interface {
	Stream(ctx context.Context, body Body) iter.Seq2[msg.Chunk, error]
}
