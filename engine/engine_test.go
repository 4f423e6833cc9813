package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/engine"
	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/eventlog"
	"github.com/dsh-hcl/dsh/engine/meter"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/provider"
	"github.com/dsh-hcl/dsh/engine/store"
	"github.com/dsh-hcl/dsh/engine/verify"
)

// model is a provider that answers from a list and keeps what it was sent.
type model struct {
	mu      sync.Mutex
	bodies  []string
	answers []func(ctx context.Context, yield func(msg.Chunk, error) bool)
}

func (m *model) Stream(ctx context.Context, body provider.Body) iter.Seq2[msg.Chunk, error] {
	return func(yield func(msg.Chunk, error) bool) {
		b, _ := io.ReadAll(body.Reader())
		m.mu.Lock()
		m.bodies = append(m.bodies, string(b))
		answer := say("ok")
		if len(m.answers) > 0 {
			answer, m.answers = m.answers[0], m.answers[1:]
		}
		m.mu.Unlock()
		answer(ctx, yield)
	}
}

func say(text string) func(context.Context, func(msg.Chunk, error) bool) {
	return func(_ context.Context, yield func(msg.Chunk, error) bool) {
		_ = yield(msg.TextDelta{Text: text}, nil) && yield(msg.UsageChunk{Usage: msg.Usage{Input: 3, Output: 1}}, nil) &&
			yield(msg.FinishChunk{Finish: msg.Finish{Kind: msg.FinishStop}}, nil)
	}
}

// world is a store with a clock and ids.
type world struct {
	t     *testing.T
	root  string
	files eventlog.Files
	ids   int
}

func newWorld(t *testing.T) *world {
	return &world{t: t, root: t.TempDir(), files: eventlog.Disk{}}
}

func (w *world) store() *store.Store {
	return store.New(w.root, eventlog.Options{Files: w.files, Now: func() int64 { return 1767323045000 }},
		func() eventlog.Holder { return eventlog.Holder{PID: os.Getpid(), Host: "h"} })
}

func text(s string) msg.Content {
	c, err := msg.TextContent(s)
	if err != nil {
		panic(err)
	}
	return c
}

// contributor puts one user message in front.
func contributor(address, content string) msg.Contributor {
	return msg.Prepend(address, "dsh.hcl:1", func(context.Context) ([]msg.Message, *msg.Skip, error) {
		if content == "" {
			return nil, nil, nil
		}
		return []msg.Message{{Role: msg.RoleUser, Content: text(content)}}, nil, nil
	})
}

// agent compiles an agent from contributors.
func (w *world) agent(change func(*config.Agent), system, prefix []msg.Contributor) *engine.Agent {
	w.t.Helper()
	a := config.Agent{Name: "a", Digest: "d", Model: config.Attr[string]{V: "m"}}
	if change != nil {
		change(&a)
	}
	c := &config.Config{
		Providers: []config.Provider{{Name: "p"}},
		Models:    []config.Model{{Name: "m", Provider: "p", ID: config.Attr[string]{V: "model-1"}}},
		Agents:    []config.Agent{a},
	}
	first := true
	out, err := engine.Compile(c, &c.Agents[0], func([]config.Contributor) ([]msg.Contributor, error) {
		if first {
			first = false
			return system, nil
		}
		return prefix, nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return out.Counting(meter.Exactly(fifths{}))
}

// fifths counts a token for every five bytes, so that what tests expect does not hang on
// how well tokens are estimated.
type fifths struct{}

func (fifths) Name() string          { return "fifths" }
func (fifths) Count(text string) int { return (len(text) + 4) / 5 }

func (w *world) create() *store.Session {
	w.t.Helper()
	w.ids++
	s, err := w.store().Create(eventlog.Header{ID: fmt.Sprintf("s%d", w.ids), CreatedAt: 1, Cwd: "/w", Agent: "a", ConfigDigest: "d"})
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

func (w *world) start(a *engine.Agent, s *store.Session, m *model, more ...func(*engine.Options)) *engine.Instance {
	o := engine.Options{
		NewID:  func() string { return "id" },
		Client: func() (provider.Client, error) { return m, nil },
	}
	for _, f := range more {
		f(&o)
	}
	return engine.Start(a, s, o)
}

func send(t *testing.T, i *engine.Instance, s string) event.EndReason {
	t.Helper()
	if err := i.Send(text(s)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	end, err := i.Wait(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return end
}

// scan reads a session's log and holds it to the verifier.
func (w *world) scan(s *store.Session, sent int) *eventlog.Scan {
	w.t.Helper()
	b, err := os.ReadFile(s.Log.Path())
	if err != nil {
		w.t.Fatal(err)
	}
	report, err := verify.Log(s.Log.Path(), string(b))
	if err != nil || !report.OK() || len(report.Requests) != sent {
		w.t.Fatalf("verify: %v, %d of %d identical (want %d), damage %v", err, report.Identical(), len(report.Requests), sent, report.Damage)
	}
	scan, err := eventlog.ScanText(s.Log.Path(), string(b))
	if err != nil {
		w.t.Fatal(err)
	}
	return scan
}

func types(events []event.Event) string {
	var out []string
	for _, e := range events {
		out = append(out, e.Type)
	}
	return strings.Join(out, " ")
}

func TestWholePath(t *testing.T) {
	w := newWorld(t)
	m := &model{}
	a := w.agent(nil, []msg.Contributor{contributor("system.text.a", "be brief"), contributor("system.text.b", "be kind")},
		[]msg.Contributor{contributor("text.one", "1"), contributor("text.none", ""), contributor("text.two", "2")})
	s := w.create()
	i := w.start(a, s, m)
	for _, q := range []string{"first", "second"} {
		if end := send(t, i, q); end.Kind != event.EndCompleted {
			t.Fatalf("%s: %+v", q, end)
		}
	}
	if err := i.Dispose(); err != nil {
		t.Fatal(err)
	}
	want := []string{
		`{"model":"model-1","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"system","content":"be brief\n\nbe kind"},{"role":"user","content":"1"},{"role":"user","content":"2"},{"role":"user","content":"first"}]}`,
		`{"model":"model-1","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"system","content":"be brief\n\nbe kind"},{"role":"user","content":"1"},{"role":"user","content":"2"},{"role":"user","content":"first"},{"role":"assistant","content":"ok"},{"role":"user","content":"second"}]}`,
	}
	if fmt.Sprint(m.bodies) != fmt.Sprint(want) {
		t.Errorf("bodies\n%s\nwant\n%s", m.bodies, want)
	}
	scan := w.scan(s, 2)
	if got, want := types(scan.Events), "turn/start user/message step/start request/header request/sent assistant/message step/end turn/end "+
		"turn/start user/message step/start request/sent assistant/message step/end turn/end"; got != want {
		t.Errorf("events\n%s\nwant\n%s", got, want)
	}
	h, err := event.ParseRequestHeader(scan.Events[3].Data)
	if err != nil || h.Reason != "initial" || len(h.Sources.System) != 2 || len(h.Sources.Prefix) != 2 || h.Sources.Prefix[1].Address != "text.two" {
		t.Errorf("header %+v, %v", h, err)
	}

	// A resume is a new instance: it composes anew and says so.
	entry, err := w.store().Find("s1", "/w")
	if err != nil {
		t.Fatal(err)
	}
	s2, err := w.store().Resume(entry)
	if err != nil {
		t.Fatal(err)
	}
	i = w.start(w.agent(nil, nil, []msg.Contributor{contributor("text.new", "N")}), s2, m)
	send(t, i, "third")
	if err := i.Dispose(); err != nil {
		t.Fatal(err)
	}
	scan = w.scan(s2, 3)
	h, err = event.ParseRequestHeader(scan.Events[len(scan.Events)-5].Data)
	if err != nil || h.Reason != "resume" || h.Header.System() != "" || h.Header.Prefix().Len() != 1 {
		t.Errorf("resumed header %s %+v, %v", types(scan.Events), h, err)
	}
	if !strings.HasPrefix(m.bodies[2], `{"model":"model-1","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"N"},{"role":"user","content":"first"}`) {
		t.Errorf("resumed body %s", m.bodies[2])
	}
}

func TestEmptyComposition(t *testing.T) {
	w := newWorld(t)
	m := &model{}
	s := w.create()
	i := w.start(w.agent(nil, nil, []msg.Contributor{contributor("text.none", "")}), s, m)
	send(t, i, "x")
	i.Dispose()
	scan := w.scan(s, 1)
	if h := scan.Events[3].Data.Get("header"); h.Get("messagePrefix").Exists() || h.Get("system").Exists() {
		t.Errorf("header %s", h.Raw())
	}
	if want := `{"model":"model-1","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"x"}]}`; m.bodies[0] != want {
		t.Errorf("body %s", m.bodies[0])
	}
}

// A composition that fails, panics or makes nonsense ends the turn, leaves
// nothing behind, and is done anew by the next turn.
func TestCompositionFails(t *testing.T) {
	for name, bad := range map[string]msg.Contributor{
		"error": func(context.Context, func(context.Context) (msg.Composition, error)) (msg.Composition, error) {
			return msg.Composition{}, errors.New("no")
		},
		"panic": func(context.Context, func(context.Context) (msg.Composition, error)) (msg.Composition, error) {
			panic("boom")
		},
		"system role": msg.Prepend("x", "", func(context.Context) ([]msg.Message, *msg.Skip, error) {
			return []msg.Message{{Role: msg.RoleSystem, Content: text("x")}}, nil, nil
		}),
		"no content": msg.Prepend("x", "", func(context.Context) ([]msg.Message, *msg.Skip, error) {
			return []msg.Message{{Role: msg.RoleUser}}, nil, nil
		}),
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			m := &model{}
			s := w.create()
			times := 0
			i := w.start(w.agent(nil, nil, []msg.Contributor{func(ctx context.Context, next func(context.Context) (msg.Composition, error)) (msg.Composition, error) {
				if times++; times == 1 {
					return bad(ctx, next)
				}
				return contributor("text.good", "good")(ctx, next)
			}}), s, m)
			if end := send(t, i, "x"); end.Kind != event.EndError || end.Step != 1 {
				t.Errorf("first turn %+v", end)
			}
			if len(m.bodies) > 0 {
				t.Error("a request was sent")
			}
			if end := send(t, i, "y"); end.Kind != event.EndCompleted {
				t.Errorf("second turn %+v", end)
			}
			send(t, i, "z")
			i.Dispose()
			scan := w.scan(s, 2)
			if times != 2 {
				t.Errorf("composed %d times", times)
			}
			if got := strings.Count(types(scan.Events), "request/header"); got != 1 {
				t.Errorf("%d headers", got)
			}
		})
	}
}

func TestProviderFails(t *testing.T) {
	boom := &provider.Error{Code: provider.CodeStreamCut, Message: "cut"}
	w := newWorld(t)
	m := &model{answers: []func(context.Context, func(msg.Chunk, error) bool){
		func(_ context.Context, yield func(msg.Chunk, error) bool) {
			_ = yield(msg.TextDelta{Text: "half"}, nil) && yield(nil, boom)
		},
		func(context.Context, func(msg.Chunk, error) bool) { panic("client") },
		say("whole"),
	}}
	s := w.create()
	i := w.start(w.agent(nil, nil, nil), s, m)
	if end := send(t, i, "a"); end.Kind != event.EndError || end.Code != provider.CodeStreamCut || end.Message != "cut" {
		t.Errorf("cut stream: %+v", end)
	}
	if end := send(t, i, "b"); end.Kind != event.EndError || end.Code != msg.CodeUnknown {
		t.Errorf("panicking client: %+v", end)
	}
	if end := send(t, i, "c"); end.Kind != event.EndCompleted {
		t.Errorf("afterwards: %+v", end)
	}
	i.Dispose()
	w.scan(s, 3)
	if !strings.Contains(m.bodies[2], `{"role":"assistant","content":"half"}`) {
		t.Errorf("what streamed before the cut is lost: %s", m.bodies[2])
	}
}

func TestCancel(t *testing.T) {
	w := newWorld(t)
	streaming := make(chan struct{})
	m := &model{answers: []func(context.Context, func(msg.Chunk, error) bool){
		func(ctx context.Context, yield func(msg.Chunk, error) bool) {
			if !yield(msg.TextDelta{Text: "half"}, nil) {
				return
			}
			close(streaming)
			<-ctx.Done()
			yield(nil, context.Cause(ctx))
		},
	}}
	s := w.create()
	i := w.start(w.agent(nil, nil, nil), s, m)
	if err := i.Send(text("x")); err != nil {
		t.Fatal(err)
	}
	<-streaming
	if !i.Cancel("enough") {
		t.Error("nothing to cancel")
	}
	end, err := i.Wait(context.Background())
	if err != nil || end.Kind != event.EndAborted || end.Reason != "enough" {
		t.Errorf("%+v %v", end, err)
	}
	if end := send(t, i, "y"); end.Kind != event.EndCompleted {
		t.Errorf("next turn %+v", end)
	}
	if err := i.Dispose(); err != nil {
		t.Error(err)
	}
	if err := i.Send(text("z")); !errors.Is(err, engine.ErrDisposed) {
		t.Errorf("send after dispose: %v", err)
	}
	if i.Cancel("x") {
		t.Error("a disposed instance was cancelled")
	}
	w.scan(s, 2)
}

// full is a disk that is full from the n-th write on.
type full struct {
	eventlog.Disk
	left *int
}

type fullFile struct {
	eventlog.File
	left *int
}

func (f full) Open(path string) (eventlog.File, error) {
	file, err := f.Disk.Open(path)
	return fullFile{file, f.left}, err
}

func (f fullFile) Write(p []byte) (int, error) {
	if *f.left--; *f.left < 0 {
		n, _ := f.File.Write(p[:len(p)/2])
		return n, syscall.ENOSPC
	}
	return f.File.Write(p)
}

// A disk that fills up at any write ends the instance with one clear error; what
// was acknowledged stays and the session can be resumed.
func TestFullDisk(t *testing.T) {
	for room := range 12 {
		w := newWorld(t)
		left := room
		w.files = full{left: &left}
		m := &model{}
		s := w.create()
		i := w.start(w.agent(nil, nil, []msg.Contributor{contributor("text.p", "p")}), s, m)
		err := i.Send(text("x"))
		if err == nil {
			_, err = i.Wait(context.Background())
		}
		if err == nil {
			if err = i.Send(text("y")); err == nil {
				_, err = i.Wait(context.Background())
			}
		}
		derr := i.Dispose()
		if left < 0 {
			var we *eventlog.WriteError
			if !errors.As(err, &we) || !errors.Is(derr, syscall.ENOSPC) {
				t.Fatalf("room for %d writes: %v, dispose %v", room, err, derr)
			}
		}
		sent := len(m.bodies)
		w.files = eventlog.Disk{}
		entry, err := w.store().Find("s1", "/w")
		if err != nil {
			t.Fatalf("room for %d writes: %v", room, err)
		}
		s2, err := w.store().Resume(entry)
		if err != nil {
			t.Fatalf("room for %d writes: resume: %v", room, err)
		}
		i = w.start(w.agent(nil, nil, nil), s2, m)
		if end := send(t, i, "again"); end.Kind != event.EndCompleted {
			t.Fatalf("room for %d writes: %+v", room, end)
		}
		i.Dispose()
		w.scan(s2, sent+1)
	}
}

// What the log proves is what left: twenty requests of growing messages, chunks
// recorded between them.
func TestDigestIsOfWhatWasSent(t *testing.T) {
	w := newWorld(t)
	m := &model{}
	s := w.create()
	i := w.start(w.agent(func(a *config.Agent) { a.LogChunks.V = true }, nil, nil), s, m)
	for n := range 20 {
		m.answers = append(m.answers, say(strings.Repeat("answer ", n*5+1)))
		send(t, i, strings.Repeat("é", n*7+1))
	}
	i.Dispose()
	scan := w.scan(s, 20)
	b, _ := os.ReadFile(s.Log.Path())
	report, err := verify.Log("log", string(b))
	if err != nil {
		t.Fatal(err)
	}
	for n, r := range report.Requests {
		if !bytes.Equal(r.Body.Bytes(), []byte(m.bodies[n])) {
			t.Fatalf("request %d rebuilt is not what was sent", n+1)
		}
	}
	if !strings.Contains(types(scan.Events), "assistant/chunk assistant/chunk assistant/chunk assistant/message") {
		t.Error("chunks were asked for and not logged")
	}
}
