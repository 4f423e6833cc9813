package hook_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/hook"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/proc"
)

func TestInput(t *testing.T) {
	base := hook.Occasion{SessionID: "s", Transcript: "/l", Cwd: "/w"}
	const head = `{"session_id":"s","transcript_path":"/l","cwd":"/w","hook_event_name":`
	for _, c := range []struct {
		change func(*hook.Occasion)
		want   string
	}{
		{func(o *hook.Occasion) { o.Point, o.Source = hook.SessionStart, "resume" }, head + `"SessionStart","source":"resume"}`},
		{func(o *hook.Occasion) { o.Point, o.Prompt = hook.UserPromptSubmit, "a\"b" }, head + `"UserPromptSubmit","prompt":"a\"b"}`},
		{func(o *hook.Occasion) {
			o.Point, o.Call = hook.PreToolUse, msg.ToolCall{ID: "c", Name: "ls", Arguments: `{ "d": 1 }`}
		}, head + `"PreToolUse","tool_name":"ls","tool_input":{"d":1},"tool_use_id":"c"}`},
		{func(o *hook.Occasion) { o.Point, o.Call = hook.PreToolUse, msg.ToolCall{ID: "c", Name: "ls"} }, head + `"PreToolUse","tool_name":"ls","tool_input":{},"tool_use_id":"c"}`},
		{func(o *hook.Occasion) {
			o.Point, o.Call = hook.PreToolUse, msg.ToolCall{ID: "c", Name: "ls", Arguments: "{no"}
		}, head + `"PreToolUse","tool_name":"ls","tool_input":"{no","tool_use_id":"c"}`},
		{func(o *hook.Occasion) {
			o.Point, o.Call, o.Response, o.IsError = hook.PostToolUse, msg.ToolCall{ID: "c", Name: "ls"}, `[{"type":"text","text":"x"}]`, true
		}, head + `"PostToolUse","tool_name":"ls","tool_input":{},"tool_use_id":"c","tool_response":{"content":[{"type":"text","text":"x"}],"is_error":true}}`},
		{func(o *hook.Occasion) { o.Point, o.Active = hook.Stop, true }, head + `"Stop","stop_hook_active":true}`},
	} {
		o := base
		c.change(&o)
		if got := string(o.Input()); got != c.want+"\n" {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

func TestDecide(t *testing.T) {
	ok := func(out string) proc.Result { return proc.Result{Stdout: []byte(out)} }
	for _, c := range []struct {
		name  string
		point hook.Point
		r     proc.Result
		want  hook.Decision
	}{
		{"silence", hook.PreToolUse, ok(""), hook.Decision{Verdict: hook.Proceed}},
		{"text is context for a prompt", hook.UserPromptSubmit, ok(" note\n"), hook.Decision{Verdict: hook.Proceed, Context: "note"}},
		{"text is context for a session", hook.SessionStart, ok("note"), hook.Decision{Verdict: hook.Proceed, Context: "note"}},
		{"text is nothing for a tool", hook.PreToolUse, ok("note"), hook.Decision{Verdict: hook.Proceed}},
		{"exit code 2 blocks", hook.PreToolUse, proc.Result{ExitCode: 2, Stderr: []byte(" no \n")}, hook.Decision{Verdict: hook.Block, Reason: "no"}},
		{"exit code 2 without a word", hook.Stop, proc.Result{ExitCode: 2}, hook.Decision{Verdict: hook.Block, Reason: "blocked by a hook"}},
		{"another exit code blocks nothing", hook.PreToolUse, proc.Result{ExitCode: 1, Stderr: []byte("oops")}, hook.Decision{Verdict: hook.Failed, Reason: "exit code 1: oops"}},
		{"timeout", hook.PreToolUse, proc.Result{ExitCode: -1, TimedOut: true}, hook.Decision{Verdict: hook.Failed, Reason: "it took longer than its timeout"}},
		{"a path of any bytes", hook.PreToolUse, proc.Result{Err: errors.New("no \xff")}, hook.Decision{Verdict: hook.Failed, Reason: "no \uFFFD"}},
		{"not started", hook.PreToolUse, proc.Result{Err: errors.New("no such file")}, hook.Decision{Verdict: hook.Failed, Reason: "no such file"}},
		{"block", hook.UserPromptSubmit, ok(`{"decision":"block","reason":"why"}`), hook.Decision{Verdict: hook.Block, Reason: "why"}},
		{"approve", hook.UserPromptSubmit, ok(`{"decision":"approve"}`), hook.Decision{Verdict: hook.Proceed}},
		{"deny", hook.PreToolUse, ok(`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"why"}}`), hook.Decision{Verdict: hook.Block, Reason: "why"}},
		{"ask", hook.PreToolUse, ok(`{"hookSpecificOutput":{"permissionDecision":"ask"}}`), hook.Decision{Verdict: hook.Ask}},
		{"allow with other input", hook.PreToolUse, ok(`{"hookSpecificOutput":{"permissionDecision":"allow","updatedInput":{"b": 1}}}`), hook.Decision{Verdict: hook.Proceed, Arguments: `{"b":1}`}},
		{"context", hook.PostToolUse, ok(`{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"mind"}}`), hook.Decision{Verdict: hook.Proceed, Context: "mind"}},
		{"halt", hook.Stop, ok(`{"continue":false,"stopReason":"budget"}`), hook.Decision{Verdict: hook.Proceed, Halt: true, Reason: "budget"}},
		{"unknown decision", hook.Stop, ok(`{"decision":"maybe"}`), hook.Decision{Verdict: hook.Failed, Reason: `decision "maybe" is unknown`}},
		{"unknown permission", hook.PreToolUse, ok(`{"hookSpecificOutput":{"permissionDecision":"x"}}`), hook.Decision{Verdict: hook.Failed, Reason: `permissionDecision "x" is unknown`}},
		{"of another point", hook.PreToolUse, ok(`{"hookSpecificOutput":{"hookEventName":"Stop"}}`), hook.Decision{Verdict: hook.Failed, Reason: "its output is for Stop"}},
		{"broken JSON", hook.PreToolUse, ok(`{"decision":`), hook.Decision{Verdict: hook.Failed, Reason: "its output begins like JSON and is none: unexpected end at byte 12"}},
		{"input that is no object", hook.PreToolUse, ok(`{"hookSpecificOutput":{"updatedInput":[1]}}`), hook.Decision{Verdict: hook.Failed, Reason: "updatedInput is no object"}},
		{"text beyond its bound", hook.UserPromptSubmit, proc.Result{Stdout: []byte("half"), Cut: true}, hook.Decision{Verdict: hook.Failed, Reason: "its output is larger than its bound"}},
		{"too much", hook.Stop, proc.Result{Stdout: []byte("noise\xff"), Cut: true}, hook.Decision{Verdict: hook.Failed, Reason: "its output is larger than its bound"}},
		{"too much before a block", hook.Stop, proc.Result{ExitCode: 2, Stderr: []byte("no"), Cut: true}, hook.Decision{Verdict: hook.Block, Reason: "no"}},
		{"noise of a tool's hook", hook.PreToolUse, ok("noise\xff"), hook.Decision{Verdict: hook.Proceed}},
		{"a signal", hook.Stop, proc.Result{ExitCode: -1}, hook.Decision{Verdict: hook.Failed, Reason: "a signal ended it"}},
		{"another exit code without a word", hook.Stop, proc.Result{ExitCode: 3}, hook.Decision{Verdict: hook.Failed, Reason: "exit code 3"}},
		{"halt", hook.PostToolUse, ok(`{"continue":false,"stopReason":"enough"}`), hook.Decision{Verdict: hook.Proceed, Halt: true, Reason: "enough"}},
		{"halt without a word", hook.PostToolUse, ok(`{"continue":false}`), hook.Decision{Verdict: hook.Proceed, Halt: true, Reason: "stopped by a hook"}},
		{"halt at the start", hook.SessionStart, ok(`{"continue":false}`), hook.Decision{Verdict: hook.Failed, Reason: "continue is false, and the start of a session cannot be stopped"}},
		{"text in no encoding", hook.SessionStart, ok("caf\xe9"), hook.Decision{Verdict: hook.Failed, Reason: "its output is not UTF-8 text"}},
		{"output beyond its bound", hook.PreToolUse, proc.Result{Stdout: []byte(`{"decision":"block"}`), Cut: true}, hook.Decision{Verdict: hook.Failed, Reason: "its output is larger than its bound"}},
	} {
		if got := hook.Decide(c.point, c.r); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestSummary(t *testing.T) {
	s := hook.Summary([]byte(strings.Repeat("é", 2000) + "\xff"))
	if len(s) > 1004 || canon.CheckText(s) != nil {
		t.Errorf("%d bytes, %v", len(s), canon.CheckText(s))
	}
}

// FuzzDecide: no output panics, and what is decided can be logged.
func FuzzDecide(f *testing.F) {
	f.Add([]byte(`{"decision":"block","reason":"\ud800"}`), []byte("x"), 0)
	f.Add([]byte("text"), []byte("\xff"), 2)
	f.Fuzz(func(t *testing.T, out, errs []byte, code int) {
		for _, p := range hook.Points() {
			d := hook.Decide(p, proc.Result{ExitCode: code, Stdout: out, Stderr: errs})
			for _, s := range []string{d.Reason, d.Context, d.Arguments} {
				if canon.CheckText(s) != nil {
					t.Fatalf("%q is not UTF-8", s)
				}
			}
		}
	})
}

func TestRunsForReal(t *testing.T) {
	o := hook.Occasion{Point: hook.UserPromptSubmit, Prompt: "secret"}
	r := proc.Run(context.Background(), proc.Command{Args: []string{"/bin/sh", "-c", "grep -q secret && { echo no secrets >&2; exit 2; }"}, Env: []string{"PATH=/bin:/usr/bin"}, Stdin: o.Input()})
	if d := hook.Decide(o.Point, r); d.Verdict != hook.Block || d.Reason != "no secrets" {
		t.Errorf("%+v", d)
	}
}
