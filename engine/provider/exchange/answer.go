package exchange

import (
	"bufio"
	"context"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/provider"
)

// drainTime is how long the end of a body may take after the stream said it is
// done. A connection is used again only when its body was read to the end.
const drainTime = 100 * time.Millisecond

// answer is one response that is being read.
type answer struct {
	Failure
	protocol Protocol
	resp     *http.Response
	body     io.Reader // resp.Body under the idle limit
	cancel   context.CancelCauseFunc
	emit     func(msg.Chunk) error
}

// read reads a successful response and emits its chunks, whether it is a stream or
// one JSON object: the first byte tells better than what gateways call it.
func (a *answer) read(ctx context.Context) error {
	a.httpStatus = a.resp.StatusCode
	if enc := a.resp.Header.Get("Content-Encoding"); enc != "" && enc != "identity" {
		return a.Bad("the answer has content encoding %q, which nobody asked for", a.Secrets.Excerpt(enc, false))
	}
	br := bufio.NewReaderSize(a.body, 16<<10)
	first, err := firstByte(br)
	switch {
	case err == io.EOF && !a.isEventStream():
		return a.Bad("the answer is empty")
	case err != nil:
		return a.broken(ctx, provider.CodeStreamCut, "the stream was cut before its first event", err)
	case first == '{' || first == '[':
		return a.readObject(ctx, br)
	case first == '<':
		head, _ := io.ReadAll(io.LimitReader(br, maxErrorBody))
		return a.Fail(provider.CodeBadResponse, "the answer is neither an event stream nor JSON",
			readWords(string(head), true, a.Secrets))
	}
	return a.readStream(ctx, br)
}

// firstByte skips white space, which keeps connections alive, and a byte order
// mark. It leaves the byte it returns in br.
func firstByte(br *bufio.Reader) (byte, error) {
	for {
		c, err := br.ReadByte()
		if err != nil {
			return 0, err
		}
		switch c {
		case ' ', '\t', '\r', '\n':
		case 0xEF: // neither an event stream nor JSON begins with it otherwise
			br.Discard(2)
		default:
			return c, br.UnreadByte()
		}
	}
}

func (a *answer) isEventStream() bool {
	t, _, _ := mime.ParseMediaType(a.resp.Header.Get("Content-Type"))
	return t == "text/event-stream"
}

func (a *answer) readStream(ctx context.Context, br *bufio.Reader) error {
	events := eventReader{br: br, max: maxEvent}
	if a.protocol.Done {
		events.done = a.protocol.End
	}
	d := a.protocol.Decoder(&a.Failure, a.emit)
	total := 0
	for {
		name, data, err := events.next()
		total += len(data)
		if ended := a.ended(ctx); ended != nil {
			return ended
		}
		switch {
		case err == errTooLong:
			return a.Bad("event %d is %v", a.Events+1, err)
		case err == io.EOF && a.Events == 0 && !a.isEventStream():
			return a.Bad("the answer, of content type %q, is neither an event stream nor JSON",
				a.Secrets.Excerpt(a.resp.Header.Get("Content-Type"), false))
		case err == io.EOF:
			return a.Fail(provider.CodeStreamCut, "the stream ended without "+a.protocol.End+" after "+a.Count(), Words{})
		case err != nil:
			return a.broken(ctx, provider.CodeStreamCut, "the stream was cut after "+a.Count(), err)
		case events.done != "" && string(data) == events.done:
			a.drain(br)
			return d.Finish()
		}
		a.Events++
		if total > maxEvent {
			return a.Bad("the answer is %v", errTooLong)
		}
		v, err := canon.Parse(string(data))
		if err != nil {
			return a.Bad("event %d: %v", a.Events, err)
		}
		if v.Kind() != canon.ObjectKind {
			return a.Bad("event %d is not an object", a.Events)
		}
		done, err := d.Event(name, v)
		if err != nil {
			return err
		}
		if done {
			a.drain(br)
			return d.Finish()
		}
	}
}

// drain reads what stands behind the end of a stream, so that its connection can be
// used again.
func (a *answer) drain(br *bufio.Reader) {
	stop := limit(drainTime, "not ended within", a.cancel)
	io.CopyN(io.Discard, br, 4<<10)
	stop()
}

// readObject reads an answer that is not a stream.
func (a *answer) readObject(ctx context.Context, br *bufio.Reader) error {
	raw, err := io.ReadAll(io.LimitReader(br, maxEvent+1))
	switch {
	case err != nil:
		return a.broken(ctx, provider.CodeStreamCut, "the answer was cut", err)
	case len(raw) > maxEvent:
		return a.Bad("the answer is %v", errTooLong)
	}
	v, err := canon.Parse(string(raw))
	if err != nil {
		return a.Bad("the answer is not JSON: %v", err)
	}
	a.Events = 1
	if v.Kind() != canon.ObjectKind {
		return a.Bad("event 1 is not an object")
	}
	d := a.protocol.Decoder(&a.Failure, a.emit)
	if err := d.Object(v); err != nil {
		return err
	}
	return d.Finish()
}
