package cli_test

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/dsh-hcl/dsh/engine/canon"
)

// fault is one thing that can go wrong with a request, and what comes of it.
type fault struct {
	name string
	// answer answers attempt n of the first request, counted from 1. It is for as many
	// attempts as are sent.
	answer func(w http.ResponseWriter, n int)
	// at, when set, is where the first request goes in place of the server.
	at      func(t *testing.T) string
	limits  string // further arguments of the provider
	code    string // of the turn; "" when it completes
	message string // of the turn's end: a regular expression
	sent    int    // attempts
	pauses  string // between them
	log     string // the events of the turn from the request on, and text that was kept
}

// Parts of a stream, each as one event.
const (
	oneWord = `data: {"choices":[{"index":0,"delta":{"content":"Hel"}}]}` + "\n\n"
	stopped = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	counted = `data: {"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":2}}` + "\n\n"
	ended   = "data: [DONE]\n\n"
)

func says(status int, body string, headers ...string) func(http.ResponseWriter, int) {
	return func(w http.ResponseWriter, _ int) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

func streams(text string) func(http.ResponseWriter, int) {
	return func(w http.ResponseWriter, _ int) { stream(w, text) }
}

// reset ends the connection without an orderly end.
func reset(w http.ResponseWriter) {
	c, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		c.(*net.TCPConn).SetLinger(0)
		c.Close()
	}
}

// closed is an address at which nobody listens.
func closed(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	return "http://" + l.Addr().String()
}

// Logs of turns, from the request on.
const (
	thrice  = "request/sent, request/attempt, request/attempt, step/end, turn/end"
	again   = "request/sent, request/attempt, assistant/message, step/end, turn/end"
	failed  = "request/sent, step/end, turn/end"
	cutOff  = "request/sent, assistant/message (interrupted: Hel), step/end, turn/end"
	answers = "request/sent, assistant/message, step/end, turn/end"
)

func faults() []fault {
	first := func(n int, f func(http.ResponseWriter, int)) func(http.ResponseWriter, int) {
		return func(w http.ResponseWriter, at int) {
			if at <= n {
				f(w, at)
				return
			}
			stream(w, oneWord+stopped+counted+ended)
		}
	}
	const told = `{"error":{"message":"The words of the service.","type":"some_error","code":null}}`
	status := func(n int, code, message, log string, sent int, pauses string) fault {
		return fault{name: fmt.Sprintf("HTTP %d", n), answer: says(n, told), code: code, message: message + `: The words of the service\. \(some_error\)`, sent: sent, pauses: pauses, log: log}
	}
	twice := "; 3 attempts failed"
	passing := func(n int, code, text string) fault {
		f := status(n, code, fmt.Sprintf("HTTP %d", n)+text, thrice, 3, "1s 2s")
		f.message += twice
		return f
	}
	return []fault{
		{name: "no such host", at: func(*testing.T) string { return "http://no-such-host.invalid" }, code: "UNREACHABLE",
			message: `cannot be reached: .*no-such-host\.invalid.*` + twice, log: thrice, pauses: "1s 2s"},
		{name: "connection refused", at: closed, code: "UNREACHABLE", message: `cannot be reached: .*connection refused` + twice, log: thrice, pauses: "1s 2s"},
		{name: "certificate that is not trusted", at: func(t *testing.T) string {
			s := httptest.NewUnstartedServer(http.NotFoundHandler())
			s.Config.ErrorLog = log.New(io.Discard, "", 0)
			s.StartTLS()
			t.Cleanup(s.Close)
			return s.URL
		}, code: "UNREACHABLE", message: `cannot be reached: .*certificate.*`, log: failed},
		{name: "plain HTTP where TLS is expected", at: func(t *testing.T) string {
			s := httptest.NewServer(http.NotFoundHandler())
			t.Cleanup(s.Close)
			return strings.Replace(s.URL, "http:", "https:", 1)
		}, code: "UNREACHABLE", message: `cannot be reached: .*does not look like a TLS handshake`, log: failed},
		{name: "connection closed before an answer", answer: first(1, func(w http.ResponseWriter, _ int) { reset(w) }), sent: 2, pauses: "1s", log: again},
		{name: "no answer in time", limits: `timeout = "150ms"`, answer: first(1, func(http.ResponseWriter, int) { time.Sleep(300 * time.Millisecond) }),
			sent: 2, pauses: "1s", log: again},
		status(400, "INVALID_REQUEST", "HTTP 400 Bad Request", failed, 1, ""),
		{name: "HTTP 400, the context is too long", answer: says(400, `{"error":{"message":"This model's maximum context length is 10 tokens.","code":"context_length_exceeded"}}`),
			code: "CONTEXT_WINDOW_EXCEEDED", message: `HTTP 400 Bad Request: This model's maximum context length is 10 tokens\. \(context_length_exceeded\)`, sent: 1, log: failed},
		{name: "HTTP 401", answer: says(401, told), code: "AUTH", message: `HTTP 401 Unauthorized: The words of the service\. \(some_error\); check api_key`, sent: 1, log: failed},
		{name: "HTTP 403", answer: says(403, told), code: "AUTH", message: `HTTP 403 Forbidden: The words of the service\. \(some_error\); check api_key`, sent: 1, log: failed},
		{name: "HTTP 404, no such model", answer: says(404, `{"error":{"message":"The model does not exist.","code":"model_not_found"}}`), code: "INVALID_REQUEST",
			message: `HTTP 404 Not Found: The model does not exist\. \(model_not_found\); check base_url and the model's id`, sent: 1, log: failed},
		passing(408, "TIMEOUT", " Request Timeout"),
		status(413, "INVALID_REQUEST", "HTTP 413 Request Entity Too Large", failed, 1, ""),
		status(422, "INVALID_REQUEST", "HTTP 422 Unprocessable Entity", failed, 1, ""),
		passing(429, "RATE_LIMITED", " Too Many Requests"),
		{name: "HTTP 429, once", answer: first(1, says(429, told)), sent: 2, pauses: "1s", log: again},
		{name: "HTTP 429, Retry-After: 7", answer: first(1, says(429, told, "Retry-After", "7")), sent: 2, pauses: "7s", log: again},
		{name: "HTTP 429, Retry-After: a date in 20 s", answer: first(1, says(429, told, "Date", "Wed, 04 Mar 2026 05:06:07 GMT", "Retry-After", "Wed, 04 Mar 2026 05:06:27 GMT")),
			sent: 2, pauses: "20s", log: again},
		{name: "HTTP 429, Retry-After: 3600", answer: says(429, told, "Retry-After", "3600"), code: "RATE_LIMITED",
			message: `HTTP 429 Too Many Requests: The words of the service\. \(some_error\); it asks to wait 1h, longer than max_delay in the provider's retry block \(1m\)`, sent: 1, log: failed},
		{name: "HTTP 429, the quota is spent", answer: says(429, `{"error":{"message":"You exceeded your current quota.","type":"insufficient_quota","code":"insufficient_quota"}}`),
			code: "RATE_LIMITED", message: `HTTP 429 Too Many Requests: You exceeded your current quota\. \(insufficient_quota\)`, sent: 1, log: failed},
		passing(500, "PROVIDER_UNAVAILABLE", " Internal Server Error"),
		status(501, "PROVIDER_UNAVAILABLE", "HTTP 501 Not Implemented", failed, 1, ""),
		passing(502, "PROVIDER_UNAVAILABLE", " Bad Gateway"),
		passing(503, "PROVIDER_UNAVAILABLE", " Service Unavailable"),
		passing(504, "PROVIDER_UNAVAILABLE", " Gateway Timeout"),
		passing(529, "PROVIDER_UNAVAILABLE", ""),
		{name: "redirect", answer: says(307, "", "Location", "http://elsewhere.invalid/v1"), code: "BAD_RESPONSE",
			message: `HTTP 307 Temporary Redirect: redirects to elsewhere\.invalid/v1, which is not followed; correct base_url`, sent: 1, log: failed},
		{name: "HTML in place of JSON", answer: says(200, "<!doctype html><title>Log in</title>", "Content-Type", "text/html"), code: "BAD_RESPONSE",
			message: `the answer is neither an event stream nor JSON: a page of HTML titled Log in`, sent: 1, log: failed},
		{name: "HTML with HTTP 502, once", answer: first(1, says(502, "<title>Bad Gateway</title>")), sent: 2, pauses: "1s", log: again},
		{name: "empty answer", answer: says(200, ""), code: "BAD_RESPONSE", message: `the answer is empty`, sent: 1, log: failed},
		{name: "stream without its end", answer: streams(oneWord), code: "STREAM_CUT", message: `the stream ended without \[DONE\] after 1 event`, sent: 1, log: cutOff},
		{name: "stream cut in an event", answer: streams(oneWord + stopped[:20]), code: "STREAM_CUT", message: `the stream ended without \[DONE\] after 1 event`, sent: 1, log: cutOff},
		{name: "stream without any event", answer: streams(": hello\n\n"), code: "STREAM_CUT", message: `the stream ended without \[DONE\] after 0 events`, sent: 1, log: failed},
		{name: "garbage in the stream", answer: streams(oneWord + "data: {\"choices\":[}\n\n"), code: "BAD_RESPONSE", message: `event 2: .* at byte 12`, sent: 1, log: cutOff},
		{name: "error in the stream", answer: streams(oneWord + `data: {"error":{"message":"The engine is on fire.","type":"server_error"}}` + "\n\n"), code: "PROVIDER_UNAVAILABLE",
			message: `the provider reported an error in its answer: The engine is on fire\. \(server_error\)`, sent: 1, log: cutOff},
		{name: "chunks of one byte", answer: func(w http.ResponseWriter, _ int) {
			w.Header().Set("Content-Type", "text/event-stream")
			for _, b := range []byte(oneWord + stopped + counted + ended) {
				w.Write([]byte{b})
				w.(http.Flusher).Flush()
			}
		}, sent: 1, log: answers},
		{name: "silence in the stream", limits: `idle_timeout = "150ms"`, answer: func(w http.ResponseWriter, _ int) {
			stream(w, oneWord)
			time.Sleep(300 * time.Millisecond)
		}, code: "TIMEOUT", message: `silent for 150ms`, sent: 1, log: cutOff},
		{name: "connection reset in the stream", answer: func(w http.ResponseWriter, _ int) {
			stream(w, oneWord)
			time.Sleep(50 * time.Millisecond) // else the reset overtakes what was sent
			reset(w)
		}, code: "STREAM_CUT", message: `the stream was cut after 1 event: .*`, sent: 1, log: cutOff},
		{name: "two finish reasons", answer: streams(oneWord + stopped + stopped + counted + ended), sent: 1, log: answers},
		{name: "no usage", answer: streams(oneWord + stopped + ended), sent: 1, log: answers},
		{name: "tool arguments that are not JSON", answer: first(1, streams(`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"ls","arguments":"{\"d\":"}}]}}]}`+"\n\n"+
			`data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`+"\n\n"+counted+ended)), sent: 2,
			log: "request/sent, assistant/message, tool/call, tool/result, step/end, step/start, request/sent, assistant/message, step/end, turn/end"},
		{name: "content of an unknown kind", answer: streams(`data: {"choices":[{"index":0,"delta":{"content":[{"type":"hologram","data":"x"}]}}]}` + "\n\n" + ended), code: "BAD_RESPONSE",
			message: `event 1: the content has a part of type "hologram", which this dsh does not know`, sent: 1, log: failed},
		{name: "content filter", answer: streams(`data: {"choices":[{"index":0,"delta":{},"finish_reason":"content_filter"}]}` + "\n\n" + ended), code: "CONTENT_FILTER",
			message: `the provider's content filter withheld the answer`, sent: 1, log: failed},
	}
}

// turnLog lists the events of the first turn of a log from its request on.
func turnLog(t *testing.T, text string) string {
	var out []string
	begun := false
	for line := range strings.Lines(text) {
		v, err := canon.Parse(line)
		if err != nil {
			t.Fatal(err)
		}
		kind, _ := v.Get("type").Text()
		begun = begun || kind == "request/sent"
		if !begun {
			continue
		}
		if v.Get("data").Get("interrupted").IsTrue() {
			for b := range v.Get("data").Get("content").Elements() {
				s, _ := b.Get("text").Text()
				kind += " (interrupted: " + s + ")"
			}
		}
		out = append(out, kind)
		if kind == "turn/end" {
			break
		}
	}
	return strings.Join(out, ", ")
}

// TestFaults: whatever goes wrong with a request has a stable code and a message, is
// sent again only where that is safe, is in the log, and leaves a session whose next
// turn works. docs/faults.md is this table.
func TestFaults(t *testing.T) {
	rows := make([]string, 0, len(faults()))
	for _, f := range faults() {
		var row string
		t.Run(f.name, func(t *testing.T) { row = f.test(t) })
		rows = append(rows, row)
	}
	if t.Failed() {
		return
	}
	page := "# What may go wrong with a request\n\n" +
		"This page is generated from the table in `cmd/dsh/cli/faults_test.go`, which runs each of these against a server;\n" +
		"`DSH_UPDATE=1 go test ./cmd/dsh/cli` rewrites it. Codes and retries are explained in [providers.md](providers.md). The requests are those of\n" +
		"one turn with the default `retry` block; pauses are without chance. The next turn of the same session works in every case.\n\n" +
		"| fault | code | message, behind the endpoint | requests and pauses | in the log, from the request on |\n|---|---|---|---|---|\n" +
		strings.Join(rows, "")
	path := filepath.Join("../../../docs", "faults.md")
	if os.Getenv("DSH_UPDATE") == "1" {
		if err := os.WriteFile(path, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != page {
		t.Errorf("%s is not what the table says (%v); DSH_UPDATE=1 go test ./cmd/dsh/cli rewrites it", path, err)
	}
}

// test makes the fault happen and returns its row.
func (f fault) test(t *testing.T) string {
	healthy := false
	s := newService(t, func(w http.ResponseWriter, n int) {
		if healthy {
			stream(w, oneWord+stopped+counted+ended)
			return
		}
		f.answer(w, n)
	})
	d := newDesk(t)
	d.env["SERVICE_API_KEY"] = canary
	configure := func(url string) {
		d.file("dsh.hcl", `
provider "service" {
  protocol = "openai"
  base_url = "`+url+`/v1"
  api_key  = env.SERVICE_API_KEY
  `+f.limits+`
}
model "m" {
  provider = provider.service
  id       = "m"
}
agent "a" { model = model.m }
`)
	}
	configure(s.URL)
	if f.at != nil {
		configure(f.at(t))
	}
	o := d.run("run", "--trust", "--output", "json", "hi")
	v, err := canon.Parse(strings.TrimSpace(o.stdout))
	if err != nil {
		t.Fatalf("%v: %s%s", err, o.stdout, o.stderr)
	}
	code, _ := v.Get("code").Text()
	message, _ := v.Get("error").Text()
	if code != f.code || (f.code == "") != (o.code == 0) {
		t.Errorf("code %q and exit code %d, want %q\n%s", code, o.code, f.code, o.stderr)
	}
	_, message, _ = strings.Cut(message, "/v1/chat/completions: ")
	message = strings.TrimSuffix(message, " ("+code+")")
	if ok, _ := regexp.MatchString("^"+f.message+"$", message); !ok {
		t.Errorf("message %q, want %q", message, f.message)
	}
	if f.at == nil && len(s.bodies) != f.sent {
		t.Errorf("%d requests, want %d", len(s.bodies), f.sent)
	}
	for i := 1; i < len(s.bodies) && f.pauses != ""; i++ {
		if string(s.bodies[i]) != string(s.bodies[0]) {
			t.Errorf("attempt %d is another request", i+1)
		}
	}
	pauses := strings.Trim(fmt.Sprint(d.pauses), "[]")
	if pauses != f.pauses {
		t.Errorf("pauses %q, want %q", pauses, f.pauses)
	}
	if got := turnLog(t, d.logs()); got != f.log {
		t.Errorf("log\n%s\nwant\n%s", got, f.log)
	}
	if strings.Contains(o.stdout+o.stderr+d.logs(), canary) {
		t.Error("the key is shown")
	}

	healthy = true
	configure(s.URL)
	d.want(d.run("run", "--trust", "-q", "--resume", "last", "again"), 0, "Hel")
	verified := d.run("verify")
	if n := strings.Count(d.logs(), `"type":"request/sent"`); !strings.HasPrefix(verified.stdout, fmt.Sprintf("%d requests, %d identical (", n, n)) {
		t.Errorf("verify: %s%s", verified.stdout, verified.stderr)
	}

	requests := fmt.Sprint(max(f.sent, strings.Count(f.log, "request/attempt")+1))
	if f.pauses != "" {
		requests += ": " + strings.ReplaceAll(f.pauses, " ", ", ")
	}
	shown, outcome := f.shown(), "none"
	if f.code != "" {
		outcome = "`" + f.code + "`"
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %s |\n", f.name, outcome, shown, requests, f.log)
}

// shown is the message for a reader.
func (f fault) shown() string {
	s := strings.ReplaceAll(f.message, ".*", "…")
	return strings.ReplaceAll(s, `\`, "")
}
