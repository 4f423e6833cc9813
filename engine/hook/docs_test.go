package hook_test

import (
	"os"
	"strings"
	"testing"

	"github.com/dsh-hcl/dsh/engine/hook"
	"github.com/dsh-hcl/dsh/engine/msg"
)

// TestDocumentedInputs holds the examples of docs/hooks.md to what commands read;
// DSH_UPDATE rewrites them.
func TestDocumentedInputs(t *testing.T) {
	const path = "../../docs/hooks.md"
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	for _, p := range hook.Points() {
		o := hook.Occasion{Point: p, SessionID: "019b7f3e-7c28-7000-8000-000000000001", Transcript: "/home/anna/.local/state/dsh/sessions/shop-1f0c9a453fad/019b7f3e-7c28-7000-8000-000000000001.jsonl", Cwd: "/home/anna/shop"}
		call := msg.ToolCall{ID: "call_1", Name: "bash", Arguments: `{"command":"make lint"}`}
		switch p {
		case hook.SessionStart:
			o.Source = "startup"
		case hook.UserPromptSubmit:
			o.Prompt = "Please review main.go"
		case hook.PreToolUse:
			o.Call = call
		case hook.PostToolUse:
			o.Call, o.Response = call, `[{"type":"text","text":"no problems"}]`
		}
		head, rest, ok := strings.Cut(text, "\n### "+string(p)+"\n")
		before, block, open := strings.Cut(rest, "```json\n")
		_, after, closed := strings.Cut(block, "```\n")
		if !ok || !open || !closed || strings.Contains(before, "\n#") {
			t.Fatalf("%s: no section with an example for %s", path, p)
		}
		text = head + "\n### " + string(p) + "\n" + before + "```json\n" + string(o.Input()) + "```\n" + after
	}
	if text == string(b) {
		return
	}
	if os.Getenv("DSH_UPDATE") == "" {
		t.Fatalf("%s does not show what commands read; DSH_UPDATE=1 go test ./engine/hook rewrites it", path)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
