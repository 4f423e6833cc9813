package hook

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/proc"
)

// Verdict is the gist of a decision, as the log records it.
type Verdict string

// The verdicts. Failed is a command that could not decide: nothing is blocked.
const (
	Proceed Verdict = "proceed"
	Block   Verdict = "block"
	Ask     Verdict = "ask"
	Failed  Verdict = "failed"
)

// Decision is what a hook decided.
type Decision struct {
	Verdict Verdict
	// Reason goes with Block and Ask: for the model at PreToolUse, PostToolUse and
	// Stop, for the person at UserPromptSubmit. With Failed it says what went wrong.
	Reason string
	// Context is added to the session, "" for none.
	Context string
	// Arguments takes the place of a tool call's arguments, "" to leave them:
	// canonical JSON.
	Arguments string
	// Halt ends the turn after the step, whatever else is decided; Reason says why.
	Halt bool
}

// Decide reads a command's result (exit code 0: JSON or text on standard output;
// 2: standard error is the reason to block; anything else is a failure that blocks
// nothing).
func Decide(point Point, r proc.Result) Decision {
	switch {
	case r.Err != nil:
		return Decision{Verdict: Failed, Reason: strings.ToValidUTF8(r.Err.Error(), "\uFFFD")}
	case r.TimedOut:
		return Decision{Verdict: Failed, Reason: "it took longer than its timeout"}
	case r.ExitCode == 2:
		reason := Summary(r.Stderr)
		if reason == "" {
			reason = "blocked by a hook"
		}
		return Decision{Verdict: Block, Reason: reason}
	case r.ExitCode != 0:
		reason := fmt.Sprintf("exit code %d", r.ExitCode)
		if r.ExitCode < 0 {
			reason = "a signal ended it"
		}
		if said := Summary(r.Stderr); said != "" {
			reason += ": " + said
		}
		return Decision{Verdict: Failed, Reason: reason}
	case r.Cut:
		// Half of an output decides nothing.
		return Decision{Verdict: Failed, Reason: "its output is larger than its bound"}
	}
	out := strings.TrimSpace(string(r.Stdout))
	if !strings.HasPrefix(out, "{") {
		return plain(point, out)
	}
	v, err := canon.Parse(out)
	if err != nil {
		return Decision{Verdict: Failed, Reason: "its output begins like JSON and is none: " + err.Error()}
	}
	return structured(point, v)
}

// plain is output that is no JSON: context where a session or a prompt begins,
// nothing elsewhere.
func plain(point Point, out string) Decision {
	switch {
	case point != SessionStart && point != UserPromptSubmit:
		return Decision{Verdict: Proceed}
	case !utf8.ValidString(out):
		return Decision{Verdict: Failed, Reason: "its output is not UTF-8 text"}
	}
	return Decision{Verdict: Proceed, Context: out}
}

func structured(point Point, v canon.Value) Decision {
	text := func(v canon.Value, name string) string { s, _ := v.Get(name).Text(); return s }
	d := Decision{Verdict: Proceed, Reason: text(v, "reason")}
	switch text(v, "decision") {
	case "block", "deny":
		d.Verdict = Block
	case "", "approve", "allow":
	default:
		return Decision{Verdict: Failed, Reason: fmt.Sprintf("decision %q is unknown", text(v, "decision"))}
	}
	more := v.Get("hookSpecificOutput")
	if name := text(more, "hookEventName"); name != "" && name != string(point) {
		return Decision{Verdict: Failed, Reason: fmt.Sprintf("its output is for %s", name)}
	}
	switch text(more, "permissionDecision") {
	case "deny":
		d.Verdict = Block
	case "ask":
		d.Verdict = Ask
	case "", "allow":
	default:
		return Decision{Verdict: Failed, Reason: fmt.Sprintf("permissionDecision %q is unknown", text(more, "permissionDecision"))}
	}
	if s := text(more, "permissionDecisionReason"); s != "" {
		d.Reason = s
	}
	d.Context = text(more, "additionalContext")
	if input := more.Get("updatedInput"); input.Exists() {
		c, err := canon.Canonical(input)
		if err != nil || input.Kind() != canon.ObjectKind {
			return Decision{Verdict: Failed, Reason: "updatedInput is no object"}
		}
		d.Arguments = c
	}
	if c := v.Get("continue"); c.Kind() == canon.Bool && !c.IsTrue() {
		if point == SessionStart {
			return Decision{Verdict: Failed, Reason: "continue is false, and the start of a session cannot be stopped"}
		}
		d.Halt = true
		if s := text(v, "stopReason"); s != "" {
			d.Reason = s
		}
		if d.Reason == "" {
			d.Reason = "stopped by a hook"
		}
	}
	if d.Verdict == Block && d.Reason == "" {
		d.Reason = "blocked by a hook"
	}
	return d
}

// maxSummary bounds what the log keeps of a command's standard error, in bytes.
const maxSummary = 1000

// Summary is the beginning of a command's standard error, valid UTF-8.
func Summary(stderr []byte) string {
	s := strings.TrimSpace(strings.ToValidUTF8(string(stderr), "\uFFFD"))
	if len(s) <= maxSummary {
		return s
	}
	cut := maxSummary
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
