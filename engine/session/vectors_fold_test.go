package session_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/eventlog"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/session"
	"github.com/dsh-hcl/dsh/engine/store"
	"github.com/dsh-hcl/dsh/engine/verify"
)

// folded is the state of events that fit together.
func folded(t *testing.T, events []event.Event) *session.State {
	t.Helper()
	s, err := session.Fold(events)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// kept returns the events of a case that the reference kept, and whether this
// project can be compared on it.
func (c *logCase) kept(t *testing.T) ([]event.Event, bool) {
	t.Helper()
	if c.Expect.Scan.Error != nil {
		return nil, false
	}
	content := c.bytes(t)
	scan, err := eventlog.ScanText("log", content)
	if h := headerLine(content); foreign(h) || h.Get("id").Raw() == `""` {
		return nil, false // checkScan has said so
	}
	var corrupt *eventlog.CorruptError
	if err != nil && !errors.As(err, &corrupt) || len(scan.Events) != c.Expect.Scan.Events {
		t.Fatalf("%d events, %v", len(scan.Events), err)
	}
	return scan.Events, true
}

// faulty is the first event of version 0 that nothing can be derived from.
func faulty(events []event.Event) (event.Event, bool) {
	i := slices.IndexFunc(events, func(e event.Event) bool { return e.Fault() != nil })
	if i < 0 {
		return event.Event{}, false
	}
	return events[i], true
}

// without returns events with what one part of the fold may stumble over taken
// away, so that the other parts can be compared: replaces become appends, headers
// vanish in events of no meaning.
func without(t *testing.T, events []event.Event, replaces, headers bool) []event.Event {
	t.Helper()
	out := make([]event.Event, len(events))
	for i, e := range events {
		line := e.Line()
		v, err := canon.ParseJavaScript(canon.ValidText(line))
		if err != nil {
			t.Fatal(err)
		}
		var o canon.Object
		for name, m := range v.Members() {
			switch {
			case name == "surfaceOp" && replaces:
				o.String(name, "append")
			case name == "type" && headers && strings.HasPrefix(e.Type, "request/header"):
				o.String(name, "other")
			case name == "type" && !headers && event.IsSurfaceType(e.Type):
				o.String(name, "other")
			default:
				o.Member(name, m.Raw())
			}
		}
		if out[i], err = event.ParseVersion0(o.End()); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func checkFold(t *testing.T, d *differences, c *logCase) {
	events, ok := c.kept(t)
	if !ok {
		return
	}
	want := c.Expect
	state, err := session.Fold(events)
	var fold *session.FoldError
	if err != nil && !errors.As(err, &fold) {
		t.Fatalf("error %v", err)
	}
	if e, bad := faulty(events); bad {
		// The reference checks no shape: it goes on, or stumbles somewhere later.
		if want.SeedError == nil && want.ClosersError == nil && want.MessagesError == nil && want.SurfaceError == nil && want.HeaderError == nil {
			d.note("malformed event", c.Name)
		}
		if fold == nil || fold.Seq > e.Seq || !strings.HasPrefix(fold.Reason, e.Type+": ") {
			t.Errorf("error %v, want one at event %d", err, e.Seq)
		}
		return
	}
	if want.SeedError != nil {
		t.Fatalf("the reference refuses %d events that pass: %+v (%v)", len(events), *want.SeedError, err)
	}
	if want.ClosersError != nil || want.MessagesError != nil {
		// It stumbles over the shape of an event that is read here.
		d.note("malformed event", c.Name)
		return
	}
	switch {
	case err == nil && c.Kind == "malformed" && (want.SurfaceError != nil && want.SurfaceError.Kind == "crash" || want.HeaderError != nil && want.HeaderError.Kind == "crash"):
		d.note("malformed event", c.Name)
		return
	case want.SurfaceError != nil:
		words := map[string]string{"replace-start-missing": "replace start seq", "replace-end-missing": "replace end seq", "replace-order": "is after end seq"}[want.SurfaceError.Kind]
		if fold == nil || words == "" || !strings.Contains(fold.Reason, words) {
			t.Errorf("error %v, want %+v", err, *want.SurfaceError)
		}
	case want.HeaderError != nil:
		if fold == nil || want.HeaderError.Kind == "delta-before-snapshot" && !strings.Contains(fold.Reason, "before any request/header snapshot") {
			t.Errorf("error %v, want %+v", err, *want.HeaderError)
		}
	case err != nil:
		if c.Kind != "malformed" || !strings.HasPrefix(fold.Reason, "request/header") {
			t.Fatalf("error %v", err)
		}
		d.note("malformed event", c.Name)
		return
	}
	if want.SurfaceError == nil {
		s := state
		if err != nil {
			s = folded(t, without(t, events, false, true))
		}
		c.checkSurface(t, d, s, events)
	}
	if want.HeaderError == nil {
		s := state
		if err != nil {
			s = folded(t, without(t, events, false, false))
		}
		got := "null"
		if h, ok := s.Header(); ok {
			got = h.Raw()
		}
		if w := d.expected(t, c, want.Header); got != w {
			t.Errorf("header\n%s, want\n%s", got, w)
		}
	}
	s := state
	if err != nil {
		s = folded(t, without(t, events, true, true))
	}
	c.checkClosers(t, d, s)
}

func (c *logCase) checkSurface(t *testing.T, d *differences, s *session.State, events []event.Event) {
	t.Helper()
	want := c.Expect
	surface := s.Surface()
	if !slices.Equal(surface, want.SurfaceSeqs) {
		t.Errorf("surface %v, want %v", surface, want.SurfaceSeqs)
	}
	got := s.History().Messages
	if len(got) != len(want.Messages) {
		t.Fatalf("%d messages, want %d", len(got), len(want.Messages))
	}
	for i, m := range got {
		if w := d.expected(t, c, want.Messages[i]); m.Raw() != w {
			t.Errorf("message %d:\n%s, want\n%s", i, m.Raw(), w)
		}
	}
	var empty []int64
	for _, seq := range surface {
		if _, ok := events[seq].Message(); !ok {
			empty = append(empty, seq)
		}
	}
	if !slices.Equal(empty, want.EmptySeqs) {
		t.Errorf("nodes without message: %v, want %v", empty, want.EmptySeqs)
	}
	shadowed := 0
	for _, e := range events {
		if !event.IsSurfaceType(e.Type) {
			if m, ok := e.Message(); ok {
				t.Errorf("%s has the message %s", e.Type, m.Raw())
			}
			continue
		}
		if slices.Contains(surface, e.Seq) {
			continue
		}
		if shadowed == len(want.Shadowed) || want.Shadowed[shadowed].Seq != e.Seq {
			t.Fatalf("event %d is shadowed, want %+v", e.Seq, want.Shadowed)
		}
		raw := "null"
		if m, ok := e.Message(); ok {
			raw = m.Raw()
		}
		if w := d.expected(t, c, want.Shadowed[shadowed].Message); raw != w {
			t.Errorf("shadowed event %d:\n%s, want\n%s", e.Seq, raw, w)
		}
		shadowed++
	}
	if shadowed != len(want.Shadowed) {
		t.Errorf("%d shadowed events, want %d", shadowed, len(want.Shadowed))
	}
}

// checkClosers compares what a repair would append, which in version 0 nobody
// appends: a fork or an import does in its own log.
func (c *logCase) checkClosers(t *testing.T, d *differences, s *session.State) {
	t.Helper()
	closers := s.Closers()
	if again := once(closers); len(again) != len(closers) {
		d.note("two calls of one id", c.Name)
		closers = again
	}
	if len(closers) != len(c.Expect.Closers) {
		t.Fatalf("%d closers, want %d", len(closers), len(c.Expect.Closers))
	}
	var messages []msg.Message
	for i, entry := range closers {
		made := event.New(s.Next()+int64(i), s.LastTime(), entry)
		if m, ok := made.Message(); ok {
			messages = append(messages, m)
		}
		// The text is this project's own, the order of the envelope that of every
		// event here, and the digest what version 1 adds.
		text := made.Data.Get("content").Raw()
		w, err := canon.ParseCanonical(d.expected(t, c, c.Expect.Closers[i]))
		if err != nil {
			t.Fatal(err)
		}
		var o canon.Object
		for _, name := range []string{"type", "seq", "time", "data", "sourceEventSeqs", "surfaceOp"} {
			if m := w.Get(name); m.Exists() {
				o.Raw(name, m.Raw())
			}
		}
		want := o.End()
		if want != w.Raw() {
			d.note("order of a synthetic result", c.Name)
		}
		if made.Type == "tool/result" {
			quoted := strings.TrimSuffix(strings.TrimPrefix(text, `[{"type":"text","text":"`), `"}]`)
			if !strings.Contains(want, "{{closerText}}") || quoted == text || quoted == "" {
				t.Errorf("content %s", text)
			}
			want = strings.Replace(want, "{{closerText}}", quoted, 1)
		}
		if got := strings.Replace(made.Line(), `,"logSha256":""`, "", 1); got != want {
			t.Errorf("closer %d:\n%s, want\n%s", i, got, want)
		}
	}
	if len(messages) != len(c.Expect.CloserMessages) {
		t.Errorf("%d messages of closers, want %d", len(messages), len(c.Expect.CloserMessages))
	}
	if c.Expect.Load.Error == nil && c.Expect.Load.Events != c.Expect.Scan.Events+len(closers) {
		t.Errorf("%d events after a load, want %d", c.Expect.Scan.Events+len(closers), c.Expect.Load.Events)
	}
}

// once drops results of a call id that has one already.
func once(closers []event.Entry) []event.Entry {
	seen := map[string]bool{}
	return slices.DeleteFunc(slices.Clone(closers), func(e event.Entry) bool {
		r, ok := e.Payload.(event.ToolResult)
		again := ok && seen[r.CallID]
		seen[r.CallID] = ok
		return again
	})
}

// checkRequests rebuilds every request of a log from its log alone.
func checkRequests(t *testing.T, d *differences, c *logCase) {
	events, ok := c.kept(t)
	if !ok {
		return
	}
	if _, err := session.Fold(events); err == nil {
		report, err := verify.Log("log", c.bytes(t))
		if err != nil || report.Version != 0 || len(report.Requests) > 0 || report.Derived > len(c.Expect.Requests) {
			t.Errorf("%+v, %v", report, err)
		}
		derived := 0
		for _, r := range c.Expect.Requests {
			if len(r.Header) > 0 && string(r.Header) != "null" && !strings.Contains(string(r.Header), `"tools":"{{`) {
				derived++
			}
		}
		if report.Derived != derived {
			t.Errorf("%d requests derived, want %d", report.Derived, derived)
		}
	}
	for _, r := range c.Expect.Requests {
		t.Run(fmt.Sprint("request ", r.BoundarySeq), func(t *testing.T) { c.checkRequest(t, d, events, r) })
	}
}

func (c *logCase) checkRequest(t *testing.T, d *differences, events []event.Event, r requestCase) {
	boundary, err := session.Fold(events[:r.BoundarySeq])
	var fold *session.FoldError
	if err != nil && !errors.As(err, &fold) {
		t.Fatal(err)
	}
	if _, bad := faulty(events[:r.ResponseSeq]); bad || fold != nil && c.Kind == "malformed" && strings.HasPrefix(fold.Reason, "request/header") {
		if err == nil {
			_, err = session.Fold(events[:r.ResponseSeq])
		}
		if err == nil {
			t.Error("a malformed event passes")
		}
		return
	}
	if (fold != nil) != (r.MessagesError != nil || r.HeaderError != nil) {
		if _, e := session.Fold(events[:r.ResponseSeq]); fold != nil || e == nil {
			t.Errorf("error %v, want %+v %+v", err, r.MessagesError, r.HeaderError)
		}
		return
	}
	at, err := session.Fold(events[:r.ResponseSeq])
	if err != nil {
		if r.HeaderError == nil && r.MessagesError == nil && c.Kind != "malformed" {
			t.Errorf("error %v", err)
		}
		return
	}
	h, ok := at.Header()
	if !ok {
		if string(r.Header) != "null" {
			t.Errorf("no header, want %s", r.Header)
		}
	} else if w := d.expected(t, c, r.Header); h.Raw() != w {
		t.Errorf("header\n%s, want\n%s", h.Raw(), w)
	}
	if r.MessagesError != nil {
		return
	}
	var got []string
	for i := range h.Prefix().Len() {
		got = append(got, h.Prefix().RawAt(i))
	}
	if len(got) != r.PrefixCount && h.Sendable() == nil {
		t.Errorf("%d messages of the prefix, want %d", len(got), r.PrefixCount)
	}
	for _, m := range boundary.History().Messages {
		got = append(got, m.Raw())
	}
	if len(got) != len(r.Messages) {
		t.Fatalf("%d messages, want %d", len(got), len(r.Messages))
	}
	for i, m := range got {
		if w := d.expected(t, c, r.Messages[i]); m != w {
			t.Errorf("message %d:\n%s, want\n%s", i, m, w)
		}
	}
}

// checkInvariants feeds a log to the checker: the first violation is the same.
func checkInvariants(t *testing.T, d *differences, c *logCase) {
	events, ok := c.kept(t)
	if !ok {
		return
	}
	want := c.Expect.Invariant
	got := verify.Check(events, false)
	check, _, _ := strings.Cut(want.Check, "-")
	switch {
	case want.Error != nil:
		// The reference stumbles over the shape of an event.
		if got == nil || got.Seq > want.Seq {
			t.Errorf("%v, want a violation at event %d", got, want.Seq)
		}
	case want.OK != (got == nil) || got != nil && (got.Seq != want.Seq || got.Check != check):
		if e, bad := faulty(events); bad && got != nil && got.Seq == e.Seq && got.Check == "SHAPE" {
			d.note("malformed event", c.Name)
			return
		}
		t.Errorf("%v, want %+v", got, want)
	}
}

// checkCarry makes a session of this project of the events, as a fork or an import
// does: it derives the same, and is whole when opened again.
func checkCarry(t *testing.T, d *differences, c *logCase) {
	events, ok := c.kept(t)
	if !ok || len(events) == 0 {
		return
	}
	st := store.New(t.TempDir(), eventlog.Options{Files: eventlog.Disk{}, Now: func() int64 { return 9 }}, func() eventlog.Holder { return eventlog.Holder{} })
	s, err := st.Create(eventlog.Header{ID: "child", CreatedAt: 9, Parent: "parent", SeedLength: int64(len(events)), Agent: "a", ConfigDigest: "d"})
	if err != nil {
		t.Fatal(err)
	}
	err = s.Carry(events...)
	old, fold := session.Fold(events)
	switch {
	case fold != nil || slices.ContainsFunc(events, uncarried):
		if err == nil {
			t.Error("what cannot be read was carried")
		}
	case err != nil:
		if !strings.Contains(err.Error(), "is still open") {
			t.Fatal(err)
		}
		d.note("turn in a turn", c.Name)
	}
	if err != nil {
		if entries, skipped, err := st.List(); len(entries)+skipped != 0 || err != nil {
			t.Errorf("%v is on disk, %v", entries, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		return
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	entry, err := st.Find("child", "")
	if err != nil {
		t.Fatal(err)
	}
	closers := old.Closers()
	if s, err = st.Resume(entry); err != nil || s.Repaired != len(closers) {
		t.Fatalf("repaired by %d events instead of %d, %v", s.Repaired, len(closers), err)
	}
	for i, e := range closers {
		if err := old.Apply(event.New(old.Next(), old.LastTime(), e)); err != nil {
			t.Fatalf("closer %d: %v", i, err)
		}
	}
	if !slices.Equal(s.State.Surface(), old.Surface()) || !slices.Equal(s.State.History().Messages, old.History().Messages) {
		t.Error("surface and history are not those of the old log")
	}
	got, _ := s.State.Header()
	if want, _ := old.Header(); got.Raw() != want.Raw() {
		t.Errorf("header %s, want %s", got.Raw(), want.Raw())
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	scan, text, err := st.Read(entry)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range events {
		made := scan.Events[i]
		if made.Type != e.Type || made.Time != e.Time || made.Op != e.Op || e.Type != "turn/end" && made.Data != e.Data {
			t.Errorf("%s became %s", e.Line(), made.Line())
		}
	}
	if report, err := verify.Log("child", text); err != nil || !report.OK() {
		t.Errorf("%+v, %v", report, err)
	}
}

// uncarried reports whether the new format has no place for an event.
func uncarried(e event.Event) bool { _, err := e.Entry(); return err != nil }
