package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A recorded session is the model: each request gets the recorded answer as long as it is
// the recorded request, byte for byte; a compaction and a continued session among them.
func TestReplay(t *testing.T) {
	d := newDesk(t)
	const agent = `
model "m" {
  provider       = provider.p
  id             = "m"
  context_window = 2000
}
agent "a" {
  model = model.m
  prefix {
    text "rules" { content = "Be brief." }
  }
  compaction {
    threshold_tokens = 300
    retain_tokens    = 10
  }
}
`
	d.file("dsh.hcl", `provider "p" {
  protocol = "script"
  script   = "model.hcl"
}
`+agent)
	d.file("model.hcl", `reply {
  reasoning = "hm"
  text      = "`+strings.Repeat("The harbour lies at the end of the valley. ", 40)+`"
}
reply { text = "They spoke of the harbour." }
reply {
  tool "look" { at = "quay" }
}
reply { text = "On the quay." }
`)
	d.want(d.run("run", "-q", "Where is the harbour?"), 0, "at the end of the valley")
	d.want(d.run("run", "-q", "--continue", "And the market?"), 0, "On the quay.")
	d.want(d.run("sessions", "export", "--exact", "last", "session.jsonl"), 0)
	d.file("dsh.hcl", `provider "p" {
  protocol = "replay"
  log      = "session.jsonl"
}
`+agent)
	d.want(d.run("check"), 0, "The configuration is valid.")
	d.want(d.run("run", "-q", "Where is the harbour?"), 0, "at the end of the valley")
	d.want(d.run("run", "-q", "--continue", "And the market?"), 0, "On the quay.")
	d.want(d.run("verify"), 0, "4 requests, 4 identical")
	d.want(d.run("run", "-q", "--continue", "And the church?"), 1, "REPLAY_EXHAUSTED", "has 4 requests, and this is another one")
	d.want(d.run("run", "-q", "Where is the harbor?"), 1, "REPLAY_DIFFERS", "request 1 is not the one of the recording session.jsonl: the first differing byte is", `recorded "`, `now "`)

	// A recording that is not what was written answers nothing, and begins no session.
	path := filepath.Join(d.dir, "session.jsonl")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(b), "And the market?", "And the merket?", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	d.want(d.run("run", "-q", "Where is the harbour?"), 1, "the log session.jsonl cannot be replayed, since it is not what was written")
}
