package golden_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/header"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/golden"
)

func requestHeader(t *testing.T, system, text string) event.RequestHeader {
	t.Helper()
	m, err := msg.NewMessage(msg.RoleUser, msg.Text{Text: text})
	if err != nil {
		t.Fatal(err)
	}
	return event.RequestHeader{
		Reason: event.HeaderInitial,
		Header: header.New(header.Parts{
			Config: msg.CallConfig{Model: "m", MaxTokens: msg.Some[int64](9)}, System: system,
			Tools:  []msg.Tool{{Name: "ls", Description: "lists", Parameters: `{"type":"object"}`}},
			Prefix: header.Seal([]msg.Message{m}), Wire: header.Wire{Protocol: "openai", Dialect: "openai"},
		}),
		Sources: header.Sources{
			System: []header.Source{{Address: "system.text.s", Bytes: 3, SHA256: "aa"}},
			Prefix: []header.Source{{Address: "text.p", Bytes: 5, SHA256: "bb"}},
		},
	}
}

func TestHeader(t *testing.T) {
	want := `{
  "reason": "initial",
  "config": {"model":"m","maxTokens":9},
  "wire": {"protocol":"openai","dialect":"openai"},
  "system": [
    {"address": "system.text.s", "text": "{{system}}"}
  ],
  "tools": [
    {"name": "ls", "schema": "{{tool}}"}
  ],
  "messagePrefix": [
    {"address": "text.p", "role": "user", "content": "{{messagePrefix}}"}
  ]
}
`
	for _, text := range []string{"one", "another"} {
		if got := golden.Header(requestHeader(t, "sys", text)); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
	full := golden.FullHeader(requestHeader(t, "sys", "one"), golden.Varying{})
	for _, fragment := range []string{`{"address": "system.text.s", "bytes": 3, "sha256": "aa"}`, `{"name":"ls","description":"lists","parameters":{"type":"object"}}`,
		`{"address": "text.p", "role": "user", "bytes": 5, "sha256": "bb"}`} {
		if !strings.Contains(full, fragment) {
			t.Errorf("%s is missing in\n%s", fragment, full)
		}
	}
	bare := golden.Header(event.RequestHeader{Reason: "resume", Header: header.New(header.Parts{Config: msg.CallConfig{Model: "m"}})})
	if strings.Contains(bare, "system") || strings.Contains(bare, "tools") || strings.Contains(bare, "messagePrefix") {
		t.Errorf("what is absent is shown:\n%s", bare)
	}
}

func TestContent(t *testing.T) {
	got := golden.Content(requestHeader(t, "be brief", "a fence:\n```\nx\n```\n"), golden.Varying{})
	want := "# System\n\n## system\n\n```text\nbe brief\n```\n\n# Prefix\n\n## text.p (user)\n\n````text\na fence:\n```\nx\n```\n````\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestCheck(t *testing.T) {
	path := filepath.Join(t.TempDir(), "area", "name.json")
	var mismatch *golden.Mismatch
	if _, err := golden.Check(path, "a\n", false); !errors.As(err, &mismatch) || !mismatch.Missing || !strings.Contains(err.Error(), "-update") {
		t.Errorf("missing: %v", err)
	}
	if changed, err := golden.Check(path, "a\n", true); !changed || err != nil {
		t.Errorf("written: %v %v", changed, err)
	}
	if changed, err := golden.Check(path, "a\n", true); changed || err != nil {
		t.Errorf("written again: %v %v", changed, err)
	}
	if changed, err := golden.Check(path, "a\n", false); changed || err != nil {
		t.Errorf("equal: %v %v", changed, err)
	}
	if _, err := golden.Check(path, "b\n", false); !errors.As(err, &mismatch) || mismatch.Missing || !strings.Contains(err.Error(), "-golden +found") {
		t.Errorf("different: %v", err)
	}
	if b, _ := os.ReadFile(path); string(b) != "a\n" {
		t.Errorf("a check without update wrote %q", b)
	}
}
