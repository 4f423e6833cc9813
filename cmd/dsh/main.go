// Command dsh runs agents that are configured, not programmed. All of it is in
// package cli; this file only connects it to the process.
package main

import (
	"context"
	"math/rand/v2"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/google/uuid"
	"golang.org/x/term"

	"github.com/dsh-hcl/dsh/cmd/dsh/cli"
)

func main() { os.Exit(run()) }

func run() int {
	ctx, cancel := context.WithCancelCause(context.Background())
	// A closed pipe is an error of the write, not the end of the process, so that the
	// turn ends in order.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	// A command that ends its work in order says so; the others end at once.
	var orderly atomic.Bool
	var undo undoing
	exit := func(s os.Signal) {
		undo.all()
		os.Exit(exitOf(s))
	}
	go func() {
		s := <-signals
		if !orderly.Load() || s == syscall.SIGQUIT {
			exit(s)
		}
		cancel(&cli.SignalError{Signal: s.String(), Exit: exitOf(s)})
		// The second one does not wait for the turn to end.
		exit(<-signals)
	}()
	dir, err := os.Getwd()
	if err != nil {
		os.Stderr.WriteString("Error: the working directory is gone: " + err.Error() + "\n")
		return 1
	}
	host, _ := os.Hostname()
	home, _ := os.UserHomeDir()
	if !filepath.IsAbs(home) {
		home = ""
	}
	return cli.Run(ctx, os.Args[1:], cli.Env{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv:         os.LookupEnv,
		EnvNames:       environmentNames,
		Orderly:        func() { orderly.Store(true) },
		AtOnce:         undo.add,
		Dir:            dir,
		Home:           home,
		Now:            time.Now,
		NewID:          func() string { return uuid.Must(uuid.NewV7()).String() },
		PID:            os.Getpid(),
		Host:           host,
		StdinPiped:     piped(os.Stdin),
		StdinTerminal:  term.IsTerminal(int(os.Stdin.Fd())),
		StdoutTerminal: term.IsTerminal(int(os.Stdout.Fd())),
		StderrTerminal: term.IsTerminal(int(os.Stderr.Fd())),
		Width:          width(),
		RawTerminal:    rawTerminal,
		Random:         rand.Float64,
		Proxy:          http.ProxyFromEnvironment,
	})
}

// piped reports whether somebody connected a pipe, a socket or a file.
func piped(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && (info.Mode().IsRegular() || info.Mode()&(os.ModeNamedPipe|os.ModeSocket) != 0)
}

func exitOf(s os.Signal) int {
	switch s {
	case os.Interrupt:
		return 130
	case syscall.SIGQUIT:
		return 131
	}
	return 143
}

// undoing is what must not stay behind when the process ends at once.
type undoing struct {
	mu   sync.Mutex
	todo []func()
}

func (u *undoing) add(f func()) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.todo = append(u.todo, f)
}

func (u *undoing) all() {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, f := range u.todo {
		f()
	}
}

// rawTerminal puts standard input's terminal into raw mode.
func rawTerminal() (func(), int, int, error) {
	fd := int(os.Stdin.Fd())
	before, err := term.MakeRaw(fd)
	if err != nil {
		return nil, 0, 0, err
	}
	w, h, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil {
		w, h = 0, 0
	}
	return func() { _ = term.Restore(fd, before) }, w, h, nil
}

func width() int {
	if w, _, err := term.GetSize(int(os.Stderr.Fd())); err == nil {
		return w
	}
	return 0
}

// environmentNames lists the names of the environment's variables.
func environmentNames() []string {
	var out []string
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		out = append(out, name)
	}
	return out
}
