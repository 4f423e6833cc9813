package cli_test

import (
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestKeySources: a key comes from a file or from a program, over TLS with a
// certificate that only the configuration trusts, and is seen nowhere.
func TestKeySources(t *testing.T) {
	var keys []string
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		keys = append(keys, r.Header.Get("Authorization"))
		stream(w, oneWord+stopped+counted+ended)
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	defer s.Close()
	d := newDesk(t)
	d.env["PATH"] = os.Getenv("PATH")
	d.file("ca.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})))
	secret := filepath.Join(t.TempDir(), "secret")
	write := func(text string) {
		if err := os.WriteFile(secret, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	configure := func(key string) {
		d.file("dsh.hcl", `
provider "service" {
  protocol = "openai"
  base_url = "`+s.URL+`/v1"
  ca_file  = "ca.pem"
  `+key+`
}
model "m" {
  provider = provider.service
  id       = "m"
}
agent "a" { model = model.m }
`)
	}
	sent := func(want string) {
		t.Helper()
		if n := len(keys); n == 0 || keys[n-1] != "Bearer "+want {
			t.Errorf("Authorization %q, want the key %s", keys, want)
		}
	}

	configure(`api_key_file = "` + secret + `"`)
	d.want(d.run("run", "hi"), 3, "not trusted", "credential", "secret for provider.service")
	d.want(d.run("check"), 0)
	before := d.logs()
	d.want(d.run("run", "--trust", "hi"), 2, "No credential", "api_key_file", "no such file")
	write("\n")
	d.want(d.run("run", "--trust", "hi"), 2, "is empty")
	if d.logs() != before {
		t.Error("there is a session without a key")
	}
	write(canary + "-file\n")
	d.want(d.run("run", "--trust", "hi"), 0, "Hel")
	sent(canary + "-file")
	write(canary + "-other")
	d.want(d.run("run", "--trust", "--resume", "last", "again"), 0)
	sent(canary + "-other")

	asked := filepath.Join(d.dir, "asked")
	configure(`api_key_command = ["sh", "-c", "echo x >> asked; echo secret >&2; cat ` + secret + `"]`)
	d.want(d.run("run", "hi"), 3, "not trusted", "cat "+secret)
	d.want(d.run("check"), 0)
	if _, err := os.Stat(asked); err == nil {
		t.Error("the program ran without trust")
	}
	d.want(d.run("run", "--trust", "--resume", "last", "once more"), 0)
	sent(canary + "-other")
	if b, _ := os.ReadFile(asked); string(b) != "x\n" {
		t.Errorf("the program was asked %d times", strings.Count(string(b), "x"))
	}
	d.want(d.run("verify"), 0, "3 requests, 3 identical")
	configure(`api_key_command = ["sh", "-c", "echo ` + canary + `; exit 3"]`)
	o := d.run("run", "--trust", "--resume", "last", "hi")
	d.want(o, 2, "api_key_command", "sh ended with exit code 3")
	configure(`api_key_command = ["no-such-program-here"]`)
	d.want(d.run("run", "--trust", "hi"), 2, "api_key_command", "no-such-program-here")
	if strings.Contains(d.logs(), canary) {
		t.Error("the key is in the log")
	}

	// Without the file of certificates nobody answers for the server.
	configure(`api_key_file = "` + secret + `"`)
	d.file("dsh.hcl", strings.Replace(d.read("dsh.hcl"), "  ca_file  = \"ca.pem\"\n", "", 1))
	d.want(d.run("run", "--trust", "hi"), 1, "UNREACHABLE", "certificate")
}
