package openai_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/provider"
	"github.com/dsh-hcl/dsh/engine/provider/exchange"
	"github.com/dsh-hcl/dsh/engine/provider/openai"
)

// body is a provider.Body.
type body string

func (b body) Len() int64        { return int64(len(b)) }
func (b body) Reader() io.Reader { return strings.NewReader(string(b)) }

const question = `{"model":"m","messages":[{"role":"user","content":"hi"}],"stream":true}`

// transport is an http.RoundTripper made of a function.
type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// answering returns a transport that answers every request with status 200, that
// content type and what a reader yields.
func answering(contentType string, r func() io.Reader) transport {
	return func(req *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {contentType}},
			Body: io.NopCloser(r()), Request: req}, nil
	}
}

// key returns a resolver of that key.
func key(k string) func() (string, error) { return func() (string, error) { return k, nil } }

// collect ranges over one request and returns its chunks and its error.
func collect(ctx context.Context, c provider.Client) (chunks []msg.Chunk, err error) {
	for chunk, e := range c.Stream(ctx, body(question)) {
		if e != nil {
			if err != nil || chunk != nil {
				panic("two errors, or a chunk with an error")
			}
			err = e
			continue
		}
		if err != nil {
			panic("a chunk after an error")
		}
		chunks = append(chunks, chunk)
	}
	return chunks, err
}

// transcript is what a request yielded, one line for each chunk.
func transcript(chunks []msg.Chunk, err error) string {
	var b strings.Builder
	for _, c := range chunks {
		b.WriteString(c.Raw() + "\n")
	}
	if err != nil {
		fmt.Fprintf(&b, "%s: %v\n", msg.CodeOf(err), err)
	}
	return b.String()
}

// fixtures are the captured answers of the dialects.
func fixtures(t testing.TB) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	for _, pattern := range []string{"*.sse", "*.json"} {
		names, err := filepath.Glob(filepath.Join("testdata", pattern))
		if err != nil || len(names) == 0 {
			t.Fatalf("no fixtures %s: %v", pattern, err)
		}
		for _, name := range names {
			raw, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			out[filepath.Base(name)] = raw
		}
	}
	return out
}

func contentType(name string) string {
	if strings.HasSuffix(name, ".json") {
		return "application/json"
	}
	return "text/event-stream; charset=utf-8"
}

// TestDialects compares the chunks of every captured answer with NAME.chunks, as a
// server delivers it and one byte at a time.
func TestDialects(t *testing.T) {
	for name, raw := range fixtures(t) {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", contentType(name))
				w.Write(raw)
			}))
			defer server.Close()
			served := openai.New(exchange.Access{BaseURL: server.URL + "/v1", APIKey: key("sk-secret"), Transport: exchange.DefaultTransport()})
			got := transcript(collect(t.Context(), served))
			got = strings.ReplaceAll(got, strings.TrimPrefix(server.URL, "http://"), "provider.example")

			golden := filepath.Join("testdata", name+".chunks")
			if os.Getenv("DSH_UPDATE") != "" {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}

			slowly := openai.New(exchange.Access{BaseURL: "http://provider.example/v1", Transport: answering(contentType(name),
				func() io.Reader { return iotest.OneByteReader(bytes.NewReader(raw)) })})
			if got := transcript(collect(t.Context(), slowly)); got != string(want) {
				t.Errorf("one byte at a time: got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// TestLineEnds: an answer is the same with LF, CRLF and CR, and behind a byte order
// mark.
func TestLineEnds(t *testing.T) {
	for name, raw := range fixtures(t) {
		if !strings.HasSuffix(name, ".sse") {
			continue
		}
		var first string
		lf := strings.ReplaceAll(string(raw), "\r\n", "\n")
		for _, form := range []struct{ mark, end string }{{"", "\n"}, {"", "\r\n"}, {"", "\r"}, {"\uFEFF", "\n"}} {
			c := openai.New(exchange.Access{BaseURL: "http://provider.example/v1", Transport: answering("text/event-stream",
				func() io.Reader { return strings.NewReader(form.mark + strings.ReplaceAll(lf, "\n", form.end)) })})
			got := transcript(collect(t.Context(), c))
			if first == "" {
				first = got
			}
			if got == "" || got != first {
				t.Errorf("%s in the form %q: got\n%s\nwant\n%s", name, form, got, first)
			}
		}
	}
}

// TestRequest: what goes over the wire, twice from one body.
func TestRequest(t *testing.T) {
	var requests []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		requests = append(requests, fmt.Sprint(r.Method, " ", r.RequestURI, " ", r.ContentLength, " ", r.TransferEncoding, " ", string(raw)))
		for name, want := range map[string]string{
			"Content-Type": "application/json", "Accept": "text/event-stream", "User-Agent": "dsh/1",
			"Authorization": "Bearer sk-1", "X-Team": "blue", "Accept-Encoding": "",
		} {
			if got := r.Header.Get(name); got != want {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		}
		if r.Host != "front.example" {
			t.Errorf("host %q", r.Host)
		}
		io.WriteString(w, "data: [DONE]\n\n")
	}))
	defer server.Close()
	c := openai.New(exchange.Access{
		BaseURL: server.URL + "/openai/v1/?api-version=2", APIKey: key("sk-1"), UserAgent: "dsh/1", Transport: exchange.DefaultTransport(),
		Headers: []exchange.Header{{Name: "x-team", Value: key("blue")}, {Name: "Host", Value: key("front.example")}},
	})
	for range 2 {
		if _, err := collect(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	want := fmt.Sprint("POST /openai/v1/chat/completions?api-version=2 ", len(question), " [] ", question)
	if len(requests) != 2 || requests[0] != want || requests[1] != want {
		t.Errorf("got %q, want twice %q", requests, want)
	}
}

// TestConnectionIsReused: the end of a stream is read, so that the next request
// needs no new connection.
func TestConnectionIsReused(t *testing.T) {
	seen := map[string]bool{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen[r.RemoteAddr] = true
		io.WriteString(w, "data: [DONE]\n\n")
	}))
	defer server.Close()
	c := openai.New(exchange.Access{BaseURL: server.URL, Transport: exchange.DefaultTransport()})
	for range 5 {
		if _, err := collect(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	if len(seen) != 1 {
		t.Errorf("%d connections for 5 requests", len(seen))
	}
}

// TestGetBody: the transport can send the body again, on a new connection when the
// provider closed the idle one.
func TestGetBody(t *testing.T) {
	c := openai.New(exchange.Access{BaseURL: "http://provider.example", Transport: transport(func(r *http.Request) (*http.Response, error) {
		io.Copy(io.Discard, r.Body)
		again, err := r.GetBody()
		if err != nil {
			t.Fatal(err)
		}
		if raw, _ := io.ReadAll(again); string(raw) != question {
			t.Errorf("again %q", raw)
		}
		return answering("text/event-stream", func() io.Reader { return strings.NewReader("data: [DONE]\n\n") })(r)
	})})
	if _, err := collect(t.Context(), c); err != nil {
		t.Fatal(err)
	}
}

// TestOptions: options that cannot work, and credentials that cannot be resolved,
// fail before anything is sent.
func TestOptions(t *testing.T) {
	unset := errors.New("main.hcl:3: OPENAI_API_KEY is not set")
	fails := func() (string, error) { return "", unset }
	tests := []struct {
		name string
		opt  exchange.Access
		code string
		want string
	}{
		{"dialect", exchange.Access{BaseURL: "https://x", Dialect: "klingon"}, provider.CodeInvalidRequest, `dialect "klingon" is not known`},
		{"no URL", exchange.Access{}, provider.CodeInvalidRequest, "base_url is not an absolute http or https URL"},
		{"relative", exchange.Access{BaseURL: "api.example/v1"}, provider.CodeInvalidRequest, "base_url is not"},
		{"other scheme", exchange.Access{BaseURL: "file:///etc"}, provider.CodeInvalidRequest, "base_url is not"},
		{"user info", exchange.Access{BaseURL: "https://me:hunter22@api.example"}, provider.CodeInvalidRequest, "base_url holds credentials"},
		{"control character", exchange.Access{BaseURL: "https://x/\x7fhunter22"}, provider.CodeInvalidRequest, "base_url is not"},
		{"key with line break", exchange.Access{BaseURL: "https://x", APIKey: key("hunter22\n")}, provider.CodeAuth, "line break"},
		{"unset key", exchange.Access{BaseURL: "https://x", APIKey: fails}, msg.CodeUnknown, unset.Error()},
		{"unset header", exchange.Access{BaseURL: "https://x", Headers: []exchange.Header{{Name: "a", Value: fails}}}, msg.CodeUnknown, unset.Error()},
		{"header name", exchange.Access{BaseURL: "https://x", Headers: []exchange.Header{{Name: "a b", Value: key("hunter22")}}}, provider.CodeInvalidRequest, `header "a b"`},
		{"header value", exchange.Access{BaseURL: "https://x", Headers: []exchange.Header{{Name: "a", Value: key("hunter22\r\nb: c")}}}, provider.CodeInvalidRequest, `header "a"`},
	}
	for _, test := range tests {
		test.opt.Transport = transport(func(*http.Request) (*http.Response, error) {
			t.Errorf("%s: sent", test.name)
			return nil, io.EOF
		})
		chunks, err := collect(t.Context(), openai.New(test.opt))
		if len(chunks) != 0 || err == nil || msg.CodeOf(err) != test.code || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %s %v, want %s %s", test.name, msg.CodeOf(err), err, test.code, test.want)
		}
		if strings.Contains(fmt.Sprint(err), "hunter22") {
			t.Errorf("%s: shows the secret: %v", test.name, err)
		}
	}
}

// TestLongEvent: a line is not bounded by a buffer.
func TestLongEvent(t *testing.T) {
	long := strings.Repeat("long ", 1<<20)
	c := openai.New(exchange.Access{BaseURL: "http://provider.example", Transport: answering("text/event-stream", func() io.Reader {
		return strings.NewReader(`data: {"choices":[{"delta":{"content":"` + long + `"}}]}` + "\n\ndata: [DONE]\n\n")
	})})
	chunks, err := collect(t.Context(), c)
	if err != nil || len(chunks) != 3 || chunks[1] != (msg.TextDelta{Text: long}) {
		t.Errorf("%d chunks, %v", len(chunks), err)
	}
}

// TestLongAnswer: events that are short one by one fill no memory together; what
// came until then is kept.
func TestLongAnswer(t *testing.T) {
	event := `data: {"choices":[{"delta":{"content":"` + strings.Repeat("long ", 1<<18) + `"}}]}` + "\n\n"
	c := openai.New(exchange.Access{BaseURL: "http://provider.example", Transport: answering("text/event-stream", func() io.Reader {
		return strings.NewReader(strings.Repeat(event, 60) + "data: [DONE]\n\n")
	})})
	chunks, err := collect(t.Context(), c)
	if msg.CodeOf(err) != provider.CodeBadResponse || !strings.Contains(err.Error(), "longer than 64 MiB") || len(chunks) < 50 || len(chunks) > 52 {
		t.Errorf("%d chunks, %v", len(chunks), err)
	}
}
