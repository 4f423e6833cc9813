package proc

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"slices"
	"sync"
	"time"
)

// Command is a process to run. Args is the program and its arguments, never a
// shell line.
type Command struct {
	Args      []string
	Dir       string   // working directory, absolute
	Env       []string // the whole environment, NAME=value
	Stdin     []byte
	Timeout   time.Duration // 0 for none
	MaxOutput int           // bytes of standard output and of standard error each; 0 for DefaultMaxOutput
	Running   *Running      // knows the process while it runs; may be nil
}

// Running is the processes that run, for a program that must end at once. The zero
// Running is ready; it may be used by several goroutines.
type Running struct {
	mu    sync.Mutex
	over  bool
	procs []*exec.Cmd
}

// Kill ends every process, with its group, that runs or is about to. None starts
// after it.
func (r *Running) Kill() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
	for _, cmd := range r.procs {
		killGroup(cmd)
	}
}

// run starts a process and waits for it.
func (r *Running) run(cmd *exec.Cmd) error {
	if r == nil {
		return cmd.Run()
	}
	r.mu.Lock()
	if r.over {
		r.mu.Unlock()
		return errors.New("the program is ending")
	}
	err := cmd.Start()
	if err == nil {
		r.procs = append(r.procs, cmd)
	}
	r.mu.Unlock()
	if err != nil {
		return err
	}
	err = cmd.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.procs = slices.DeleteFunc(r.procs, func(c *exec.Cmd) bool { return c == cmd })
	return err
}

// DefaultMaxOutput bounds each output stream unless the command says otherwise.
const DefaultMaxOutput = 1 << 20

// grace is how long a process may take to end when it is asked to.
const grace = 2 * time.Second

// Result is what became of a process. Facts are independent: a process can time
// out and still exit with 0.
type Result struct {
	ExitCode int // -1 when it did not exit by itself
	Stdout   []byte
	Stderr   []byte
	Cut      bool          // output went beyond its bound; the beginning is kept
	TimedOut bool          // it ran longer than Timeout
	Took     time.Duration // from start to end
	// Err says why the process did not run to its end: it could not be started, or
	// ctx was done, whose cause it is. A process that exits with an error code has
	// no Err.
	Err error
}

// Run runs a process and waits until it, and all of its group, are gone. It
// returns soon after ctx is done or the timeout is over: the group is asked to end
// and then killed.
func Run(ctx context.Context, c Command) Result {
	if len(c.Args) == 0 {
		return Result{ExitCode: -1, Err: errors.New("no program to run")}
	}
	limit := c.MaxOutput
	if limit == 0 {
		limit = DefaultMaxOutput
	}
	run, cancel := context.WithCancel(ctx)
	defer cancel()
	timedOut := false
	if c.Timeout > 0 {
		var stop context.CancelFunc
		run, stop = context.WithTimeoutCause(run, c.Timeout, errTimeout)
		defer stop()
	}
	out, errs := &bounded{limit: limit}, &bounded{limit: limit}
	start := time.Now()
	var cmd *exec.Cmd
	err := error(nil)
	for wait := time.Millisecond; ; wait *= 2 {
		cmd = exec.CommandContext(run, c.Args[0], c.Args[1:]...)
		cmd.Dir, cmd.Env = c.Dir, c.Env
		if cmd.Env == nil {
			cmd.Env = []string{} // nil would hand down the program's own
		}
		cmd.Stdin = bytes.NewReader(c.Stdin)
		cmd.Stdout, cmd.Stderr = out, errs
		ownGroup(cmd)
		// A grandchild that holds the output open must not hold the caller.
		cmd.WaitDelay = grace
		err = c.Running.run(cmd)
		killGroup(cmd)
		if !busy(err) || wait > grace/4 {
			break
		}
		time.Sleep(wait)
	}
	r := Result{Stdout: out.buf, Stderr: errs.buf, Cut: out.cut || errs.cut, Took: time.Since(start), ExitCode: -1}
	timedOut = errors.Is(context.Cause(run), errTimeout)
	r.TimedOut = timedOut
	if cmd.ProcessState != nil {
		r.ExitCode = cmd.ProcessState.ExitCode()
	}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		r.Err = context.Cause(ctx)
	case err == nil, timedOut, errors.As(err, &exit), errors.Is(err, exec.ErrWaitDelay):
	default:
		r.Err = err
	}
	return r
}

var errTimeout = errors.New("timeout")

// bounded keeps the beginning of what is written to it and takes the rest in
// silence, so that the process does not block or fail for it.
type bounded struct {
	buf   []byte
	limit int
	cut   bool
}

func (b *bounded) Write(p []byte) (int, error) {
	room := b.limit - len(b.buf)
	if len(p) > room {
		b.cut = true
	}
	b.buf = append(b.buf, p[:min(len(p), max(room, 0))]...)
	return len(p), nil
}
