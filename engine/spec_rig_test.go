package engine_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/engine"
	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/eventlog"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/provider"
	"github.com/dsh-hcl/dsh/engine/session"
	"github.com/dsh-hcl/dsh/engine/store"
	"github.com/dsh-hcl/dsh/engine/verify"
)

type answer = func(context.Context, func(msg.Chunk, error) bool)

// rig is one session of a numbered case: what it is made of, then what it did.
type rig struct {
	t              *testing.T
	w              *world
	m              *model
	change         func(*config.Agent)
	system, prefix []msg.Contributor
	seams          engine.Seams
	tools          engine.Tools
	observers      []func(event.Event)
	client         func() (provider.Client, error) // nil for m

	s       *store.Session
	i       *engine.Instance
	ended   bool
	gate    chan struct{}
	mu      sync.Mutex
	reports []string
}

// numbered runs a case of spec/loop.md section 9 in fake time and holds its log to
// the verifier and to the invariants. The name begins with the case's number.
func numbered(t *testing.T, name string, f func(c *rig)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := &rig{t: t, w: newWorld(t), m: &model{}}
			f(c)
			if c.s != nil {
				c.events()
			}
		})
	})
}

// answers sets what the model says, step by step; afterwards it says ok.
func (c *rig) answers(list ...answer) { c.m.answers = list }

// start begins an instance over a new session, or over s when it is set.
func (c *rig) start() {
	c.t.Helper()
	if c.s == nil {
		c.s = c.w.create()
	}
	c.ended = false
	c.i = c.w.start(c.w.agent(c.change, c.system, c.prefix), c.s, c.m, func(o *engine.Options) {
		o.Seams, o.Tools, o.Observers = c.seams, c.tools, c.observers
		if c.client != nil {
			o.Client = c.client
		}
		o.OnError = func(err error) {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.reports = append(c.reports, err.Error())
		}
	})
}

// hold is start with a driver that stands still until release is called, so that
// what is called meanwhile happens "in one tick".
func (c *rig) hold() {
	c.gate = make(chan struct{})
	gate := c.gate
	c.seams.SessionStart = append(c.seams.SessionStart, func(context.Context, engine.SessionStart) ([]event.ContextMessage, error) {
		<-gate
		return nil, nil
	})
	c.start()
	synctest.Wait()
}

func (c *rig) release() {
	close(c.gate)
	synctest.Wait()
}

// send queues a prompt and does not wait.
func (c *rig) send(s string) {
	c.t.Helper()
	if err := c.i.Send(text(s)); err != nil {
		c.t.Fatal(err)
	}
}

func (c *rig) steer(s string) {
	if err := c.i.Steer(text(s)); err != nil {
		c.t.Error(err)
	}
}

func (c *rig) inject(s string) {
	if err := c.i.Inject(event.ContextMessage{Content: text(s), Source: event.PluginSource("p")}); err != nil {
		c.t.Error(err)
	}
}

// say sends a prompt and waits for the end of its turn.
func (c *rig) say(s string) event.EndReason {
	c.t.Helper()
	return await(c.t, c.i, s)
}

// ends says a prompt and holds the end of its turn to a reason.
func (c *rig) ends(s, want string) {
	c.t.Helper()
	if got := reason(c.say(s)); got != want {
		c.t.Errorf("%s ended %s, want %s", s, got, want)
	}
}

// disposing is for code on the instance's goroutine: it ends the instance and
// returns when the action under way has been told.
func (c *rig) disposing(ctx context.Context) {
	go c.i.Dispose()
	<-ctx.Done()
}

// requests holds the number of requests that were sent.
func (c *rig) requests(want int) {
	c.t.Helper()
	if got := len(c.m.bodies); got != want {
		c.t.Errorf("%d requests were sent, want %d", got, want)
	}
}

// has holds the n-th request, from 1, to fragments of its body.
func (c *rig) has(n int, fragments ...string) {
	c.t.Helper()
	bodyHas(c.t, c.m, n-1, fragments...)
}

// lacks is the contrary of has.
func (c *rig) lacks(n int, fragments ...string) {
	c.t.Helper()
	for _, f := range fragments {
		if n <= len(c.m.bodies) && strings.Contains(c.m.bodies[n-1], f) {
			c.t.Errorf("request %d has %s:\n%s", n, f, c.m.bodies[n-1])
		}
	}
}

// events ends the instance and returns the events of its log, verified.
func (c *rig) events() []event.Event {
	c.t.Helper()
	if !c.ended {
		c.ended = true
		if err := c.i.Dispose(); err != nil {
			c.t.Error(err)
		}
		synctest.Wait()
	}
	b, err := os.ReadFile(c.s.Log.Path())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		c.t.Fatal(err)
	}
	report, err := verify.Log(c.s.Log.Path(), string(b))
	if err != nil || !report.OK() {
		c.t.Fatalf("verify: %v, %d of %d identical, damage %v", err, report.Identical(), len(report.Requests), report.Damage)
	}
	scan, err := eventlog.ScanText(c.s.Log.Path(), string(b))
	if err != nil {
		c.t.Fatal(err)
	}
	if v := verify.Check(scan.Events, true); v != nil {
		c.t.Error(v)
	}
	// S25: the log alone derives what the live session derived.
	again, err := session.Fold(scan.Events)
	if err != nil {
		c.t.Fatal(err)
	}
	if got, want := fmt.Sprint(again.History().Messages), fmt.Sprint(c.s.State.History().Messages); got != want {
		c.t.Errorf("the log derives\n%s\nthe session\n%s", got, want)
	}
	return scan.Events
}

// log holds all events to a trace; white space between them does not count.
func (c *rig) log(want string) {
	c.t.Helper()
	if got, want := trace(c.events()), strings.Join(strings.Fields(want), " "); got != want {
		c.t.Errorf("events\n%s\nwant\n%s", got, want)
	}
}

// count is how often a type of event stands in the log.
func (c *rig) count(kind string) int {
	n := 0
	for _, e := range c.events() {
		if e.Type == kind {
			n++
		}
	}
	return n
}

// again resumes the session with a new instance.
func (c *rig) again() {
	c.t.Helper()
	c.events()
	entry, err := c.w.store().Find(c.s.Log.Header().ID, c.s.Log.Header().Cwd)
	if err != nil {
		c.t.Fatal(err)
	}
	if c.s, err = c.w.store().Resume(entry); err != nil {
		c.t.Fatal(err)
	}
	c.start()
}

// trace is the events in a line, each with what tells it from others of its type.
func trace(events []event.Event) string {
	var out []string
	for _, e := range events {
		field := func(name string) string { s, _ := e.Data.Get(name).Text(); return s }
		w := e.Type
		switch e.Type {
		case "turn/start":
			kind, _ := e.Data.Get("trigger").Get("kind").Text()
			w += "(" + kind + ")"
		case "turn/end":
			w += "=" + reason(event.ParseEndReason(e.Data.Get("reason")))
		case "user/message", "assistant/message", "context/message", "steering/message":
			content, err := msg.ParseContent(e.Data.Get("content"))
			if err != nil {
				panic(err)
			}
			w += "(" + content.Text()
			if e.Data.Get("interrupted").IsTrue() {
				w += ",interrupted"
			}
			w += ")"
		case "prompt/blocked", "request/header":
			w += "(" + field("reason") + ")"
		case "tool/call":
			w += "(" + field("callId") + ")"
		case "tool/result":
			w += "(" + field("callId")
			if code, ok := e.Data.Get("error").Get("code").Text(); ok {
				w += "," + code
			}
			w += ")"
		}
		out = append(out, w)
	}
	return strings.Join(out, " ")
}

// reason is the end of a turn in a word: kind, then step and code of an error, or
// the reason somebody gave.
func reason(r event.EndReason) string {
	w := string(r.Kind)
	if r.Kind == event.EndError {
		w += fmt.Sprintf("@%d:%s", r.Step, r.Code)
	}
	if r.Reason != "" {
		w += ":" + r.Reason
	}
	return w
}

// fails is an answer that breaks off with an error.
func fails(err error) answer {
	return func(_ context.Context, yield func(msg.Chunk, error) bool) { yield(nil, err) }
}

// chunks is an answer chunk by chunk.
func chunks(list ...msg.Chunk) answer {
	return func(_ context.Context, yield func(msg.Chunk, error) bool) {
		for _, c := range list {
			if !yield(c, nil) {
				return
			}
		}
	}
}

func finish(kind msg.FinishKind) msg.Chunk { return msg.FinishChunk{Finish: msg.Finish{Kind: kind}} }

func ls(ids ...string) answer {
	var list []msg.ToolCall
	for _, id := range ids {
		list = append(list, msg.ToolCall{ID: id, Name: "ls", Arguments: "{}"})
	}
	return callTools(list...)
}

func preStep(f func(ctx context.Context, s engine.Step) error) engine.Seams {
	return engine.Seams{PreStep: []func(context.Context, engine.Step) error{f}}
}

func submit(f func(ctx context.Context, p engine.Submission) (engine.SubmitDecision, error)) engine.Seams {
	return engine.Seams{PromptSubmit: []func(context.Context, engine.Submission) (engine.SubmitDecision, error){f}}
}

func request(f func(ctx context.Context, s engine.Step, c msg.CallConfig) (msg.CallConfig, error)) engine.Seams {
	return engine.Seams{Request: []func(context.Context, engine.Step, msg.CallConfig) (msg.CallConfig, error){f}}
}

func stepResult(f func(ctx context.Context, s engine.Step, content msg.Content) (msg.Content, error)) engine.Seams {
	return engine.Seams{StepResult: []func(context.Context, engine.Step, msg.Content) (msg.Content, error){f}}
}

func preTool(f func(ctx context.Context, call msg.ToolCall) (engine.ToolDecision, error)) engine.Seams {
	return engine.Seams{PreTool: []func(context.Context, engine.Step, msg.ToolCall) (engine.ToolDecision, error){
		func(ctx context.Context, _ engine.Step, call msg.ToolCall) (engine.ToolDecision, error) {
			return f(ctx, call)
		}}}
}

func postTool(f func(ctx context.Context, call msg.ToolCall, r engine.ToolOutcome) (engine.PostDecision, error)) engine.Seams {
	return engine.Seams{PostTool: []func(context.Context, engine.Step, msg.ToolCall, engine.ToolOutcome) (engine.PostDecision, error){
		func(ctx context.Context, _ engine.Step, call msg.ToolCall, r engine.ToolOutcome) (engine.PostDecision, error) {
			return f(ctx, call, r)
		}}}
}

func continuation(f func(ctx context.Context, s engine.Step, goesOn bool) (engine.ContinueDecision, error)) engine.Seams {
	return engine.Seams{Continuation: []func(context.Context, engine.Step, bool) (engine.ContinueDecision, error){f}}
}

// note is a context message of a plugin.
func note(s string) event.ContextMessage {
	return event.ContextMessage{Content: text(s), Source: event.PluginSource("test")}
}

// fork goes on from the session's last turn in a new session.
func (c *rig) fork() {
	c.t.Helper()
	c.events()
	entry, err := c.w.store().Find(c.s.Log.Header().ID, c.s.Log.Header().Cwd)
	if err != nil {
		c.t.Fatal(err)
	}
	c.w.ids++
	h := eventlog.Header{ID: fmt.Sprintf("s%d", c.w.ids), CreatedAt: 2, Cwd: "/w", Agent: "a", ConfigDigest: "d"}
	if c.s, err = c.w.store().Fork(entry, -1, h); err != nil {
		c.t.Fatal(err)
	}
	c.start()
}

// syncing is a disk that calls back before each sync of a log, counted from 1, and
// can fail one.
type syncing struct {
	eventlog.Disk
	n    int
	at   func(n int)
	fail int // which sync fails, 0 for none
}

type syncingFile struct {
	eventlog.File
	s *syncing
}

func (s *syncing) Open(path string) (eventlog.File, error) {
	f, err := s.Disk.Open(path)
	return syncingFile{f, s}, err
}

func (f syncingFile) Sync() error {
	f.s.n++
	if f.s.at != nil {
		f.s.at(f.s.n)
	}
	if f.s.n == f.s.fail {
		return errors.New("the disk is gone")
	}
	return f.File.Sync()
}

// create begins a session with that header.
func (c *rig) create(h eventlog.Header) *store.Session {
	c.t.Helper()
	s, err := c.w.store().Create(h)
	if err != nil {
		c.t.Fatal(err)
	}
	return s
}
