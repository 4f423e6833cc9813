package engine_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/dsh-hcl/dsh/engine"
	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/eventlog"
	"github.com/dsh-hcl/dsh/engine/msg"
)

// Sessions that begin, are resumed and are forked.
func TestSpecResume(t *testing.T) {
	numbered(t, "L54 a session has the id and the workspace it was created with", func(c *rig) {
		c.s = c.create(eventlog.Header{ID: "custom-session", CreatedAt: 1, Cwd: "/w"})
		c.start()
		c.say("a")
		c.events()
		entry, err := c.w.store().Find("custom-session", "/elsewhere")
		if err != nil || entry.Header.ID != "custom-session" || entry.Header.Cwd != "/w" {
			c.t.Errorf("%+v, %v", entry, err)
		}
	})
	numbered(t, "L56 a session without a workspace names none", func(c *rig) {
		c.s = c.create(eventlog.Header{ID: "s1", CreatedAt: 1})
		c.start()
		c.say("a")
		c.events()
		b, err := os.ReadFile(c.s.Log.Path())
		if line, _, _ := strings.Cut(string(b), "\n"); err != nil || strings.Contains(line, "cwd") {
			c.t.Errorf("%s, %v", line, err)
		}
	})
	numbered(t, "L58 session start knows a resume", func(c *rig) {
		var resumed []bool
		c.seams.SessionStart = append(c.seams.SessionStart, func(_ context.Context, s engine.SessionStart) ([]event.ContextMessage, error) {
			resumed = append(resumed, s.Resumed)
			return nil, nil
		})
		c.start()
		c.say("a")
		c.again()
		c.say("b")
		if c.events(); fmt.Sprint(resumed) != "[false true]" {
			c.t.Errorf("resumed %v", resumed)
		}
	})
	numbered(t, "L59 parent, workspace and seed length of a fork survive a resume", func(c *rig) {
		c.start()
		c.say("a")
		seed := int64(len(c.events()))
		c.fork()
		c.say("b")
		c.again()
		c.say("c")
		c.events()
		if h := c.s.Log.Header(); h.Parent != "s1" || h.Cwd != "/w" || h.SeedLength != seed {
			c.t.Errorf("%+v, seed of %d events", h, seed)
		}
	})
	numbered(t, "L60 an injection while idle is durable when the call returns", func(c *rig) {
		c.start()
		c.say("a")
		c.inject("fact")
		entry, err := c.w.store().Find("s1", "/w")
		if err != nil {
			c.t.Fatal(err)
		}
		_, log, err := c.w.store().Read(entry)
		if err != nil || !strings.Contains(log, "fact") {
			c.t.Errorf("%v\n%s", err, log)
		}
	})
	numbered(t, "L62 a resumed session is what it was, and goes on", func(c *rig) {
		c.start()
		c.say("a")
		events, history := len(c.events()), fmt.Sprint(c.s.State.History().Messages)
		c.again()
		if int(c.s.State.Next()) != events || fmt.Sprint(c.s.State.History().Messages) != history {
			c.t.Errorf("%d events, history %v", c.s.State.Next(), c.s.State.History().Messages)
		}
		c.say("b")
		var turns []int64
		for n, e := range c.events() {
			if e.Seq != int64(n) {
				c.t.Errorf("event %d has seq %d", n, e.Seq)
			}
			if e.Type == "turn/start" {
				turn, _ := e.Data.Get("turn").Int()
				turns = append(turns, turn)
			}
		}
		if fmt.Sprint(turns) != "[1 2]" {
			c.t.Errorf("turns %v", turns)
		}
	})
	numbered(t, "S34 a session with a seed continues at turn 2", func(c *rig) {
		c.start()
		c.say("a")
		c.events()
		c.fork()
		c.say("b")
		if got := c.s.State.LastTurn(); got != 2 {
			c.t.Errorf("turn %d", got)
		}
	})
	numbered(t, "X19 a crash between two calls: both get results, the turn is closed, the prefix is composed anew", func(c *rig) {
		src := &source{content: "old"}
		c.prefix = []msg.Contributor{src.contributor("file.p")}
		c.answers(ls("c1", "c2"))
		var crashed []byte
		c.tools = &tools{run: func(context.Context, msg.ToolCall) engine.ToolOutcome {
			if crashed == nil {
				var err error
				if crashed, err = os.ReadFile(c.s.Log.Path()); err != nil {
					c.t.Error(err)
				}
			}
			return engine.ToolOutcome{Content: text("files")}
		}}
		c.start()
		c.say("a")
		c.events()
		if err := os.WriteFile(c.s.Log.Path(), crashed, 0o600); err != nil {
			c.t.Fatal(err)
		}
		src.content = "new"
		entry, err := c.w.store().Find("s1", "/w")
		if err != nil {
			c.t.Fatal(err)
		}
		if c.s, err = c.w.store().Resume(entry); err != nil {
			c.t.Fatal(err)
		}
		c.m.bodies = nil
		c.start()
		c.say("b")
		c.log(`turn/start(message) user/message(a) step/start request/header(initial) request/sent assistant/message() tool/call(c1)
			tool/result(c1,interrupted) tool/result(c2,interrupted) step/end turn/end=interrupted
			turn/start(message) user/message(b) step/start request/header(resume) request/sent assistant/message(ok) step/end turn/end=completed`)
		events := c.events()
		if fmt.Sprint(events[7].Sources, events[8].Sources) != "[6] []" {
			c.t.Errorf("sources %v %v", events[7].Sources, events[8].Sources)
		}
		for _, e := range events[7:11] {
			if e.Time != events[6].Time {
				c.t.Errorf("time %d of %s", e.Time, e.Line())
			}
		}
		if turn, _ := events[11].Data.Get("turn").Int(); turn != 2 {
			c.t.Errorf("turn %d", turn)
		}
		c.has(1, `"messages":[{"role":"user","content":"new"},`)
	})
	numbered(t, "X20 a fork is sent its own prefix and keeps the parent's header in its log", func(c *rig) {
		src := &source{content: "parent"}
		c.prefix = []msg.Contributor{src.contributor("file.p")}
		c.start()
		c.say("a")
		src.content = "child"
		c.fork()
		c.say("b")
		c.has(2, `"messages":[{"role":"user","content":"child"},{"role":"user","content":"a"}`)
		var headers []string
		for _, e := range c.events() {
			if e.Type == "request/header" {
				reason, _ := e.Data.Get("reason").Text()
				headers = append(headers, reason+" "+e.Data.Get("header").Get("messagePrefix").Raw())
			}
		}
		if len(headers) != 2 || !strings.HasPrefix(headers[0], "initial ") || !strings.Contains(headers[0], "parent") ||
			!strings.HasPrefix(headers[1], "resume ") || !strings.Contains(headers[1], "child") {
			c.t.Errorf("headers %q", headers)
		}
	})
	// decision: a session that is written to is locked; there is no list of agents.
	numbered(t, "L55 a session that is open is not created again", func(c *rig) {
		c.start()
		_, err := c.w.store().Create(c.s.Log.Header())
		var busy *eventlog.BusyError
		if !errors.As(err, &busy) {
			c.t.Errorf("%v", err)
		}
	})
}
