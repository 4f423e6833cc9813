package cli_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dsh-hcl/dsh/cmd/dsh/cli"
)

// desk is a machine to run command lines on: a folder, a home, an environment.
type desk struct {
	t    testing.TB
	dir  string
	home string
	env  map[string]string
	ids  int
	// pauses are those before requests that were sent again; nobody waits for them.
	pauses []time.Duration
}

func newDesk(t testing.TB) *desk {
	d := &desk{t: t, dir: t.TempDir(), home: t.TempDir(), env: map[string]string{}}
	return d
}

// file writes a file below the desk's folder.
func (d *desk) file(name, content string) {
	d.t.Helper()
	path := filepath.Join(d.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		d.t.Fatal(err)
	}
}

type outcome struct {
	code           int
	stdout, stderr string
}

func (d *desk) run(args ...string) outcome { return d.runCtx(context.Background(), "", args...) }

func (d *desk) runCtx(ctx context.Context, stdin string, args ...string) outcome {
	var out, errs bytes.Buffer
	env := d.surroundings(strings.NewReader(stdin), &out, &errs)
	env.StdinPiped = stdin != ""
	code := cli.Run(ctx, args, env)
	return outcome{code, out.String(), errs.String()}
}

func (d *desk) surroundings(in io.Reader, out, errs io.Writer) cli.Env {
	return cli.Env{
		Stdin: in, Stdout: out, Stderr: errs,
		Getenv: func(n string) (string, bool) { v, ok := d.env[n]; return v, ok },
		Dir:    d.dir, Home: d.home, Now: time.Now, PID: 1, Host: "desk",
		Sleep: func(ctx context.Context, p time.Duration) error {
			d.pauses = append(d.pauses, p)
			return context.Cause(ctx)
		},
		NewID: func() string { d.ids++; return fmt.Sprintf("00000000-0000-7000-8000-%012d", d.ids) },
	}
}

// want holds an outcome against an exit code and fragments of its output.
func (d *desk) want(o outcome, code int, fragments ...string) {
	d.t.Helper()
	if o.code != code {
		d.t.Errorf("exit code %d, want %d\nstdout:\n%s\nstderr:\n%s", o.code, code, o.stdout, o.stderr)
	}
	for _, f := range fragments {
		if !strings.Contains(o.stdout+o.stderr, f) {
			d.t.Errorf("%q is missing\nstdout:\n%s\nstderr:\n%s", f, o.stdout, o.stderr)
		}
	}
}

// logs returns the text of every session log of the desk.
func (d *desk) logs() string {
	paths, err := filepath.Glob(filepath.Join(d.home, ".local/state/dsh/sessions/*/*.jsonl"))
	if err != nil {
		d.t.Fatal(err)
	}
	var all strings.Builder
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			d.t.Fatal(err)
		}
		all.Write(b)
	}
	return all.String()
}

// service is a chat completions service on a real socket that plays captured
// streams; it shares no code with the client.
type service struct {
	*httptest.Server
	mu      sync.Mutex
	bodies  [][]byte
	headers []http.Header
	answer  func(w http.ResponseWriter, n int)
}

func newService(t *testing.T, answer func(w http.ResponseWriter, n int)) *service {
	s := &service{answer: answer}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.bodies = append(s.bodies, b)
		s.headers = append(s.headers, r.Header.Clone())
		n := len(s.bodies)
		s.mu.Unlock()
		if r.URL.Path != "/v1/chat/completions" || r.Method != http.MethodPost {
			http.NotFound(w, r)
			return
		}
		s.answer(w, n)
	}))
	t.Cleanup(s.Close)
	return s
}

// deepseekStream is the stream of a reasoning model, as that service sends it:
// comments, reasoning beside null content, cache counters.
const deepseekStream = `: keep-alive

data: {"id":"930c60df","object":"chat.completion.chunk","created":1718345013,"model":"deepseek-reasoner","system_fingerprint":"fp_a49d71b8a1","choices":[{"index":0,"delta":{"role":"assistant","content":null,"reasoning_content":""},"logprobs":null,"finish_reason":null}]}

data: {"id":"930c60df","object":"chat.completion.chunk","created":1718345013,"model":"deepseek-reasoner","system_fingerprint":"fp_a49d71b8a1","choices":[{"index":0,"delta":{"content":null,"reasoning_content":"The user greets."},"logprobs":null,"finish_reason":null}]}

: keep-alive

data: {"id":"930c60df","object":"chat.completion.chunk","created":1718345013,"model":"deepseek-reasoner","system_fingerprint":"fp_a49d71b8a1","choices":[{"index":0,"delta":{"content":"Hello ","reasoning_content":null},"logprobs":null,"finish_reason":null}]}

data: {"id":"930c60df","object":"chat.completion.chunk","created":1718345013,"model":"deepseek-reasoner","system_fingerprint":"fp_a49d71b8a1","choices":[{"index":0,"delta":{"content":"there ✓","reasoning_content":null},"logprobs":null,"finish_reason":null}]}

data: {"id":"930c60df","object":"chat.completion.chunk","created":1718345013,"model":"deepseek-reasoner","system_fingerprint":"fp_a49d71b8a1","choices":[{"index":0,"delta":{"content":"","reasoning_content":null},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":80,"completion_tokens":9,"total_tokens":89,"prompt_tokens_details":{"cached_tokens":64},"completion_tokens_details":{"reasoning_tokens":4},"prompt_cache_hit_tokens":64,"prompt_cache_miss_tokens":16}}

data: [DONE]

`

func stream(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, part := range strings.SplitAfter(text, "\n\n") {
		io.WriteString(w, part)
		w.(http.Flusher).Flush()
	}
}

// real writes a configuration for the service.
func (d *desk) real(url string) {
	d.file("dsh.hcl", `
provider "service" {
  protocol = "openai"
  dialect  = "deepseek"
  base_url = "`+url+`/v1"
  api_key  = env.SERVICE_API_KEY
}
model "m" {
  provider    = provider.service
  id          = "deepseek-reasoner"
  temperature = 0.7
}
agent "a" {
  model = model.m
  prefix {
    text "rules" { content = "Be brief." }
  }
}
`)
}

const canary = "sk-canary-4b825dc6"

func TestRealService(t *testing.T) {
	s := newService(t, func(w http.ResponseWriter, _ int) { stream(w, deepseekStream) })
	d := newDesk(t)
	d.real(s.URL)

	// Untrusted: refused with the list of what it wants, nothing sent.
	d.want(d.run("run", "hi"), 3, "not trusted", s.URL, "SERVICE_API_KEY", "dsh trust")
	d.want(d.run("trust", "--show"), 3, s.URL)
	d.want(d.run("trust"), 0, s.URL, "is trusted now")
	d.want(d.run("trust", "--show"), 0, "is trusted.")

	// Trusted, without the key: the place of the key, exit code 2, no session.
	d.want(d.run("run", "hi"), 2, "SERVICE_API_KEY", "dsh.hcl")
	if len(s.bodies) != 0 || d.logs() != "" {
		t.Fatal("something was sent or logged without a key")
	}
	// check and config need no key.
	d.want(d.run("check"), 0)

	d.env["SERVICE_API_KEY"] = canary
	o := d.run("run", "hi")
	d.want(o, 0, "text.rules", "sha256", "session  ")
	if o.stdout != "Hello there ✓\n" {
		t.Errorf("stdout %q", o.stdout)
	}
	d.want(d.run("run", "--resume", "last", "again"), 0)
	d.want(d.run("verify"), 0, "2 requests, 2 identical")
	if len(s.bodies) != 2 {
		t.Fatalf("%d requests", len(s.bodies))
	}
	if got := s.headers[0].Get("Authorization"); got != "Bearer "+canary {
		t.Errorf("Authorization %q", got)
	}
	want := `{"model":"deepseek-reasoner","stream":true,"stream_options":{"include_usage":true},"temperature":0.7,"messages":[{"role":"user","content":"Be brief."},{"role":"user","content":"hi"}]}`
	if string(s.bodies[0]) != want {
		t.Errorf("body\n%s\nwant\n%s", s.bodies[0], want)
	}
	log := d.logs()
	for i, b := range s.bodies {
		sum := sha256.Sum256(b)
		if !strings.Contains(log, hex.EncodeToString(sum[:])) {
			t.Errorf("the digest of request %d is not in the log", i+1)
		}
		o := d.run("request", fmt.Sprint(i+1))
		if o.code != 0 || o.stdout != string(b) {
			t.Errorf("dsh request %d: exit code %d\n%s\nwant\n%s", i+1, o.code, o.stdout, b)
		}
	}
	d.want(d.run("log"), 0, "assistant reasons: The user greets.", "80 tokens in (64 from cache), 9 out")
	curls(t, d, 2, &s.bodies, &s.headers, "printf 'Authorization: Bearer %s\\n' \"$SERVICE_API_KEY\"", "Authorization")

	// A changed declaration asks again; --trust is for one run.
	d.real(s.URL + "/other")
	d.want(d.run("run", "hi"), 3, "not trusted")
	d.want(d.run("run", "--trust", "hi"), 1)
	d.want(d.run("run", "hi"), 3, "not trusted")

	// A secret is nowhere: not in logs, output, or the files of the machine.
	all := d.logs() + d.run("log", "--full").stdout + d.run("log", "--json").stdout + d.run("sessions", "--json").stdout
	filepath.Walk(d.home, func(path string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() {
			b, _ := os.ReadFile(path)
			all += string(b)
		}
		return err
	})
	if strings.Contains(all, canary) {
		t.Error("the key is in a log or a file")
	}
}

// Each way a service fails ends in one message, an exit code, and a session that
// can be resumed and verified.
func TestServiceFails(t *testing.T) {
	for _, c := range []struct {
		name   string
		answer func(w http.ResponseWriter)
		wants  []string
		kept   string // text that streamed before
	}{
		{"401", func(w http.ResponseWriter) {
			w.WriteHeader(401)
			io.WriteString(w, `{"error":{"message":"Incorrect API key provided: `+canary+`","type":"invalid_request_error","code":"invalid_api_key"}}`)
		}, []string{"AUTH", "401", "Incorrect API key provided: (sensitive)"}, ""},
		{"501", func(w http.ResponseWriter) { http.Error(w, "what is that?", http.StatusNotImplemented) }, []string{"PROVIDER_UNAVAILABLE", "501"}, ""},
		{"cut in the middle", func(w http.ResponseWriter) {
			stream(w, deepseekStream[:strings.Index(deepseekStream, `data: {"id":"930c60df","object":"chat.completion.chunk","created":1718345013,"model":"deepseek-reasoner","system_fingerprint":"fp_a49d71b8a1","choices":[{"index":0,"delta":{"content":"",`)])
		}, []string{"STREAM_CUT"}, "Hello there ✓"},
		{"no stream at all", func(w http.ResponseWriter) { io.WriteString(w, "<html>") }, []string{"BAD_RESPONSE"}, ""},
		{"a redirect elsewhere", func(w http.ResponseWriter) {
			w.Header().Set("Location", "http://elsewhere.invalid/")
			w.WriteHeader(307)
		}, []string{"redirect"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newService(t, func(w http.ResponseWriter, n int) {
				if n == 1 {
					c.answer(w)
				} else {
					stream(w, deepseekStream)
				}
			})
			d := newDesk(t)
			d.real(s.URL)
			d.env["SERVICE_API_KEY"] = canary
			o := d.run("run", "--trust", "hi")
			d.want(o, 1, c.wants...)
			if strings.Count("\n"+o.stderr, "\nError: ") != 1 {
				t.Errorf("not one message:\n%s", o.stderr)
			}
			if strings.Contains(o.stdout+o.stderr+d.logs(), canary) {
				t.Error("the key is shown")
			}
			d.want(d.run("log"), 0, "end: error", c.kept)
			d.want(d.run("run", "--trust", "--resume", "last", "again"), 0, "Hello there ✓")
			d.want(d.run("verify"), 0, "2 requests, 2 identical")
			if c.kept != "" && !strings.Contains(string(s.bodies[1]), c.kept) {
				t.Errorf("the kept text is not in the next request: %s", s.bodies[1])
			}
		})
	}
}

func TestDeadEndpoint(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	d := newDesk(t)
	d.real("http://" + l.Addr().String())
	d.env["SERVICE_API_KEY"] = canary
	d.want(d.run("run", "--trust", "hi"), 1, "UNREACHABLE", l.Addr().String())
	d.want(d.run("verify"), 0, "1 request, 1 identical")
}

// A signal ends the turn in order: what streamed is kept, the exit code stands
// for the signal.
func TestSignal(t *testing.T) {
	d := newDesk(t)
	ctx, cancel := context.WithCancelCause(context.Background())
	hang := make(chan struct{})
	s := newService(t, func(w http.ResponseWriter, n int) {
		if n == 1 {
			stream(w, strings.SplitAfter(deepseekStream, "Hello ")[0]+`"}}]}`+"\n\n")
			cancel(&cli.SignalError{Signal: "interrupt", Exit: 130})
			<-hang
			return
		}
		stream(w, deepseekStream)
	})
	defer close(hang)
	d.real(s.URL)
	d.env["SERVICE_API_KEY"] = canary
	d.want(d.runCtx(ctx, "", "run", "--trust", "hi"), 130, "session  ")
	d.want(d.run("log"), 0, "aborted: stopped by signal: interrupt")
	d.want(d.run("run", "--trust", "--resume", "last", "again"), 0)
	d.want(d.run("verify"), 0, "2 requests, 2 identical")
}

// A second writer is refused with the holder's name; readers are not.
func TestSecondWriter(t *testing.T) {
	d := newDesk(t)
	var second outcome
	s := newService(t, func(w http.ResponseWriter, n int) {
		if n == 2 {
			second = d.run("run", "--trust", "--resume", "last", "me too")
			d.want(d.run("log"), 0, "turn 2")
			d.want(d.run("verify"), 0, "2 requests, 2 identical")
			d.want(d.run("sessions"), 0, "00000000-0000-7000-8000-000000000001")
		}
		stream(w, deepseekStream)
	})
	d.real(s.URL)
	d.env["SERVICE_API_KEY"] = canary
	d.want(d.run("run", "--trust", "hi"), 0)
	d.want(d.run("run", "--trust", "--resume", "last", "more"), 0)
	d.want(second, 3, "session is in use by process 1 on desk since")
	if len(s.bodies) != 2 {
		t.Errorf("%d requests were sent", len(s.bodies))
	}
}

func TestCommandLineMistakes(t *testing.T) {
	d := newDesk(t)
	d.want(d.run("init"), 0)
	for _, c := range []struct {
		args  []string
		wants []string
	}{
		{[]string{"chekc"}, []string{`unknown command "chekc"`, `did you mean "check"`}},
		{[]string{"check", "--jsno"}, []string{"--jsno"}},
		{[]string{"run"}, []string{"no prompt"}},
		{[]string{"run", "a", "b"}, []string{"put it in quotes"}},
		{[]string{"run", "--agent", "revewer", "x"}, []string{`no agent "revewer"`, "reviewer"}},
		{[]string{"run", "--resume", "nope", "x"}, []string{`no session "nope"`}},
		{[]string{"run", "--var", "x", "y"}, []string{"name=value"}},
		{[]string{"verify"}, []string{"there is no session yet"}},
		{[]string{"log", "zzz"}, []string{`no session "zzz"`}},
		{[]string{"request", "0"}, []string{"count from 1"}},
		{[]string{"test", "--run", "("}, []string{"--run"}},
		{[]string{"--config", "nowhere", "check"}, []string{"nowhere"}},
		{[]string{"--color", "blue", "check"}, []string{"blue"}},
		{[]string{"init", "--force"}, []string{"--force"}},
		{[]string{"version", "x"}, []string{"wrong number of arguments"}},
	} {
		o := d.run(c.args...)
		d.want(o, 2, c.wants...)
		if strings.Contains(o.stderr, "panic") || o.stdout != "" {
			t.Errorf("%v: stdout %q, stderr %q", c.args, o.stdout, o.stderr)
		}
	}
	// One or two dashes, flags before and after the argument.
	d.want(d.run("check", "-json"), 0, `"format_version"`)
	d.want(d.run("check", "--json"), 0, `"valid"`)
	d.want(d.run("run", "-quiet", "x"), 0)
	d.want(d.run("run", "x", "-quiet"), 0)
	d.want(d.run("version"), 0, "log format 1")
	d.want(d.run("--help"), 0, "Exit codes")
	d.want(d.run("run", "--help"), 0, "--resume")
}

func TestPromptFromStandardInput(t *testing.T) {
	d := newDesk(t)
	d.want(d.run("init"), 0)
	d.want(d.runCtx(context.Background(), "from a pipe", "run"), 0)
	d.want(d.run("log"), 0, "user: from a pipe")
	d.want(d.runCtx(context.Background(), "again a pipe", "run", "-"), 0)
	d.want(d.run("log"), 0, "user: again a pipe")
	d.want(d.runCtx(context.Background(), "+ a line", "run", "review this"), 0)
	d.want(d.run("log"), 0, "user: review this\n    \n    + a line")
	d.want(d.runCtx(context.Background(), "\xff", "run"), 2, "not UTF-8")
	d.want(d.run("run", " \n"), 2, "no prompt")
}

// A log with one changed byte: exit code 1, the request, the byte.
func TestVerifyNamesTheChangedByte(t *testing.T) {
	d := newDesk(t)
	d.want(d.run("init"), 0)
	d.want(d.run("run", "Please review main.go"), 0)
	d.want(d.run("run", "--resume", "last", "thanks"), 0)
	paths, _ := filepath.Glob(filepath.Join(d.home, ".local/state/dsh/sessions/*/*.jsonl"))
	b, err := os.ReadFile(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, new, want string }{
		{"Never push.", "Newer push.", `request 1 (turn 1, step 1): first differing byte is `},
		{"Never push.", "Newer push.", `sent 'v', the log now gives 'w', in prefix text.rules`},
		{"review main.go", "review main_go", `in event 1 (log line 3)`},
		{`"thanks"`, `"thankz"`, "2 requests, 1 identical"},
		{"Never push.", "Never\npush.", "request 1: cannot be rebuilt: the log cannot be read from line"},
	} {
		changed := strings.Replace(string(b), c.old, c.new, 1)
		if changed == string(b) {
			t.Fatalf("%q is not in the log", c.old)
		}
		if err := os.WriteFile(paths[0], []byte(changed), 0o600); err != nil {
			t.Fatal(err)
		}
		d.want(d.run("verify"), 1, c.want)
	}
	// What is damaged is not written to either.
	d.want(d.run("run", "--resume", "last", "x"), 1, "line")
	if err := os.WriteFile(paths[0], b, 0o600); err != nil {
		t.Fatal(err)
	}
	d.want(d.run("verify"), 0, "2 requests, 2 identical")
}

// runWith runs a command line in prepared surroundings.
func runWith(env cli.Env, args ...string) int { return cli.Run(context.Background(), args, env) }
