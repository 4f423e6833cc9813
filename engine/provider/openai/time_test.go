package openai_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/provider"
	"github.com/dsh-hcl/dsh/engine/provider/exchange"
	"github.com/dsh-hcl/dsh/engine/provider/openai"
)

// The tests of this file run in a bubble of testing/synctest: time is fake, and a
// goroutine that outlives its test fails it. Connections are pipes.

const head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"

// event is one event with that text, as a chunk of a chunked body.
func event(text string) string {
	return chunked(`data: {"choices":[{"delta":{"content":"` + text + `"}}]}` + "\n\n")
}

func chunked(s string) string { return fmt.Sprintf("%x\r\n%s\r\n", len(s), s) }

// pipe is the real transport over a pipe. serve is called with the server's end
// once the request is read. closed counts the connections whose end was seen.
type pipe struct {
	*http.Transport
	closed atomic.Int32
}

func newPipe(t *testing.T, serve func(net.Conn)) *pipe {
	p := &pipe{Transport: exchange.DefaultTransport()}
	p.DialContext = func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go func() {
			req, err := http.ReadRequest(bufio.NewReader(server))
			if err != nil {
				t.Error(err)
				return
			}
			io.Copy(io.Discard, req.Body)
			serve(server)
			io.Copy(io.Discard, server) // until the client closes
			p.closed.Add(1)
			server.Close()
		}()
		return client, nil
	}
	return p
}

func TestHeaderTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		p := newPipe(t, func(net.Conn) {})
		c := openai.New(exchange.Access{BaseURL: "http://h/v1", Transport: p, HeaderTimeout: 30 * time.Second, IdleTimeout: time.Second})
		chunks, err := collect(t.Context(), c)
		want := "h/v1/chat/completions: no response header within 30s"
		if len(chunks) != 0 || msg.CodeOf(err) != provider.CodeTimeout || err.Error() != want {
			t.Errorf("got %v %s %v", chunks, msg.CodeOf(err), err)
		}
		if took := time.Since(start); took != 30*time.Second {
			t.Errorf("took %s", took)
		}
		synctest.Wait()
		if p.closed.Load() != 1 {
			t.Error("the connection is open")
		}
	})
}

// TestIdleTimeout: silence ends a stream; every byte, of a comment too, ends a
// silence; the header's limit is over once the header is there; and the time a
// consumer takes is not the provider's.
func TestIdleTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPipe(t, func(conn net.Conn) {
			time.Sleep(9 * time.Second)
			io.WriteString(conn, head)
			for range 20 {
				time.Sleep(50 * time.Second)
				io.WriteString(conn, chunked(":"))
				time.Sleep(50 * time.Second)
				io.WriteString(conn, chunked("\n"))
			}
			io.WriteString(conn, event("a"))
			io.WriteString(conn, event("b"))
			time.Sleep(59 * time.Second)
			io.WriteString(conn, event("c"))
		})
		c := openai.New(exchange.Access{BaseURL: "http://h/v1", Transport: p, HeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute})
		var chunks []msg.Chunk
		var err error
		var last time.Time
		for chunk, e := range c.Stream(t.Context(), body(question)) {
			if err = e; e != nil {
				break
			}
			chunks = append(chunks, chunk)
			if len(chunks) == 1 {
				time.Sleep(time.Hour) // a slow consumer
			}
			last = time.Now()
		}
		want := "h/v1/chat/completions: silent for 1m0s"
		if len(chunks) != 4 || msg.CodeOf(err) != provider.CodeTimeout || err.Error() != want {
			t.Errorf("got %v %s %v", chunks, msg.CodeOf(err), err)
		}
		if took := time.Since(last); took != time.Minute {
			t.Errorf("silence of %s", took)
		}
		synctest.Wait()
		if p.closed.Load() != 1 {
			t.Error("the connection is open")
		}
	})
}

// TestStalledRefusal: a body that stalls does not hide the status.
func TestStalledRefusal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPipe(t, func(conn net.Conn) {
			io.WriteString(conn, "HTTP/1.1 401 Unauthorized\r\nContent-Length: 100\r\n\r\nno such key")
		})
		c := openai.New(exchange.Access{BaseURL: "http://h", Transport: p, IdleTimeout: time.Minute})
		_, err := collect(t.Context(), c)
		if want := "h/chat/completions: HTTP 401 Unauthorized: no such key; no api_key is configured"; err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	})
}

// TestCancel: a cancellation returns its cause as it is, at every point.
func TestCancel(t *testing.T) {
	stop := errors.New("stop it")
	for name, serve := range map[string]func(net.Conn){
		"before the header": func(net.Conn) {},
		"before an event":   func(conn net.Conn) { io.WriteString(conn, head) },
		"within an event":   func(conn net.Conn) { io.WriteString(conn, head+event("a")+chunked("data: {")) },
		"within a refusal":  func(conn net.Conn) { io.WriteString(conn, "HTTP/1.1 500 No\r\nContent-Length: 9\r\n\r\nno") },
		"within JSON":       func(conn net.Conn) { io.WriteString(conn, head+chunked("{")) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPipe(t, serve)
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(time.Second, func() { cancel(stop) })
				c := openai.New(exchange.Access{BaseURL: "http://h", Transport: p, HeaderTimeout: time.Minute, IdleTimeout: time.Minute})
				if _, err := collect(ctx, c); err != stop {
					t.Errorf("got %v", err)
				}
				synctest.Wait()
				if p.closed.Load() != 1 {
					t.Error("the connection is open")
				}
			})
		})
	}
}

// TestCancelBetweenChunks: nothing that was already received is told after a
// cancellation, and a cancelled context sends nothing.
func TestCancelBetweenChunks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPipe(t, func(conn net.Conn) {
			io.WriteString(conn, head+event("a")+event("b")+chunked("data: [DONE]\n\n"))
		})
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		stop := errors.New("stop it")
		c := openai.New(exchange.Access{BaseURL: "http://h", Transport: p})
		n := 0
		for chunk, err := range c.Stream(ctx, body(question)) {
			n++
			if _, ok := chunk.(msg.BlockStart); ok {
				cancel(stop)
			}
			if err != nil && (err != stop || n != 2) {
				t.Errorf("chunk %d: %v", n, err)
			}
		}
		if n != 2 {
			t.Errorf("%d chunks", n)
		}
		synctest.Wait()
		if p.closed.Load() != 1 {
			t.Error("the connection is open")
		}
		if chunks, err := collect(ctx, c); len(chunks) != 0 || err != stop {
			t.Errorf("again: %v %v", chunks, err)
		}
	})
}

// closing is a body that says end when it is at its end, and remembers its Close.
type closing struct {
	io.Reader
	closed bool
	atEnd  func()
}

func (c *closing) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	if err == io.EOF {
		c.atEnd()
	}
	return n, err
}

func (c *closing) Close() error { c.closed = true; return nil }

// TestBodyIsClosed: in every outcome; and a body that just ends when its request is
// cancelled is not taken for a stream that was cut.
func TestBodyIsClosed(t *testing.T) {
	stop := errors.New("stop it")
	first := `data: {"choices":[{"delta":{"content":"a"}}]}` + "\n\n"
	for _, test := range []struct {
		name, body string
		status     int
		cancel     bool
		want       string
	}{
		{"done", first + "data: [DONE]\n\n", 200, false, "<nil>"},
		{"cut", first, 200, false, "h/chat/completions: the stream ended without [DONE] after 1 event"},
		{"cancelled", first, 200, true, "stop it"},
		{"cancelled while the end is read", first + "data: [DONE]\n\n", 200, true, "stop it"},
		{"refused", "no", 500, false, "h/chat/completions: HTTP 500 Internal Server Error: no"},
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		b := &closing{Reader: strings.NewReader(test.body), atEnd: func() {
			if test.cancel {
				cancel(stop)
			}
		}}
		c := openai.New(exchange.Access{BaseURL: "http://h", Transport: transport(func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: test.status, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: b, Request: r}, nil
		})})
		if _, err := collect(ctx, c); fmt.Sprint(err) != test.want || !b.closed {
			t.Errorf("%s: %v, closed %v", test.name, err, b.closed)
		}
		cancel(nil)
	}
}

// TestDeadline: a deadline of the caller is the caller's.
func TestDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		c := openai.New(exchange.Access{BaseURL: "http://h", Transport: newPipe(t, func(net.Conn) {}), HeaderTimeout: time.Minute})
		if _, err := collect(ctx, c); err != context.DeadlineExceeded {
			t.Errorf("got %v", err)
		}
	})
}

// TestLeave: a consumer that leaves the loop closes the connection.
func TestLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPipe(t, func(conn net.Conn) { io.WriteString(conn, head+event("a")) })
		for range openai.New(exchange.Access{BaseURL: "http://h", Transport: p, IdleTimeout: time.Minute}).Stream(t.Context(), body(question)) {
			break
		}
		synctest.Wait()
		if p.closed.Load() != 1 {
			t.Error("the connection is open")
		}
	})
}

// TestServerHoldsStream: a stream that is done but does not end costs a moment and
// the connection, not the answer.
func TestServerHoldsStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		p := newPipe(t, func(conn net.Conn) { io.WriteString(conn, head+event("a")+chunked("data: [DONE]\n")) })
		chunks, err := collect(t.Context(), openai.New(exchange.Access{BaseURL: "http://h", Transport: p}))
		if len(chunks) != 3 || err != nil {
			t.Errorf("got %v %v", chunks, err)
		}
		if took := time.Since(start); took != 100*time.Millisecond {
			t.Errorf("took %s", took)
		}
		synctest.Wait()
		if p.closed.Load() != 1 {
			t.Error("the connection is open")
		}
	})
}
