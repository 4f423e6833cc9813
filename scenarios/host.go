package scenarios

import (
	"context"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/permit"
	"io"
	"net/http"
	"time"

	"github.com/dsh-hcl/dsh/engine"
	"github.com/dsh-hcl/dsh/engine/provider"
	"github.com/dsh-hcl/dsh/engine/ref"
	"github.com/dsh-hcl/dsh/engine/store"
)

// Surroundings are what a scenario puts in place of the process.
type Surroundings struct {
	Scenario       string // its name
	Stdout, Stderr io.Writer
	Getenv         func(name string) (string, bool)
	Dir, Home      string
	Work           string // the scenario's folder: nothing outside of it is rewritten
	Now            func() time.Time
	AfterFunc      func(d time.Duration, f func()) (stop func()) // the clock of time limits
	Sleep          func(ctx context.Context, d time.Duration) error
	NewID          func() string
	Model          http.RoundTripper // answers in place of every provider
	// Opens is told each session that a configuration opens, before anything is
	// composed for it, with what Host.Reads would list for that configuration.
	Opens func(s *store.Session, reads []File)
}

// Open says which agent to open on which session.
type Open struct {
	Agent  string   // "" for that of the session, or the only one
	Config string   // folder of the configuration, "" to find it
	Resume string   // session to go on with, "" for a new one
	Fork   string   // session to fork, or session@seq, "" for none
	Vars   []string // name=value
}

// Opened is a compiled agent on an open session, which the engine will own.
type Opened struct {
	Agent   *engine.Agent
	Session *store.Session
	Client  provider.Client
	// SummaryClient connects to the model that writes summaries; nil when it is the agent's.
	SummaryClient func() (provider.Client, error)
	// Cite finds the session that a person names, with the label "" for its own.
	Cite func(session, label string) (ref.Cite, error)
	// Declared are the addresses of the agent's contributors.
	Declared []string
	Hooks    []engine.Hook
	Tools    engine.Tools                      // nil for none
	Permit   func(msg.ToolCall) permit.Verdict // decides about their calls; nil for none
	// ReadSession reads a session that a prompt cites.
	ReadSession ref.Read
	Close       func() // gives back what the configuration holds open
}

// Clock is the time of a scenario.
type Clock struct {
	Now   func() time.Time
	Sleep func(ctx context.Context, d time.Duration) error
}

// Model is a scripted model that keeps what it was asked.
type Model interface {
	http.RoundTripper
	// Requests returns the bodies that arrived, in order of arrival.
	Requests() [][]byte
	// Unmet returns what its replies expected of requests and did not find, in order.
	Unmet() []string
	// Unasked returns the replies that expect something of a request and were never
	// used, by name.
	Unasked() []string
}

// Host is the program around the runner.
type Host struct {
	// Command runs a command line in process and returns its exit code.
	Command func(ctx context.Context, args []string, s Surroundings) int
	// Open loads a configuration, compiles an agent and opens a session as the
	// command line does; problems are printed to Stderr. The exit code is 0 when
	// Opened is set.
	Open func(o Open, s Surroundings) (*Opened, int)
	// Model decodes a scripted model file, or, when src is nil, makes the one that
	// answers ok. Its delays and its cache go by the clock. Problems are printed to
	// stderr.
	Model func(path string, src []byte, clock Clock, stderr io.Writer) (Model, error)
	// Reads lists the files below a project's folders that its configuration
	// reads: absolute path, and the slash-separated name in a scenario's folder.
	// nil for a project without configuration.
	Reads func() ([]File, error)
}

// File is a file that a scenario's folder starts with.
type File struct {
	Path, Name string
	// Answers says that it is a scripted model and nothing else: it is no part of what
	// an agent composes.
	Answers bool
}
