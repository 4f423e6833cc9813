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

func TestCompareAndWrite(t *testing.T) {
	dir := t.TempDir()
	pin := func(name, text string) golden.Pin {
		return golden.Pin{Path: filepath.Join(dir, "golden", "area", name), Found: text}
	}
	both, err := golden.Compare(dir, pin("name.json", "a\n"), pin("name.md", "m\n"))
	if err != nil || len(both) != 2 || !both[0].Missing || !strings.Contains(both[0].Mismatch().Error(), "-update") || both[0].Moves() {
		t.Fatalf("missing: %v %v", both, err)
	}
	if err := golden.Write(dir, both...); err != nil {
		t.Fatal(err)
	}
	if same, err := golden.Compare(dir, pin("name.json", "a\n"), pin("name.md", "m\n")); len(same) != 0 || err != nil {
		t.Errorf("equal: %v %v", same, err)
	}
	one, err := golden.Compare(dir, pin("name.json", "b\n"), pin("name.md", "m\n"))
	if err != nil || len(one) != 1 || one[0].Missing || !strings.Contains(one[0].Mismatch().Error(), "-golden +found") || !one[0].Moves() {
		t.Errorf("different: %v %v", one, err)
	}
	if b, _ := os.ReadFile(one[0].Path); string(b) != "a\n" {
		t.Errorf("a comparison wrote %q", b)
	}
	// All are written, or none, and nothing is left beside them.
	bad := golden.Change{Pin: pin("name.md/x.md", "x\n")}
	var place *golden.PlaceError
	if err := golden.Write(dir, one[0], bad); !errors.As(err, &place) || place.Is != "no folder" {
		t.Errorf("half written: %v", err)
	}
	if b, _ := os.ReadFile(one[0].Path); string(b) != "a\n" {
		t.Errorf("one of two was written: %q", b)
	}
	if left, _ := os.ReadDir(filepath.Join(dir, "golden", "area")); len(left) != 2 {
		t.Errorf("left behind: %v", left)
	}
}

// The reason is a member of the JSON and nothing else: a line of a prompt that looks like
// it is content.
func TestMoves(t *testing.T) {
	const reasoned = "{\n  \"reason\": \"initial\",\n  \"config\": {}\n}\n"
	for _, c := range []struct {
		path, held, found string
		want              bool
	}{
		{"h.json", reasoned, strings.Replace(reasoned, "initial", "resume", 1), false},
		{"h.json", reasoned, strings.Replace(reasoned, "{}", "{\"model\":\"m\"}", 1), true},
		{"h.json", reasoned + "  \"reason\": 1\n", reasoned + "  \"reason\": 2\n", true},
		{"h.md", "# System\n  \"reason\": \"one\"\n", "# System\n  \"reason\": \"two\"\n", true},
	} {
		if got := (golden.Change{Pin: golden.Pin{Path: c.path, Found: c.found}, Held: c.held}).Moves(); got != c.want {
			t.Errorf("%s: %q to %q: %v", c.path, c.held, c.found, got)
		}
	}
}

func TestPlace(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	for _, folder := range []string{"golden/a/folder.json", "golden/b"} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"golden/a/x.json", "golden/file"} {
		if err := os.WriteFile(filepath.Join(dir, file), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"golden/a/to.json": filepath.Join(dir, "golden/a/x.json"), "golden/a/nowhere.md": filepath.Join(other, "new"), "golden/c": other} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Skip(err) // a machine that lets nobody make links
		}
	}
	for path, want := range map[string]string{
		"golden/a/x.json": "", "golden/a/new.json": "", "golden/new/x.json": "",
		"golden/a/folder.json": "a folder", "golden/file/x.json": "no folder",
		"golden/a/to.json": "a link", "golden/a/nowhere.md": "a link", "golden/c/x.json": "a link",
	} {
		err := golden.Place(dir, filepath.Join(dir, path))
		var place *golden.PlaceError
		if errors.As(err, &place); (err != nil) != (want != "") || want != "" && (place == nil || place.Is != want) {
			t.Errorf("%s: %v, not %q", path, err, want)
		}
	}
}

func TestUnfit(t *testing.T) {
	for _, c := range []struct{ path, text, want string }{
		{"h.md", "# History\n", "a history without a message"},
		{"h.json", "\n", "empty"},
		{"h.json", "{}", "its last line has no end"},
		{"h.md", "00000000-0000-7000-8000-000000000001\n", "an id"},
		{"h.json", "{\"a\":\"x:run7:y\"}\n", "the scenario's folder"},
		{"h.jsonl", "{\"time\":12}\n", "a time"},
		{"h.jsonl", "{\"time\":0,\"text\":\"{\\\"time\\\": 12}\"}\n", ""},
		{"h.md", "{\"time\": 12}, /tmp/script-x\n", ""},
	} {
		if got := golden.Unfit(c.path, c.text, "run7"); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s %q: %q, not %q", c.path, c.text, got, c.want)
		}
	}
}
