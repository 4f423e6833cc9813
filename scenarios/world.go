package scenarios

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/dsh-hcl/dsh/engine"
	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/eventlog"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/ref"
	"github.com/dsh-hcl/dsh/engine/store"
	"github.com/dsh-hcl/dsh/engine/wire"
)

// epoch is when the clock of every scenario starts.
var epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// worldKey finds the world among a script's values.
type worldKey struct{}

// world is the state of one running scenario.
type world struct {
	opts Options
	name string
	work string

	clock *clock

	mu     sync.Mutex // guards what the instance's goroutine uses too
	ids    int
	model  Model
	before []Model    // models that answered earlier
	told   int        // unmet expectations of the models that were told
	cites  []ref.Cite // of the next prompt
	plans  []plan     // what happens when the next turn comes to a point

	warnings  []error   // of the instance, not yet shown
	stderr    io.Writer // of the line under way
	opened    *Opened
	instance  *engine.Instance
	pending   chan outcome   // of the turn that runs in the background, nil when none does
	ended     *outcome       // of a turn in the background that is over
	open      Open           // what the current instance was opened with
	ownModel  bool           // the scenario brings its scripted model
	openings  *openings      // which headers are those of the project's own configuration
	left      error          // what the scenario began and did not finish, known at its end
	fresh     int64          // seq from which on the present instance logs its own headers
	guarded   map[string]int // requests of each log that the guard has seen
	modelFile string         // absolute path of the scripted model's file
	session   string         // id of the session that assertions are about, "" for the newest
	exit      int            // exit code of the last dsh, or of the last agent that did not start
	ran       bool           // exit says something
	declared  []string       // addresses of contributors that the agents opened so far declare
	code      string         // stable code of the last failure, "" for none
}

func newWorld(o Options, name, work string) *world {
	return &world{opts: o, name: name, work: work, clock: newClock(epoch), modelFile: filepath.Join(work, "model.hcl")}
}

func worldOf(ts *testscript.TestScript) *world { return ts.Value(worldKey{}).(*world) }

func (w *world) close() {
	w.left = w.leftover()
	if err := w.dispose(); err != nil && w.left == nil {
		w.left = err
	}
	if w.left == nil {
		w.left = w.unmet()
	}
	if w.left == nil {
		w.left = w.unasked()
	}
}

// dispose ends the current instance, if there is one.
func (w *world) dispose() error {
	if w.instance == nil {
		return nil
	}
	w.clock.hold(false)
	err := w.instance.Dispose()
	w.opened.Close()
	if err == nil {
		err = w.unmet() // of a turn that ended with the instance
	}
	w.instance, w.opened, w.pending, w.ended = nil, nil, nil, nil
	w.mu.Lock()
	w.plans = nil
	w.mu.Unlock()
	return err
}

// newID counts ids in the shape of a UUID.
func (w *world) newID() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ids++
	return fmt.Sprintf("00000000-0000-7000-8000-%012d", w.ids)
}

// surroundings are those of a line of the script.
func (w *world) surroundings(ts *testscript.TestScript) (Surroundings, error) {
	s := Surroundings{
		Scenario: w.name,
		Stdout:   ts.Stdout(), Stderr: ts.Stderr(),
		Getenv: func(name string) (string, bool) { v := ts.Getenv(name); return v, v != "" },
		Dir:    ts.MkAbs("."), Home: ts.Getenv("HOME"), Work: w.work,
		Now: w.clock.Now, AfterFunc: w.clock.AfterFunc, Sleep: w.clock.Sleep, NewID: w.newID,
		Opens: w.openings.add,
	}
	w.stderr = ts.Stderr()
	s.Model = w
	// A model file with mistakes fails the line that comes upon it.
	if _, err := os.Stat(w.modelFile); err == nil {
		if _, err := w.scripted(); err != nil {
			return s, err
		}
	}
	return s, nil
}

// scripted makes the scenario's model when it is first needed: from model.hcl in
// the scenario's folder, else the one that answers ok.
func (w *world) scripted() (Model, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.model != nil {
		return w.model, nil
	}
	src, err := os.ReadFile(w.modelFile)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	w.model, err = w.opts.Host.Model(w.modelFile, src, Clock{w.clock.Now, w.clock.Sleep}, w.stderr)
	return w.model, err
}

// useModel makes another file the scripted model's from here on.
func (w *world) useModel(path string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.modelFile = path; w.model != nil {
		w.before, w.model = append(w.before, w.model), nil
	}
}

// RoundTrip implements http.RoundTripper: the world stands in for every provider.
func (w *world) RoundTrip(r *http.Request) (*http.Response, error) {
	m, err := w.scripted()
	if err != nil {
		return nil, err
	}
	return m.RoundTrip(r)
}

// requests are the bodies that arrived at the model so far.
func (w *world) requests() [][]byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out [][]byte
	for _, m := range w.before {
		out = append(out, m.Requests()...)
	}
	if w.model != nil {
		out = append(out, w.model.Requests()...)
	}
	return out
}

// start opens an agent and starts its instance. It returns the exit code that a
// configuration error stands for.
func (w *world) start(ts *testscript.TestScript, o Open) (int, error) {
	if err := w.leftover(); err != nil {
		return 1, err
	}
	if err := w.dispose(); err != nil {
		return 1, err
	}
	s, err := w.surroundings(ts)
	if err != nil {
		return 1, err
	}
	opened, exit := w.opts.Host.Open(o, s)
	if opened == nil {
		return exit, fmt.Errorf("the agent did not start (exit code %d)", exit)
	}
	w.opened, w.open = opened, o
	w.declared, w.code = append(w.declared, opened.Declared...), ""
	w.fresh = opened.Session.State.Next()
	w.session = opened.Session.Log.Header().ID
	w.instance = engine.Start(opened.Agent, opened.Session, engine.Options{
		NewID:       w.newID,
		Client:      clientOf(opened),
		Hooks:       opened.Hooks,
		Tools:       opened.Tools,
		Permit:      opened.Permit,
		Seams:       w.seams(),
		AfterFunc:   w.clock.AfterFunc,
		Sleep:       w.clock.Sleep,
		ReadSession: opened.ReadSession,
		OnError:     w.warn, SummaryClient: opened.SummaryClient,
		OnChunk: func(c msg.Chunk) {
			switch c.(type) {
			case msg.TextDelta, msg.ReasoningDelta, msg.ToolCallDelta:
				w.reach(atStream)
			}
		},
		OnFrozen:  func(engine.Frozen) { w.openings.composed(opened.Session.Log.Header().ID); w.reach(atPrefix) },
		OnRequest: func(int64, int64, wire.Body) { w.reach(atRequest) },
	})
	return 0, nil
}

// started is start for a line; the exit code of an agent that did not start is that of a
// command line.
func (w *world) started(ts *testscript.TestScript, o Open) error {
	exit, err := w.start(ts, o)
	if err != nil {
		w.exit, w.ran = exit, true
	}
	return err
}

// warn keeps a failure that ended nothing for the line that waits for the turn.
func (w *world) warn(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.warnings = append(w.warnings, err)
}

// showWarnings prints what was kept.
func (w *world) showWarnings(out io.Writer) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, err := range w.warnings {
		fmt.Fprintf(out, "Warning: %v\n", err)
	}
	w.warnings = nil
}

// current is what assertions are about: the session of the instance, else the
// newest one in the scenario's store.
type current struct {
	path   string
	text   string
	scan   *eventlog.Scan
	events []event.Event
}

func (w *world) current(ts *testscript.TestScript) (*current, error) {
	entry, err := w.store(ts).Find(w.session, w.work)
	var none *store.NotFoundError
	if errors.As(err, &none) {
		return nil, errors.New("no session has been written yet: send something first")
	}
	if err != nil {
		return nil, err
	}
	b, err := eventlog.Disk{}.Read(entry.Path)
	if err != nil {
		return nil, err
	}
	c := &current{path: entry.Path, text: string(b)}
	if c.scan, err = eventlog.ScanText(entry.Path, c.text); err != nil {
		return nil, err
	}
	c.events = c.scan.Events
	return c, nil
}

// ofType returns the events of one type.
func (c *current) ofType(t string) []event.Event {
	var out []event.Event
	for _, e := range c.events {
		if e.Type == t {
			out = append(out, e)
		}
	}
	return out
}

// header returns the last header of the session, which the running instance has to
// have logged.
func (w *world) header(c *current) (event.RequestHeader, error) {
	all := c.ofType("request/header")
	if len(all) == 0 {
		return event.RequestHeader{}, errors.New("no header has been logged yet: send something first")
	}
	last := all[len(all)-1]
	if w.instance != nil && last.Seq < w.fresh {
		return event.RequestHeader{}, errors.New("this instance has composed nothing yet, and the last header is that of another one: send something first")
	}
	return event.ParseRequestHeader(last.Data)
}

// words joins what remains of a line to one text; @FILE takes it from a file.
func words(ts *testscript.TestScript, args []string) string {
	if len(args) == 1 && strings.HasPrefix(args[0], "@") {
		return ts.ReadFile(args[0][1:])
	}
	return strings.Join(args, " ")
}
