package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/engine"
	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/msg"
)

// source is a contributor whose content changes while a session runs.
type source struct {
	content string
	err     error
}

func (s *source) contributor(address string) msg.Contributor {
	return msg.Prepend(address, "a.md", func(context.Context) ([]msg.Message, *msg.Skip, error) {
		if s.err != nil || s.content == "" {
			return nil, nil, s.err
		}
		return []msg.Message{{Role: msg.RoleUser, Content: text(s.content)}}, nil, nil
	})
}

// watched compiles an agent with one contributor, by policy and on_change.
func (w *world) watched(onResume, onChange string, src *source) *engine.Agent {
	w.t.Helper()
	c := &config.Config{
		Providers: []config.Provider{{Name: "p"}},
		Models:    []config.Model{{Name: "m", Provider: "p", ID: config.Attr[string]{V: "model-1"}}},
		Agents: []config.Agent{{Name: "a", Digest: "d", Model: config.Attr[string]{V: "m"}, OnResume: config.Attr[string]{V: onResume},
			Prefix: []config.Contributor{{Address: "file.rules", OnChange: config.Attr[string]{V: onChange}}}}},
	}
	a, err := engine.Compile(c, &c.Agents[0], func(list []config.Contributor) ([]msg.Contributor, error) {
		var out []msg.Contributor
		for _, c := range list {
			out = append(out, src.contributor(c.Address))
		}
		return out, nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return a
}

func lastHeader(t *testing.T, events []event.Event) event.RequestHeader {
	t.Helper()
	for i := len(events) - 1; i >= 0; i-- {
		if events[i].Type == "request/header" {
			h, err := event.ParseRequestHeader(events[i].Data)
			if err != nil {
				t.Fatal(err)
			}
			return h
		}
	}
	t.Fatal("no header")
	return event.RequestHeader{}
}

// A resume composes anew and records the drift, or takes what was recorded, byte
// for byte, and records the drift that it left out.
func TestResumePolicies(t *testing.T) {
	for _, c := range []struct {
		policy, now string
		err         error
		drift       string
		reused      bool
		sent        string
	}{
		{"recompose", "old", nil, "[]", false, "old"},
		{"recompose", "new", nil, "[{file.rules changed}]", false, "new"},
		{"recompose", "", nil, "[{file.rules removed}]", false, ""},
		{"reuse", "old", nil, "[]", true, "old"},
		{"reuse", "new", nil, "[{file.rules changed}]", true, "old"},
		{"reuse", "", nil, "[{file.rules removed}]", true, "old"},
		{"reuse", "", errors.New("gone"), "[]", true, "old"},
	} {
		w := newWorld(t)
		m := &model{}
		src := &source{content: "old"}
		s := w.create()
		i := w.start(w.watched(c.policy, "ignore", src), s, m)
		send(t, i, "x")
		i.Dispose()
		src.content, src.err = c.now, c.err
		entry, err := w.store().Find("s1", "/w")
		if err != nil {
			t.Fatal(err)
		}
		s, err = w.store().Resume(entry)
		if err != nil {
			t.Fatal(err)
		}
		i = w.start(w.watched(c.policy, "ignore", src), s, m)
		if end := send(t, i, "y"); end.Kind != event.EndCompleted {
			t.Errorf("%+v: %+v", c, end)
		}
		i.Dispose()
		h := lastHeader(t, w.scan(s, 2).Events)
		if h.Reason != "resume" || fmt.Sprint(h.Drift) != c.drift || h.Reused != c.reused {
			t.Errorf("%+v: header %s, drift %v, reused %v", c, h.Reason, h.Drift, h.Reused)
		}
		if c.sent != "" && !strings.Contains(m.bodies[1], `[{"role":"user","content":"`+c.sent+`"},{"role":"user","content":"x"}`) {
			t.Errorf("%+v: body %s", c, m.bodies[1])
		}
		if c.reused && !strings.HasPrefix(m.bodies[1], strings.TrimSuffix(m.bodies[0], "]}")) {
			t.Errorf("%+v: the provider's cache is lost", c)
		}
	}
}

// A running session learns of a change once, before the next turn; what is frozen
// stays.
func TestNotice(t *testing.T) {
	for _, onChange := range []string{"notice", "ignore"} {
		w := newWorld(t)
		m := &model{}
		src := &source{content: "old"}
		s := w.create()
		var reports []error
		i := w.start(w.watched("recompose", onChange, src), s, m, func(o *engine.Options) { o.OnError = func(err error) { reports = append(reports, err) } })
		send(t, i, "1")
		send(t, i, "2")
		src.content = "new"
		send(t, i, "3")
		send(t, i, "4")
		src.err = errors.New("unreadable")
		send(t, i, "5")
		src.err, src.content = nil, ""
		send(t, i, "6")
		i.Dispose()
		scan := w.scan(s, 6)
		var notices []string
		for _, e := range scan.Events {
			if m, ok := e.Message(); ok && e.Type == "context/message" {
				notices = append(notices, m.Content.Text())
			}
		}
		if onChange == "ignore" {
			if len(notices) != 0 || len(reports) != 0 {
				t.Errorf("ignore: %q %v", notices, reports)
			}
			continue
		}
		if len(notices) != 2 || !strings.Contains(notices[0], "file.rules has changed since this session began. It reads now:\n\nnew") || !strings.Contains(notices[1], "It is empty now.") {
			t.Errorf("notices %q", notices)
		}
		if len(reports) != 1 {
			t.Errorf("reports %v", reports)
		}
		for n := 1; n < len(m.bodies); n++ {
			if !strings.HasPrefix(m.bodies[n], strings.TrimSuffix(m.bodies[n-1], "]}")) {
				t.Errorf("request %d does not extend its predecessor", n+1)
			}
		}
	}
}

// On a reused prefix the notice comes with the first request.
func TestNoticeOnReuse(t *testing.T) {
	w := newWorld(t)
	m := &model{}
	src := &source{content: "old"}
	s := w.create()
	i := w.start(w.watched("reuse", "notice", src), s, m)
	send(t, i, "x")
	i.Dispose()
	src.content = "new"
	entry, err := w.store().Find("s1", "/w")
	if err != nil {
		t.Fatal(err)
	}
	if s, err = w.store().Resume(entry); err != nil {
		t.Fatal(err)
	}
	i = w.start(w.watched("reuse", "notice", src), s, m)
	send(t, i, "y")
	i.Dispose()
	w.scan(s, 2)
	bodyHas(t, m, 1, `[{"role":"user","content":"old"}`, `{"role":"user","content":"y"},{"role":"user","content":"<context source=\"plugin\">The content of file.rules has changed`)
}

// Over any number of instances the model is told what is new to it and nothing
// twice; what was taken back is new as well.
func TestNoticeOverResumes(t *testing.T) {
	for _, policy := range []string{"reuse", "recompose"} {
		w := newWorld(t)
		m := &model{}
		src := &source{content: "A"}
		s := w.create()
		i := w.start(w.watched(policy, "notice", src), s, m)
		send(t, i, "1")
		src.content = "B"
		send(t, i, "2")
		i.Dispose()
		for _, content := range []string{"B", "B", "A", "A", ""} {
			src.content = content
			entry, err := w.store().Find("s1", "/w")
			if err != nil {
				t.Fatal(err)
			}
			if s, err = w.store().Resume(entry); err != nil {
				t.Fatal(err)
			}
			i = w.start(w.watched(policy, "notice", src), s, m)
			send(t, i, "more")
			i.Dispose()
		}
		var told []string
		for _, e := range w.scan(s, 7).Events {
			if m, ok := e.Message(); ok && e.Type == "context/message" {
				text := strings.TrimSuffix(m.Content.Text(), "</context>")
				told = append(told, text[len(text)-2:])
			}
		}
		if got := fmt.Sprintf("%q", told); got != `["\nB" "\nA" "w."]` {
			t.Errorf("%s: the model was told %s", policy, got)
		}
	}
}
