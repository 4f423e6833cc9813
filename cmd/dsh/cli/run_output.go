package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/dsh-hcl/dsh/engine"
	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/store"
)

// reporter shows a run while it goes on. Its methods are called one at a time.
type reporter interface {
	// begin is told the session, and what was repaired of it.
	begin(s *store.Session, agent string)
	frozen(f engine.Frozen)
	chunk(c msg.Chunk)
	logged(e event.Event)
	// end is called once, when the turn is over; err is what the command will end
	// with, nil for success.
	end(reason event.EndReason, err error) error
}

// newReporter returns the reporter for a value of --output.
func (c *command) newReporter(format string, quiet bool, broken func()) (reporter, error) {
	switch format {
	case "text":
		return &textReport{out: c.env.Stdout, side: c.env.Stderr, safe: c.env.StdoutTerminal, quiet: quiet, broken: broken}, nil
	case "json":
		return &jsonReport{out: c.env.Stdout, broken: broken}, nil
	case "stream-json":
		return &jsonReport{out: c.env.Stdout, stream: true, broken: broken}, nil
	}
	return nil, usageErrorf("--output is text, json or stream-json, not %q", format)
}

// textReport prints the answer as it streams to out, and the frozen prefix and the
// session to side.
type textReport struct {
	out, side io.Writer
	safe      bool // for a terminal: control characters are shown, not sent
	quiet     bool
	total     total
	last      string
	err       error
	broken    func() // told when nobody reads the answer any more
}

// begin says at once which session this is, so that a run that is killed can be
// found again.
func (r *textReport) begin(s *store.Session, _ string) {
	if r.quiet {
		return
	}
	fmt.Fprintf(r.side, "session  %s\n  %s\n", inLine(s.Log.Header().ID), inLine(s.Log.Path()))
	for _, what := range repairs(s.Dropped, s.Repaired) {
		fmt.Fprintf(r.side, "  %s\n", what)
	}
}

// repairs says what was done to a session to go on with it.
func repairs(dropped int64, closed int) []string {
	var out []string
	if dropped > 0 {
		out = append(out, fmt.Sprintf("its last line had been cut by a crash: %s dropped", plural(int(dropped), "byte was", "bytes were")))
	}
	if closed > 0 {
		out = append(out, "its last turn had been cut and was closed as interrupted")
	}
	return out
}

func (r *textReport) frozen(f engine.Frozen) {
	if !r.quiet {
		printPrefix(r.side, f)
	}
}

// logged ends the line of an answer when something else comes, and shows on side
// what happens besides answers.
func (r *textReport) logged(e event.Event) {
	r.total.add(e)
	text := func(name string) string { s, _ := e.Data.Get(name).Text(); return s }
	switch e.Type {
	case "assistant/message", "tool/call":
		r.endLine()
	}
	if r.quiet {
		return
	}
	switch e.Type {
	case "user/message":
		for _, s := range recalled(e.Data) {
			fmt.Fprintf(r.side, "recalled %s\n", s)
		}
	case "request/header":
		if p, err := event.ParseRequestHeader(e.Data); err == nil {
			for _, d := range p.Drift {
				fmt.Fprintf(r.side, "drift    %s %s\n", inLine(d.Address), driftText(d, p.Reused))
			}
		}
	case "compact/gate", "compact/end":
		if s := compactionText(e); s != "" {
			fmt.Fprintf(r.side, "compact  %s\n", s)
		}
	case "tool/call":
		fmt.Fprintf(r.side, "tool     %s %s\n", inLine(text("name")), inLine(store.OneLine(text("arguments"))))
	case "tool/result":
		if m, ok := e.Message(); ok && e.Data.Get("isError").IsTrue() {
			for b := range m.Content.Blocks() {
				if result, ok := b.(msg.ToolResult); ok {
					fmt.Fprintf(r.side, "  %s\n", inLine(store.OneLine(result.Content.Text())))
				}
			}
		}
	}
}

// endLine ends a line of text that stands open.
func (r *textReport) endLine() {
	if r.last != "" && !strings.HasSuffix(r.last, "\n") && r.err == nil {
		_, r.err = io.WriteString(r.out, "\n")
		r.last = "\n"
	}
}

func (r *textReport) chunk(c msg.Chunk) {
	t, ok := c.(msg.TextDelta)
	if !ok || t.Text == "" || r.err != nil {
		return
	}
	text := t.Text
	if r.safe {
		text = printable(text)
	}
	if _, r.err = io.WriteString(r.out, text); r.err != nil {
		r.broken()
	}
	r.last = t.Text
}

func (r *textReport) end(event.EndReason, error) error {
	r.endLine()
	if !r.quiet && r.total.any {
		fmt.Fprintf(r.side, "usage    %s, %s", plural(r.total.requests, "request", "requests"), usageText(r.total.usage))
		if r.total.cost.Currency != "" {
			fmt.Fprintf(r.side, ", %s", r.total.cost)
		}
		fmt.Fprintln(r.side)
	}
	return r.err
}

// printPrefix shows a frozen prefix by contributor.
func printPrefix(out io.Writer, f engine.Frozen) {
	if n := f.Prefix.Len(); n == 0 {
		fmt.Fprintln(out, "prefix   empty")
	} else {
		fmt.Fprintf(out, "prefix   %s, frozen\n", plural(n, "message", "messages"))
	}
	for i, s := range f.Sources.Prefix {
		fmt.Fprintf(out, "  %-28s %-9s %6d bytes  sha256 %s  %s\n", s.Address, f.Prefix.At(i).Role, s.Bytes, shortDigest(s.SHA256), printable(s.Origin))
	}
	for _, s := range f.Skipped {
		fmt.Fprintf(out, "  %-28s skipped: %s\n", s.Address, printable(s.Reason))
	}
}

// jsonReport writes one object for the whole run, or, streaming, one a line for
// everything that happens. docs/output.md describes them.
type jsonReport struct {
	out                  io.Writer
	stream               bool
	session, agent, path string
	dropped              int64 // bytes of a line that a crash had cut
	closed               int   // events that closed a turn which was cut
	prefix               []string
	text                 string   // of the last answer
	changes              string   // what drifted, "" for nothing
	references           []string // sessions that were recalled
	total                total
	err                  error
	broken               func()
}

func (r *jsonReport) line(o *canon.Object) {
	if r.err != nil {
		return
	}
	if _, r.err = io.WriteString(r.out, o.End()+"\n"); r.err != nil {
		r.broken()
	}
}

func kind(t string) *canon.Object {
	var o canon.Object
	o.String("type", t)
	return &o
}

func (r *jsonReport) begin(s *store.Session, agent string) {
	r.session, r.agent, r.path = s.Log.Header().ID, agent, s.Log.Path()
	r.dropped, r.closed = s.Dropped, s.Repaired
	if r.stream {
		o := kind("session")
		o.String("session", r.session)
		o.String("agent", agent)
		o.String("path", strings.ToValidUTF8(r.path, "\uFFFD"))
		r.repaired(o)
		r.line(o)
	}
}

// repaired adds what was done to the session to go on with it.
func (r *jsonReport) repaired(o *canon.Object) {
	if r.dropped > 0 {
		o.Int("droppedBytes", r.dropped)
	}
	if r.closed > 0 {
		o.Int("closedEvents", int64(r.closed))
	}
}

func (r *jsonReport) frozen(f engine.Frozen) {
	for i, s := range f.Sources.Prefix {
		var o canon.Object
		o.String("address", s.Address)
		o.String("role", string(f.Prefix.At(i).Role))
		o.Int("bytes", s.Bytes)
		o.String("sha256", s.SHA256)
		o.String("origin", s.Origin)
		r.prefix = append(r.prefix, o.End())
	}
	if r.stream {
		o := kind("prefix")
		o.Raw("messages", canon.Array(r.prefix...))
		r.line(o)
	}
}

func (r *jsonReport) chunk(c msg.Chunk) {
	if !r.stream {
		return
	}
	switch c := c.(type) {
	case msg.TextDelta:
		o := kind("text")
		o.String("text", c.Text)
		r.line(o)
	case msg.ReasoningDelta:
		o := kind("reasoning")
		o.String("text", c.Text)
		r.line(o)
	}
}

func (r *jsonReport) logged(e event.Event) {
	text := func(name string) string { s, _ := e.Data.Get(name).Text(); return s }
	r.total.add(e)
	switch e.Type {
	case "user/message":
		if list := e.Data.Get("source").Get("references"); list.Exists() {
			for one := range list.Elements() {
				r.references = append(r.references, one.Raw())
			}
			if r.stream {
				o := kind("recalled")
				o.Raw("references", list.Raw())
				r.line(o)
			}
		}
	case "request/header":
		if p, err := event.ParseRequestHeader(e.Data); err == nil && len(p.Drift) > 0 {
			r.drift(p)
		}
	case "request/sent":
		if r.stream {
			p := event.ParseRequestSent(e.Data)
			o := kind("request")
			o.Int("turn", p.Turn)
			o.Int("step", p.Step)
			o.Int("bytes", p.Bytes)
			o.String("sha256", p.SHA256)
			r.line(o)
		}
	case "request/attempt":
		if r.stream {
			p := event.ParseRequestAttempt(e.Data)
			o := kind("attempt")
			o.Int("turn", p.Turn)
			o.Int("step", p.Step)
			o.Int("attempt", p.Attempt)
			if p.Status != 0 {
				o.Int("status", p.Status)
			}
			o.String("code", p.Code)
			o.String("error", p.Message)
			o.Int("delayMs", p.DelayMS)
			r.line(o)
		}
	case "compact/end":
		if r.stream && e.Compaction() {
			o := kind("compaction")
			p := event.ParseCompactEnd(e.Data)
			o.Int("before", p.Before)
			o.Int("after", p.After)
			if p.Failure != nil {
				o.String("code", p.Failure.Code)
				o.String("error", p.Failure.Message)
			}
			r.line(o)
		}
	case "assistant/message":
		if m, ok := e.Message(); ok {
			r.text = m.Content.Text()
		}
	case "tool/call":
		if r.stream {
			o := kind("tool-call")
			o.String("id", text("callId"))
			o.String("name", text("name"))
			o.String("arguments", text("arguments"))
			r.line(o)
		}
	case "tool/result":
		if r.stream {
			o := kind("tool-result")
			o.String("id", text("callId"))
			o.Bool("isError", e.Data.Get("isError").IsTrue())
			o.Raw("content", e.Data.Get("content").Raw())
			r.line(o)
		}
	}
}

// drift reports what differs from the header that the session recorded before.
func (r *jsonReport) drift(p event.RequestHeader) {
	var changes []string
	for _, d := range p.Drift {
		var o canon.Object
		o.String("address", d.Address)
		o.String("kind", d.Kind)
		changes = append(changes, o.End())
	}
	r.changes = canon.Array(changes...)
	if r.stream {
		o := kind("drift")
		o.Raw("changes", r.changes)
		o.Bool("reused", p.Reused)
		r.line(o)
	}
}

// total is what a run took.
type total struct {
	requests int
	usage    msg.Usage
	any      bool     // a provider said so
	cost     msg.Cost // of the answers whose cost is known
}

func (t *total) add(e event.Event) {
	if e.Type == "request/sent" {
		t.requests++
	}
	if c, ok := msg.ParseCost(e.Data.Get("cost")); ok {
		t.cost = msg.Cost{Amount: t.cost.Amount.Plus(c.Amount), Currency: c.Currency}
	}
	v := e.Data.Get("usage")
	if e.Type != "assistant/message" && !e.Compaction() || !v.Exists() {
		return
	}
	u := msg.ParseUsage(v)
	t.any = true
	sum := func(a, b msg.Opt[int64]) msg.Opt[int64] {
		if _, ok := b.Get(); !ok {
			return a
		}
		return msg.Some(a.Or(0) + b.Or(0))
	}
	t.usage.Input += u.Input
	t.usage.Output += u.Output
	t.usage.CacheRead = sum(t.usage.CacheRead, u.CacheRead)
	t.usage.CacheWrite = sum(t.usage.CacheWrite, u.CacheWrite)
	t.usage.Reasoning = sum(t.usage.Reasoning, u.Reasoning)
}

func (r *jsonReport) end(reason event.EndReason, err error) error {
	o := kind("result")
	o.String("session", r.session)
	o.String("agent", r.agent)
	o.String("path", strings.ToValidUTF8(r.path, "\uFFFD"))
	o.Bool("ok", err == nil)
	o.String("text", r.text)
	if reason.Kind != "" {
		o.Raw("reason", reason.Raw())
	}
	if err != nil {
		o.String("code", msg.CodeOf(err))
		o.String("error", strings.ToValidUTF8(err.Error(), "\uFFFD"))
	}
	o.Int("requests", int64(r.total.requests))
	o.Raw("usage", r.total.usage.Raw())
	if r.total.cost.Currency != "" {
		o.Raw("cost", r.total.cost.Raw())
	}
	if !r.stream {
		r.repaired(o)
		o.Raw("prefix", canon.Array(r.prefix...))
		if r.changes != "" {
			o.Raw("drift", r.changes)
		}
		if len(r.references) > 0 {
			o.Raw("recalled", canon.Array(r.references...))
		}
	}
	r.line(o)
	return r.err
}
