package cli_test

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNothingIsIgnored: what the command line and the machine say in vain is told.
func TestNothingIsIgnored(t *testing.T) {
	d := newDesk(t)
	d.file("dsh.hcl", "variable \"team\" {\n  default = \"x\"\n}\n")
	d.want(d.run("config", "var.team", "--var", "team=a", "--var", "team=b"), 0, `var.team = "b"`) // the last one wins, as documented
	dir := filepath.Join(d.home, ".config/dsh")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "settings.yml"), []byte("color: never\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	d.want(d.run("check"), 0, "settings.yml is not read", "settings.yaml")
	d.env["DSH_TRUSTED_PATHS"] = filepath.Join(d.dir, "nowhere")
	d.want(d.run("check"), 2, "trusted_paths (", "nowhere, which is no folder")
}

// TestPartsStayHidden: a provider that repeats a token without the words around it
// shows it neither to the person nor to the log.
func TestPartsStayHidden(t *testing.T) {
	const token = "tok-canary-1"
	s := newService(t, func(w http.ResponseWriter, _ int) {
		w.WriteHeader(400)
		io.WriteString(w, `{"error":{"message":"bad `+token+`, \u0074ok-canary-1"`)
	})
	d := newDesk(t)
	d.env["T"] = token
	d.file("dsh.hcl", `provider "p" {
  protocol = "openai"
  base_url = "`+s.URL+`/v1"
  headers  = { "X-Auth" = "Token token=\"${env.T}\"" }
}
model "m" {
  provider = provider.p
  id       = "m"
}
agent "a" {
  model = model.m
}
`)
	d.want(d.run("trust"), 0)
	o := d.run("run", "hello")
	d.want(o, 1, "(sensitive)")
	if all := o.stdout + o.stderr + d.logs(); strings.Contains(all, "ok-canary") {
		t.Error(all)
	}
	if got := s.headers[0].Get("X-Auth"); got != `Token token="`+token+`"` {
		t.Error(got)
	}
}

// TestSecondDocument: of a settings file in YAML nothing is passed over.
func TestSecondDocument(t *testing.T) {
	d := newDesk(t)
	d.env["XDG_CONFIG_HOME"] = d.dir
	d.file("dsh/settings.yaml", "---\n# one\ncolor: never\n")
	d.want(d.run("settings"), 0, "never")
	d.file("dsh/settings.yaml", "color: never\n---\nbogus: y\n")
	d.want(d.run("settings"), 2, "Two YAML documents", "settings.yaml:2,1")
}
