package cli_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
)

// messagesStream is an answer of the messages protocol with signed reasoning.
const messagesStream = `event: message_start
data: {"type":"message_start","message":{"id":"msg_01","type":"message","role":"assistant","content":[],"usage":{"input_tokens":4,"cache_creation_input_tokens":20,"cache_read_input_tokens":60,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"The user greets."}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"EqQBsigned=="}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}

event: ping
data: {"type":"ping"}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Hello there ✓"}}

event: content_block_stop
data: {"type":"content_block_stop","index":1}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":9}}

event: message_stop
data: {"type":"message_stop"}

`

// TestMessagesService: a session with a service of the messages protocol: what is
// sent, that reasoning comes back with its signature, that each body begins with the
// one before it, and that the log gives every body again.
func TestMessagesService(t *testing.T) {
	var mu sync.Mutex
	var bodies [][]byte
	var heads []http.Header
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		mu.Lock()
		bodies, heads = append(bodies, b), append(heads, r.Header.Clone())
		n := len(bodies)
		mu.Unlock()
		switch {
		case r.URL.Path != "/v1/messages" || r.Method != http.MethodPost:
			http.NotFound(w, r)
		case n == 2:
			w.WriteHeader(529)
			io.WriteString(w, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`)
		default:
			stream(w, messagesStream)
		}
	}))
	defer s.Close()
	d := newDesk(t)
	d.env["SERVICE_API_KEY"] = canary
	d.file("dsh.hcl", `
provider "service" {
  protocol = "anthropic"
  base_url = "`+s.URL+`"
  api_key  = env.SERVICE_API_KEY
  headers  = { "X-Team" = "core" }
  cache { ttl = "1h" }
}
model "m" {
  provider          = provider.service
  id                = "some-model"
  max_output_tokens = 4096
  thinking_tokens   = 1024
}
agent "a" {
  model = model.m
  system {
    text "who" { content = "You greet." }
  }
  prefix {
    text "rules" { content = "Be brief." }
  }
}
`)
	d.want(d.run("run", "hi"), 3, "not trusted", s.URL)
	o := d.run("run", "--trust", "hi")
	d.want(o, 0, "84 tokens in (60 from cache), 9 out")
	if o.stdout != "Hello there ✓\n" {
		t.Errorf("stdout %q", o.stdout)
	}
	d.want(d.run("run", "--trust", "--resume", "last", "again"), 0, "HTTP 529: Overloaded (overloaded_error); attempt 2 of 3 follows in 1s")
	d.want(d.run("verify"), 0, "2 requests, 2 identical")
	d.want(d.run("log"), 0, "assistant reasons: The user greets.", "(overloaded_error) (PROVIDER_UNAVAILABLE); again in 1s")
	if len(bodies) != 3 || string(bodies[1]) != string(bodies[2]) {
		t.Fatalf("%d bodies", len(bodies))
	}
	if heads[0].Get("X-Api-Key") != canary || heads[0].Get("Anthropic-Version") != "2023-06-01" || heads[0].Get("Authorization") != "" {
		t.Errorf("headers %v", heads[0])
	}
	const head = `{"model":"some-model","max_tokens":4096,"stream":true,"thinking":{"type":"enabled","budget_tokens":1024},"system":[{"type":"text","text":"You greet.","cache_control":{"type":"ephemeral","ttl":"1h"}}],` +
		`"messages":[{"role":"user","content":[{"type":"text","text":"Be brief.","cache_control":{"type":"ephemeral","ttl":"1h"}},{"type":"text","text":"hi"`
	const tail = `,"cache_control":{"type":"ephemeral","ttl":"1h"}}]}]}`
	want := []string{head + tail, head + `}]},{"role":"assistant","content":[{"type":"thinking","thinking":"The user greets.","signature":"EqQBsigned=="},{"type":"text","text":"Hello there ✓"}]},` +
		`{"role":"user","content":[{"type":"text","text":"again"` + tail}
	for i, b := range [][]byte{bodies[0], bodies[2]} {
		if string(b) != want[i] {
			t.Errorf("body %d\n%s\nwant\n%s", i+1, b, want[i])
		}
		sum := sha256.Sum256(b)
		if !strings.Contains(d.logs(), hex.EncodeToString(sum[:])) {
			t.Errorf("the digest of request %d is not in the log", i+1)
		}
		if o := d.run("request", fmt.Sprint(i+1)); o.code != 0 || o.stdout != string(b) {
			t.Errorf("dsh request %d: exit code %d\n%s\nwant\n%s", i+1, o.code, o.stdout, b)
		}
	}
	curls(t, d, 2, &bodies, &heads, "printf 'X-Api-Key: %s\\n' \"$SERVICE_API_KEY\"", "X-Api-Key")
	if strings.Contains(d.logs()+o.stdout+o.stderr, canary) {
		t.Error("the key is shown")
	}
}

// curls runs what dsh request N --curl prints and compares what arrives.
func curls(t *testing.T, d *desk, n int, bodies *[][]byte, heads *[]http.Header, fragment, header string) {
	t.Helper()
	o := d.run("request", fmt.Sprint(n), "--curl")
	d.want(o, 0, fragment, "curl ", " -H @- ")
	if strings.Contains(o.stdout, canary) {
		t.Errorf("the key is shown:\n%s", o.stdout)
	}
	script := o.stdout
	for strings.HasPrefix(script, "#") {
		_, script, _ = strings.Cut(script, "\n")
	}
	first, script, ok := strings.Cut(script, "\n")
	if !ok || !strings.HasPrefix(first, fmt.Sprintf("dsh request %d '", n)) || !strings.HasSuffix(first, fmt.Sprintf(" >request-%d.json", n)) {
		t.Fatalf("the first line is %s", first)
	}
	want := d.run("request", fmt.Sprint(n)).stdout
	d.file(fmt.Sprintf("request-%d.json", n), want)
	if _, err := exec.LookPath("curl"); err != nil {
		t.Log("there is no curl to run it with")
		return
	}
	before := len(*bodies)
	cmd := exec.Command("sh", "-c", script)
	cmd.Dir, cmd.Env = d.dir, append(os.Environ(), "SERVICE_API_KEY="+canary, "HEADER_X_TEAM=core")
	out, err := cmd.CombinedOutput()
	if err != nil || len(*bodies) != before+1 {
		t.Fatalf("%v: %s\n%s", err, script, out)
	}
	if got := string((*bodies)[before]); got != want {
		t.Errorf("curl sent\n%s\nwant\n%s", got, want)
	}
	last, earlier := (*heads)[before], (*heads)[before-1]
	for _, name := range []string{header, "Content-Type", "Accept", "X-Team", "Anthropic-Version"} {
		if last.Get(name) != earlier.Get(name) {
			t.Errorf("%s: curl sends %q, dsh %q", name, last.Get(name), earlier.Get(name))
		}
	}
}
