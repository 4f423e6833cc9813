package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/compact"
	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/eventlog"
	"github.com/dsh-hcl/dsh/engine/header"
	"github.com/dsh-hcl/dsh/engine/msg"
)

func (c *command) logCommand() *cobra.Command {
	var full, asJSON, compaction bool
	cmd := &cobra.Command{
		Use:   "log [SESSION]",
		Short: "Print a session as a readable transcript",
		Long: "Prints what a session's log holds: turns, messages, headers with their frozen\n" +
			"prefix by contributor, and requests with size and digest. SESSION is an id, a\n" +
			"unique beginning of one, or last; without it, the newest session of this workspace.",
		Args: argCount(0, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			entry, text, err := c.readSession(first(args))
			if err != nil {
				return err
			}
			if asJSON && compaction {
				return usageErrorf("--compaction and --json are two forms of the log: use one")
			}
			if asJSON {
				_, err := io.WriteString(c.env.Stdout, text)
				return err
			}
			scan, err := eventlog.ScanText(entry.Path, text)
			if compaction {
				return errors.Join(err, c.showCompactions(scan.Events))
			}
			t := &transcript{out: c.env.Stdout, full: full}
			t.header(scan.Header, entry.Path)
			for _, e := range scan.Events {
				t.event(e)
			}
			if scan.Torn {
				t.line("the last line was cut by a crash")
			}
			return errors.Join(err, t.err)
		},
	}
	cmd.Flags().BoolVar(&full, "full", false, "with the text of system, prefix and recalled sessions")
	cmd.Flags().BoolVar(&compaction, "compaction", false, "what its compactions decided and did, with the arithmetic")
	cmd.Flags().BoolVar(&asJSON, "json", false, "the lines of the log as they are")
	return cmd
}

// transcript renders events for a person.
type transcript struct {
	out      io.Writer
	full     bool
	requests int
	err      error
}

func (t *transcript) line(format string, args ...any) {
	if _, err := fmt.Fprintln(t.out, printable(fmt.Sprintf(format, args...))); err != nil && t.err == nil {
		t.err = err
	}
}

func (t *transcript) header(h eventlog.Header, path string) {
	t.line("session %s", inLine(h.ID))
	t.line("  agent %s, created %s, workspace %s", inLine(h.Agent), stamp(time.UnixMilli(h.CreatedAt)), inLine(h.Cwd))
	t.line("  %s", inLine(path))
}

func (t *transcript) event(e event.Event) {
	d := e.Data
	number := func(name string) int64 { n, _ := d.Get(name).Int(); return n }
	text := func(name string) string { s, _ := d.Get(name).Text(); return s }
	switch e.Type {
	case "turn/start":
		t.line("\nturn %d, %s", number("turn"), stamp(time.UnixMilli(e.Time)))
	case "turn/end":
		t.line("  end: %s (event %d)", inLine(endText(event.ParseEndReason(d.Get("reason")))), e.Seq)
	case "user/message":
		if kind, _ := d.Get("source").Get("kind").Text(); kind == "session-reference" {
			t.snapshot(d)
			return
		}
		who := "user"
		if plugin, _ := d.Get("source").Get("plugin").Text(); plugin == compact.PluginName {
			who = "checkpoint"
		}
		t.message(who, d)
	case "context/message":
		t.message("context", d)
	case "steering/message":
		t.message("steering", d)
	case "assistant/message":
		who := "assistant"
		if d.Get("interrupted").IsTrue() {
			who = "assistant (interrupted)"
		}
		t.message(who, d)
		t.paid(d)
	case "tool/call":
		t.line("  tool %s %s %s", inLine(text("callId")), inLine(text("name")), inLine(text("arguments")))
	case "tool/result":
		who := "result " + inLine(text("callId"))
		if d.Get("isError").IsTrue() {
			who += " (error)"
		}
		t.message(who, d)
	case "prompt/blocked":
		t.message("blocked: "+inLine(text("reason")), d)
	case "request/header":
		p, err := event.ParseRequestHeader(d)
		if err != nil {
			t.line("  header that cannot be read: %v", err)
			return
		}
		t.requestHeader(p)
	case "request/sent":
		t.requests++
		p := event.ParseRequestSent(d)
		purpose := ""
		if p.Purpose != event.PurposeStep {
			purpose = " for a " + inLine(p.Purpose)
		}
		t.line("  request %d%s: %d bytes, sha256 %s", t.requests, purpose, p.Bytes, shortDigest(p.SHA256))
	case "request/attempt":
		t.line("    %s", attemptText(event.ParseRequestAttempt(d)))
	case "compact/gate", "compact/end":
		if s := compactionText(e); s != "" {
			t.line("  compact: %s", s)
		}
	case "compact/start", "compact/prune":
	case "compact/summary":
		t.paid(d)
	case "tool/permission":
		s := "  " + map[string]string{"allow": "allowed", "deny": "not allowed"}[text("decision")] + " by " + map[string]string{"rule": "a rule", "person": "the person who was asked", "nobody": "default, since there was nobody to ask"}[text("by")]
		if rule := text("rule"); rule != "" {
			s += ": " + rule
		}
		t.line("%s", s)
	case "hook/invoked":
		t.line("  hook %s at %s", text("handlerId"), text("point"))
	case "hook/result":
		s := "    " + text("decision")
		if code := d.Get("exitCode"); code.Exists() {
			s += fmt.Sprintf(", exit code %d", number("exitCode"))
		}
		s += fmt.Sprintf(", %d ms", number("durationMs"))
		if said := text("stderrSummary"); said != "" {
			s += ": " + strings.TrimPrefix(indent(said, "      "), "      ")
		}
		if why := text("failure"); why != "" && number("exitCode") == 0 {
			s += ": " + inLine(why)
		}
		if why := text("stopReason"); why != "" {
			s += ", ends the turn: " + inLine(why)
		}
		if instead := text("arguments"); instead != "" {
			s += ", arguments " + inLine(instead)
		}
		t.line("%s", s)
	case "contributor/skipped":
		t.line("  skipped %s: %s", text("address"), text("reason"))
	case "step/start", "step/end", "assistant/chunk":
	default:
		t.line("  %s %s", e.Type, d.Raw())
	}
}

// paid shows what an answer took and cost.
func (t *transcript) paid(d canon.Value) {
	if u := d.Get("usage"); u.Exists() {
		s := usageText(msg.ParseUsage(u))
		if c, ok := msg.ParseCost(d.Get("cost")); ok {
			s += ", " + inLine(c.String())
		}
		t.line("    %s", s)
	}
}

// snapshot shows what a prompt brought in from other sessions: a line for each, and
// all of it on demand.
func (t *transcript) snapshot(d canon.Value) {
	for _, s := range recalled(d) {
		t.line("  recalled %s", s)
	}
	if t.full {
		t.message("recalled", d)
	}
}

// recalled says of each session that a message brought in what was kept of it; of other
// messages, nothing.
func recalled(d canon.Value) []string {
	var out []string
	for r := range d.Get("source").Get("references").Elements() {
		number := func(name string) int64 { n, _ := r.Get(name).Int(); return n }
		label, _ := r.Get("label").Text()
		id, _ := r.Get("sessionId").Text()
		s := fmt.Sprintf("%s (%s): %d kept, %d omitted", inLine(label), inLine(id), number("retainedMessages"), number("omittedMessages"))
		if r.Get("truncated").IsTrue() {
			s += ", truncated"
		}
		out = append(out, s)
	}
	return out
}

func (t *transcript) message(who string, d canon.Value) {
	content, err := msg.ParseContent(d.Get("content"))
	if err != nil {
		return
	}
	for b := range content.Blocks() {
		switch b := b.(type) {
		case msg.Text:
			t.line("  %s: %s", who, strings.TrimPrefix(indent(b.Text, "    "), "    "))
		case msg.Reasoning:
			t.line("  %s reasons: %s", who, strings.TrimPrefix(indent(b.Text, "    "), "    "))
		case msg.Unknown:
			t.line("  %s: %s", who, b.Raw)
		}
	}
}

func (t *transcript) requestHeader(p event.RequestHeader) {
	h := p.Header
	t.line("  header %s: model %s, system %d bytes, prefix %s, config %s", p.Reason, h.Config().Model, len(h.System()),
		plural(h.Prefix().Len(), "message", "messages"), shortDigest(p.ConfigDigest))
	for _, d := range p.Drift {
		t.line("    drift: %s %s", d.Address, driftText(d, p.Reused))
	}
	if p.Reused && len(p.Drift) == 0 {
		t.line("    taken from the session's log")
	}
	for _, s := range p.Sources.System {
		t.line("    %s  %d bytes  sha256 %s  %s", s.Address, s.Bytes, shortDigest(s.SHA256), s.Origin)
	}
	if t.full && h.System() != "" {
		t.line("%s", indent(h.System(), "      | "))
	}
	for i, m := range h.Prefix().All() {
		address := "?"
		if i < len(p.Sources.Prefix) {
			s := p.Sources.Prefix[i]
			address = s.Address
			t.line("    %s  %s  %d bytes  sha256 %s  %s", address, m.Role, s.Bytes, shortDigest(s.SHA256), s.Origin)
		}
		if t.full {
			t.line("%s", indent(m.Content.Text(), "      | "))
		}
	}
}

// driftText says how a contributor differs from what its session recorded before.
func driftText(d header.Change, reused bool) string {
	if reused {
		return fmt.Sprintf("%s: differs now; what the session recorded before was sent", d.Kind)
	}
	return fmt.Sprintf("%s: differs from what the session recorded before", d.Kind)
}

func endText(r event.EndReason) string {
	switch {
	case r.Kind == event.EndError:
		return fmt.Sprintf("error %s in step %d: %s", r.Code, r.Step, r.Message)
	case r.Reason != "":
		return fmt.Sprintf("%s: %s", r.Kind, r.Reason)
	}
	return string(r.Kind)
}

// attemptText says that a request failed and is sent again.
func attemptText(a event.RequestAttempt) string {
	return fmt.Sprintf("attempt %d: %s (%s); again in %s", a.Attempt, inLine(a.Message), inLine(a.Code), time.Duration(a.DelayMS)*time.Millisecond)
}

func usageText(u msg.Usage) string {
	s := fmt.Sprintf("%d tokens in", u.TotalInput())
	if n, ok := u.CacheRead.Get(); ok {
		s += fmt.Sprintf(" (%d from cache)", n)
	}
	return s + fmt.Sprintf(", %d out", u.Output)
}
