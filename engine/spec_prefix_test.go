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

// The session prefix: composed once, frozen, recorded once.
func TestSpecPrefix(t *testing.T) {
	opener := `"messages":[{"role":"user","content":"opener"},`
	numbered(t, "L11 composed once for three requests of two turns", func(c *rig) {
		composed := 0
		c.prefix = []msg.Contributor{counting(&composed, "opener")}
		c.answers(ls("c1"))
		c.tools = &tools{}
		c.start()
		c.say("go")
		c.say("again")
		c.requests(3)
		for n := range 3 {
			c.has(n+1, opener)
		}
		if composed != 1 || c.count("request/header") != 1 || c.count("request/header-delta") != 0 {
			c.t.Errorf("composed %d times, %d headers, %d deltas", composed, c.count("request/header"), c.count("request/header-delta"))
		}
		if got := lastHeader(c.t, c.events()).Header.Prefix(); got.Len() != 1 {
			c.t.Errorf("the header records %d messages", got.Len())
		}
		if got := c.s.State.History().Messages[0].Content.Text(); got != "go" {
			c.t.Errorf("history begins with %q", got)
		}
	})
	numbered(t, "L12 composition comes before pre-step", func(c *rig) {
		var order []string
		c.prefix = []msg.Contributor{msg.Prepend("text.p", "", func(context.Context) ([]msg.Message, *msg.Skip, error) {
			order = append(order, "compose")
			return []msg.Message{{Role: msg.RoleUser, Content: text("opener")}}, nil, nil
		})}
		c.seams = preStep(func(context.Context, engine.Step) error { order = append(order, "pre-step"); return nil })
		c.start()
		c.say("go")
		if fmt.Sprint(order) != "[compose pre-step]" {
			c.t.Errorf("order %v", order)
		}
	})
	numbered(t, "L14 a contributor that only delegates leaves no prefix", func(c *rig) {
		c.prefix = []msg.Contributor{func(ctx context.Context, next func(context.Context) (msg.Composition, error)) (msg.Composition, error) {
			return next(ctx)
		}}
		c.start()
		c.say("go")
		c.has(1, `"messages":[{"role":"user","content":"go"}]`)
		if h := c.events()[3].Data.Get("header"); h.Get("messagePrefix").Exists() {
			c.t.Errorf("header %s", h.Raw())
		}
	})
	numbered(t, "L16 what a contributor does to its list afterwards changes nothing", func(c *rig) {
		mine := []msg.Message{{Role: msg.RoleUser, Content: text("opener")}}
		c.prefix = []msg.Contributor{msg.Prepend("text.p", "", func(context.Context) ([]msg.Message, *msg.Skip, error) { return mine, nil, nil })}
		c.answers(ls("c1"))
		c.tools = &tools{run: func(context.Context, msg.ToolCall) engine.ToolOutcome {
			mine[0].Content, mine[0].Role = text("v2"), msg.RoleAssistant
			return engine.ToolOutcome{Content: text("files")}
		}}
		c.start()
		c.say("go")
		c.has(2, opener)
		if c.count("request/header-delta") != 0 {
			c.t.Error("a delta was logged")
		}
	})
	cancelled := func(c *rig, then string) (composed *int) {
		composed = new(int)
		c.prefix = []msg.Contributor{msg.Prepend("text.p", "", func(ctx context.Context) ([]msg.Message, *msg.Skip, error) {
			if *composed++; *composed == 1 {
				c.i.Cancel("not now")
			}
			return []msg.Message{{Role: msg.RoleUser, Content: text(then)}}, nil, nil
		})}
		return composed
	}
	numbered(t, "L30 a cancel inside composition ends the turn before its step", func(c *rig) {
		cancelled(c, "opener")
		c.start()
		c.ends("go", "aborted:not now")
		c.requests(0)
		c.log("turn/start(message) user/message(go) turn/end=aborted:not now")
	})
	numbered(t, "L31 a disposal inside composition ends the turn before its step", func(c *rig) {
		c.prefix = []msg.Contributor{msg.Prepend("text.p", "", func(ctx context.Context) ([]msg.Message, *msg.Skip, error) {
			c.disposing(ctx)
			return []msg.Message{{Role: msg.RoleUser, Content: text("opener")}}, nil, nil
		})}
		c.start()
		c.say("go")
		c.requests(0)
		c.log("turn/start(message) user/message(go) turn/end=disposed")
	})
	numbered(t, "L32 a cancelled composition is discarded and made anew", func(c *rig) {
		composed := cancelled(c, "opener")
		c.start()
		c.say("go")
		c.ends("again", "completed")
		if *composed != 2 {
			c.t.Errorf("composed %d times", *composed)
		}
		c.requests(1)
		c.has(1, opener+`{"role":"user","content":"go"},{"role":"user","content":"again"}]`)
		if got := lastHeader(c.t, c.events()).Header.Prefix().Len(); got != 1 {
			c.t.Errorf("%d messages in the header", got)
		}
	})
	numbered(t, "L32 also one that did not notice the cancel and says it is whole", func(c *rig) {
		composed := 0
		c.prefix = []msg.Contributor{func(context.Context, func(context.Context) (msg.Composition, error)) (msg.Composition, error) {
			if composed++; composed == 1 {
				c.i.Cancel("not now")
			}
			return msg.Composition{Pieces: []msg.Piece{{Address: "text.p", Message: msg.Message{Role: msg.RoleUser, Content: text(fmt.Sprint(composed))}}}}, nil
		}}
		c.start()
		c.ends("go", "aborted:not now")
		c.say("again")
		c.has(1, `"messages":[{"role":"user","content":"2"},`)
	})
	numbered(t, "X3 a composition that fails is made anew and the log begins with initial", func(c *rig) {
		src := &source{err: errors.New("unreadable")}
		c.prefix = []msg.Contributor{src.contributor("file.p")}
		c.start()
		c.ends("go", "error@1:UNKNOWN")
		src.err, src.content = nil, "opener"
		c.ends("again", "completed")
		c.log(`turn/start(message) user/message(go) turn/end=error@1:UNKNOWN
			turn/start(message) user/message(again) step/start request/header(initial) request/sent assistant/message(ok) step/end turn/end=completed`)
		c.has(1, opener)
	})
	numbered(t, "X4 a cancel in pre-step keeps what was composed", func(c *rig) {
		composed, first := 0, true
		c.prefix = []msg.Contributor{counting(&composed, "opener")}
		c.seams = preStep(func(context.Context, engine.Step) error {
			if first {
				first = false
				c.i.Cancel("not now")
			}
			return nil
		})
		c.start()
		c.ends("go", "aborted:not now")
		c.ends("again", "completed")
		c.has(1, opener)
		if composed != 1 {
			c.t.Errorf("composed %d times", composed)
		}
	})
	// decision: validation comes before caching, so a bad contribution ends its turn
	// and not the instance.
	numbered(t, "X6 a contribution that cannot be encoded is composed anew", func(c *rig) {
		bad := true
		c.prefix = []msg.Contributor{msg.Prepend("text.p", "", func(context.Context) ([]msg.Message, *msg.Skip, error) {
			if bad {
				return []msg.Message{{Role: msg.RoleSystem, Content: text("x")}}, nil, nil
			}
			return []msg.Message{{Role: msg.RoleUser, Content: text("opener")}}, nil, nil
		})}
		c.start()
		c.ends("a", "error@1:INVALID_PREFIX")
		c.ends("b", "error@1:INVALID_PREFIX")
		bad = false
		c.ends("c", "completed")
		c.has(1, opener)
	})
	numbered(t, "X7 an injection inside composition joins the current request", func(c *rig) {
		c.prefix = []msg.Contributor{msg.Prepend("text.p", "", func(context.Context) ([]msg.Message, *msg.Skip, error) {
			c.inject("fact")
			return nil, nil, nil
		})}
		c.start()
		c.say("go")
		c.log(`turn/start(message) user/message(go) context/message(fact) step/start request/header(initial) request/sent
			assistant/message(ok) step/end turn/end=completed`)
		c.has(1, "fact</context>")
	})
}

// What a request is made of, and what the log says about it.
func TestSpecRequests(t *testing.T) {
	numbered(t, "L42 the second request extends the first", func(c *rig) {
		c.start()
		c.say("a")
		c.say("b")
		if !strings.HasPrefix(c.m.bodies[1], strings.TrimSuffix(c.m.bodies[0], "]}")) {
			c.t.Errorf("%s\n%s", c.m.bodies[0], c.m.bodies[1])
		}
	})
	// decision: the system text is frozen with the prefix, so a section that is added
	// later reaches the next instance, not the next turn.
	numbered(t, "L44 a system text that changes is no delta", func(c *rig) {
		src := &source{content: "sys"}
		c.system = []msg.Contributor{src.contributor("system.file.s")}
		c.start()
		c.say("a")
		c.say("b")
		src.content = "other"
		c.say("c")
		c.has(3, `{"role":"system","content":"sys"}`)
		if c.count("request/header") != 1 || c.count("request/header-delta") != 0 {
			c.t.Error("the header changed")
		}
		c.again()
		c.say("d")
		c.has(4, `{"role":"system","content":"other"}`)
	})
	numbered(t, "L47 a fork of a whole log records its own header and extends the request", func(c *rig) {
		c.system = []msg.Contributor{contributor("system.text.s", "sys")}
		c.start()
		c.say("a")
		c.events()
		c.fork()
		c.say("b")
		if !strings.HasPrefix(c.m.bodies[1], strings.TrimSuffix(c.m.bodies[0], "]}")) {
			c.t.Errorf("%s\n%s", c.m.bodies[0], c.m.bodies[1])
		}
		if c.count("request/header") != 2 || lastHeader(c.t, c.events()).Reason != "resume" || lastHeader(c.t, c.events()).Header.System() != "sys" {
			c.t.Error(trace(c.events()))
		}
	})
	numbered(t, "L48 a request seam changes its copy only, and for one request", func(c *rig) {
		c.seams = request(func(_ context.Context, s engine.Step, call msg.CallConfig) (msg.CallConfig, error) {
			if s.Turn == 1 {
				call.Temperature, call.Stop = msg.Some("0.5"), append(call.Stop, "x")
				return call, nil
			}
			return call, nil
		})
		c.start()
		c.say("a")
		c.say("b")
		c.has(1, `"temperature":0.5`)
		c.lacks(2, "temperature", "stop\"")
	})
	numbered(t, "L50 an unchanged header is recorded once, as initial", func(c *rig) {
		c.start()
		c.say("a")
		c.say("b")
		if c.count("request/header") != 1 || lastHeader(c.t, c.events()).Reason != event.HeaderInitial {
			c.t.Error(trace(c.events()))
		}
	})
	numbered(t, "L51 a fresh instance records the identical header again, as resume", func(c *rig) {
		c.start()
		c.say("a")
		before := lastHeader(c.t, c.events())
		c.again()
		c.say("b")
		after := lastHeader(c.t, c.events())
		if c.count("request/header") != 2 || after.Reason != event.HeaderResume || !after.Header.Equal(before.Header) {
			c.t.Error(trace(c.events()))
		}
	})
	numbered(t, "S4 the system text is its parts joined by blank lines", func(c *rig) {
		c.system = []msg.Contributor{contributor("system.text.a", "identity"), contributor("system.text.b", "persona"), contributor("system.text.c", "guidance")}
		c.start()
		c.say("a")
		c.has(1, `{"role":"system","content":"identity\n\npersona\n\nguidance"}`)
	})
	numbered(t, "S6 a system text that cannot be made ends the turn, and a later one is made", func(c *rig) {
		src := &source{err: errors.New("no cwd")}
		c.system = []msg.Contributor{src.contributor("system.template.s")}
		c.start()
		c.ends("a", "error@1:UNKNOWN")
		c.requests(0)
		src.err, src.content = nil, "sys"
		c.ends("b", "completed")
	})
	numbered(t, "S7 a request seam may name the model", func(c *rig) {
		c.seams = request(func(_ context.Context, _ engine.Step, call msg.CallConfig) (msg.CallConfig, error) {
			call.Model = "late"
			return call, nil
		})
		c.start()
		c.say("a")
		c.has(1, `{"model":"late"`)
	})
	numbered(t, "S8 a request without system parts has no system message", func(c *rig) {
		c.system = []msg.Contributor{contributor("system.text.a", "")}
		c.start()
		c.say("a")
		c.lacks(1, `"system"`)
		if h := c.events()[3].Data.Get("header"); h.Get("system").Exists() {
			c.t.Errorf("header %s", h.Raw())
		}
	})
	// decision: the configuration of each request begins with the agent's, so a switch
	// holds for that request and the log has a delta there and back.
	numbered(t, "S16 a switch of the model is logged and does not stick", func(c *rig) {
		c.seams = request(func(_ context.Context, s engine.Step, call msg.CallConfig) (msg.CallConfig, error) {
			if call.Model != "model-1" {
				c.t.Errorf("turn %d is seeded with %s", s.Turn, call.Model)
			}
			if s.Turn == 2 {
				call.Model = "model-2"
			}
			return call, nil
		})
		c.start()
		for _, s := range []string{"a", "b", "c"} {
			c.say(s)
		}
		c.has(2, `{"model":"model-2"`)
		c.has(3, `{"model":"model-1"`)
		if n := c.count("request/header-delta"); n != 2 {
			c.t.Errorf("%d deltas", n)
		}
	})
	numbered(t, "S32 a request without a model is an error that says so", func(c *rig) {
		c.seams = request(func(_ context.Context, _ engine.Step, call msg.CallConfig) (msg.CallConfig, error) {
			call.Model = ""
			return call, nil
		})
		c.start()
		if end := c.say("a"); reason(end) != "error@1:NO_MODEL" || !strings.Contains(end.Message, "no model") {
			c.t.Errorf("%+v", end)
		}
		c.log("turn/start(message) user/message(a) step/start step/end turn/end=error@1:NO_MODEL")
	})
	// decision: tools stand in order of declaration.
	numbered(t, "S55 tools stand as they were declared", func(c *rig) {
		c.tools = declared{"zip", "awk", "ls"}
		c.start()
		c.say("a")
		var names []string
		for _, tool := range lastHeader(c.t, c.events()).Header.Tools() {
			names = append(names, tool.Name)
		}
		if fmt.Sprint(names) != "[zip awk ls]" {
			c.t.Errorf("tools %v", names)
		}
	})
	numbered(t, "S9 chunks of an answer are logged one by one when they are asked for", func(c *rig) {
		c.change = func(a *config.Agent) { a.LogChunks.V = true }
		c.answers(chunks(msg.BlockStart{BlockType: "text"}, msg.TextDelta{Text: "a"}, msg.TextDelta{Text: "b"}, msg.TextDelta{Text: "c"},
			msg.BlockEnd{Block: msg.Text{Text: "abc"}}, msg.UsageChunk{Usage: msg.Usage{Input: 10, Output: 3}}, finish(msg.FinishStop)))
		c.start()
		c.say("hi")
		if n := c.count("assistant/chunk"); n != 7 {
			c.t.Errorf("%d chunks", n)
		}
		for _, e := range c.events() {
			if e.Type == "assistant/message" && len(e.Sources) != 7 {
				c.t.Errorf("sources %v", e.Sources)
			}
		}
	})
}

// declared is a tool set of names that nobody calls.
type declared []string

func (d declared) Schemas() (out []msg.Tool) {
	for _, name := range d {
		out = append(out, msg.Tool{Name: name, Parameters: `{"type":"object"}`})
	}
	return out
}

func (d declared) Run(context.Context, msg.ToolCall) engine.ToolOutcome { panic("nobody calls") }
