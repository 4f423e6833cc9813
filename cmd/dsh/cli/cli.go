// Package cli is the command line: one file a command, each of which parses its
// flags, calls the library and renders what came of it. It is run in process by
// the scenarios as well, so nothing here touches the process: streams,
// environment, clock and ids come in through Env. wire.go is the only place where
// the parts of the program meet.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/config/diag"
	"github.com/dsh-hcl/dsh/config/hclfile"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/store"
	"github.com/dsh-hcl/dsh/scenarios"
)

// Version is the version of the program.
const Version = "0.1.0-dev"

// Env is everything the command line takes from its surroundings. All fields are
// required but those that say otherwise.
type Env struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(name string) (string, bool)
	EnvNames       func() []string // names of all environment variables; nil when they cannot be listed
	Dir            string          // working directory, absolute
	Home           string          // home folder, "" when there is none
	Now            func() time.Time
	NewID          func() string
	PID            int
	Host           string
	StdinPiped     bool // standard input is a pipe or a file, to be read to its end
	StdinTerminal  bool
	StdoutTerminal bool
	StderrTerminal bool
	Width          int // columns of the terminal, 0 when unknown
	// RawTerminal puts the terminal into raw mode and returns what ends that, and the
	// terminal's size. nil where there is none.
	RawTerminal func() (restore func(), width, height int, err error)
	// Proxy says which proxy a request takes, as http.Transport wants it; nil for
	// none.
	Proxy func(*http.Request) (*url.URL, error)
	// AfterFunc is the clock of time limits; nil is the real one.
	AfterFunc func(d time.Duration, f func()) (stop func())
	// Sleep passes the pause before a request is sent again; nil is the real clock.
	Sleep func(ctx context.Context, d time.Duration) error
	// Random is a number in [0, 1), for what happens everywhere at once; nil is always 0.
	Random func() float64
	// AtOnce is told what to do before the process ends without waiting for the
	// command: give the terminal back, end processes. May be nil.
	AtOnce func(func())
	// Orderly is called by a command that ends its work in order when ctx is
	// cancelled; one that does not call it may be stopped anywhere. May be nil.
	Orderly func()
	// Within, when set, is the scenario's folder: goldens outside of it are not
	// rewritten.
	Within string
	// Inputs set variables in front of those of the command line: in a scenario, what
	// dsh test was given.
	Inputs []hclfile.Input
	// Model, when set, answers in place of every provider, and no credential is
	// resolved and no trust asked for providers: the scenario runner's model.
	Model http.RoundTripper
	// Gate, when set, decides in a scenario which of a configuration's starts are let
	// happen, in place of trust; nil lets all of them happen there.
	Gate func([]config.Start) error

	// Opens, when set, is told each session that a configuration opens, before anything
	// is composed, and which files below the project's folders that one reads.
	Opens func(s *store.Session, reads []scenarios.File)

	unguarded bool // scenarios may assert nothing: for the tests of the runner itself
}

// SignalError is the cause of a context that a signal cancelled.
type SignalError struct {
	Signal string
	Exit   int // the exit code that stands for the signal
}

func (e *SignalError) Error() string { return "stopped by signal: " + e.Signal }

// Run runs one command line and returns its exit code (design: 0 success, 1 the
// work failed, 2 configuration or command line wrong, 3 refused, 130 interrupted,
// 143 terminated).
func Run(ctx context.Context, args []string, env Env) int {
	out := &checked{w: env.Stdout}
	env.Stdout = out
	c := &command{env: env}
	root := c.root()
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		c.complete(root) // cobra keeps what it is told about flags for ever, so only then
	}
	root.SetArgs(normalizeArgs(root, args))
	root.SetIn(env.Stdin)
	root.SetOut(env.Stdout)
	root.SetErr(env.Stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		err = c.mistake
	}
	if err == nil {
		err = out.failure() // what was not written was not done
	}
	return c.exit(ctx, err)
}

// checked is standard output that remembers its first failure: most of what is
// printed is printed without looking. It may be used by several goroutines.
type checked struct {
	w  io.Writer
	mu sync.Mutex
	e  error
}

// Write implements io.Writer.
func (c *checked) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	if err != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.e == nil {
			c.e = err
		}
	}
	return n, err
}

// Fd is the file behind it, for those who ask for the size of a terminal.
func (c *checked) Fd() uintptr {
	if f, ok := c.w.(interface{ Fd() uintptr }); ok {
		return f.Fd()
	}
	return ^uintptr(0)
}

func (c *checked) failure() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.e
}

// command is one run of the command line.
type command struct {
	env   Env
	flags struct {
		config, workspace, store, color string
		inputs                          []input // in the order of the command line
	}
	mistake error // what went wrong where cobra takes no error
}

func (c *command) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "dsh",
		Short: "An agent harness that is configured, not programmed",
		Long: "dsh checks, runs and proves agents that are declared in HCL files.\n\n" +
			"Exit codes: 0 success, 1 the work failed, 2 the configuration or the command\nline is wrong, 3 refused, 130 interrupted, 143 terminated.",
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			return cmd.Help()
		},
		Args:    cobra.ArbitraryArgs,
		Version: Version,
	}
	root.SetVersionTemplate(versionText())
	f := root.PersistentFlags()
	f.Var(folderFlag{&c.flags.config}, "config", "configuration `folder` (default: the nearest one that holds dsh.hcl)")
	f.Var(folderFlag{&c.flags.workspace}, "workspace", "workspace `folder` (default: the nearest one that holds .git)")
	f.Var(folderFlag{&c.flags.store}, "store", "`folder` that holds the sessions")
	f.StringVar(&c.flags.color, "color", "", "`when` to colour output: auto, always or never")
	root.SetFlagErrorFunc(flagMistake)
	for _, sub := range []*cobra.Command{
		c.initCommand(), c.checkCommand(), c.fmtCommand(), c.schemaCommand(), c.configCommand(), c.runCommand(), c.chatCommand(),
		c.verifyCommand(), c.testCommand(), c.sessionsCommand(), c.compactCommand(), c.logCommand(), c.requestCommand(), c.refsCommand(), c.tokensCommand(),
		c.trustCommand(), c.settingsCommand(), c.completionCommand(), c.versionCommand(),
	} {
		root.AddCommand(sub)
	}
	for _, name := range [...]string{"check", "config", "run", "chat", "compact", "test", "tokens", "trust"} {
		sub, _, _ := root.Find([]string{name})
		c.takeInputs(sub.Flags())
	}
	c.helpCommand(root)
	return root
}

// argCount makes a positional argument check whose failure is a usage error.
func argCount(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || most >= 0 && len(args) > most {
			return usageErrorf("wrong number of arguments\nUsage: %s", cmd.UseLine())
		}
		if slices.Contains(args, "") {
			// Nothing was meant by it: a variable of a script is not set.
			return usageErrorf("an argument is empty\nUsage: %s", cmd.UseLine())
		}
		return nil
	}
}

// codeNote is the stable code of an error, for the end of its message; "" when it
// has none or the message says it.
func codeNote(err error) string {
	note := " (" + msg.CodeOf(err) + ")"
	if msg.CodeOf(err) == msg.CodeUnknown || strings.Contains(err.Error(), note) {
		return ""
	}
	return note
}

// exit prints what went wrong and returns the exit code that stands for it.
func (c *command) exit(ctx context.Context, err error) int {
	if err == nil {
		return exitOK
	}
	var silent *silentError
	if errors.As(err, &silent) {
		return silent.code
	}
	var list *diag.ListError
	if errors.As(err, &list) {
		c.printDiagnostics(list.List, nil)
		return exitCode(ctx, err)
	}
	// Whoever closed the output knows, and reads no message.
	var written *fs.PathError
	if !errors.As(err, &written) || !errors.Is(written, syscall.EPIPE) {
		fmt.Fprintf(c.env.Stderr, "Error: %s%s\n", printable(err.Error()), codeNote(err))
	}
	return exitCode(ctx, err)
}
