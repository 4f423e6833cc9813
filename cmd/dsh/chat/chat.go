package chat

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/dsh-hcl/dsh/engine"
	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/msg"
)

// Console is where lines come from and text goes to. Write may be called while
// ReadLine waits.
type Console interface {
	io.Writer
	// ReadLine returns the next line without its line feed, or io.EOF.
	ReadLine() (string, error)
	// Interrupts delivers a value for each Ctrl-C; nil when there are none.
	Interrupts() <-chan struct{}
	// Live reports that a person types while the agent works, so that a line
	// entered then is steering. Without, a line waits for the turn to end.
	Live() bool
}

// Choice says which session to open: a new one, one to go on with, or a fork of
// one.
type Choice struct{ Resume, Fork string }

// Watch is told what happens in a session.
type Watch struct {
	OnChunk  func(msg.Chunk)
	OnFrozen func(engine.Frozen)
	OnEvent  func(event.Event)
	OnError  func(error)
}

// Opened is a running instance with what there is to say about it.
type Opened struct {
	Instance *engine.Instance
	ID, Path string
	Repaired int    // events that closed a turn which was cut
	Close    func() // gives back what the configuration holds open; the instance is disposed before
}

// Host is the program around the chat.
type Host struct {
	Open func(c Choice, w Watch) (*Opened, error)
	// Log prints the transcript of a session.
	Log       func(w io.Writer, id string) error
	Printable func(string) string // makes text safe for the terminal
}

// Chat is one conversation.
type Chat struct {
	host    Host
	console Console

	open   *Opened
	mu     sync.Mutex // guards what the instance's goroutine writes
	frozen *engine.Frozen
	column bool   // text stands in the current line
	failed string // code of the last turn, when it failed
}

// Run talks until the input ends or the person quits. Mistakes in a line are told
// and end nothing; the error is that of opening the first session.
func Run(ctx context.Context, host Host, console Console, first Choice) error {
	c := &Chat{host: host, console: console}
	if err := c.begin(first); err != nil {
		return err
	}
	defer func() { c.end() }()
	c.say("%s. /help lists the commands; Ctrl-C cancels, twice quits.\n", c.open.ID)
	lines, failed := c.read()
	armed := false // the last thing was a Ctrl-C with nothing to cancel
	for {
		select {
		case <-ctx.Done():
			c.open.Instance.Cancel(context.Cause(ctx).Error())
			c.wait(context.Background())
			return context.Cause(ctx)
		case <-console.Interrupts():
			if c.open.Instance.Cancel("cancelled by Ctrl-C") {
				armed = false
				continue
			}
			if armed {
				return nil
			}
			armed = true
			c.say("Nothing runs. Ctrl-C again quits.\n")
		case line := <-lines:
			armed = false
			if quit := c.line(ctx, line); quit {
				return nil
			}
		case err := <-failed:
			// What was said is still answered.
			c.wait(ctx)
			if !errors.Is(err, io.EOF) {
				return err
			}
			return c.outcome()
		}
	}
}

// outcome is the error of a chat without a person whose last turn failed: whoever
// wrote the pipe reads the exit code.
func (c *Chat) outcome() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.console.Live() || c.failed == "" {
		return nil
	}
	return errors.New("the last turn failed: " + c.failed)
}

// read delivers lines; a line that ends in a backslash goes on in the next one.
func (c *Chat) read() (<-chan string, <-chan error) {
	lines, failed := make(chan string), make(chan error, 1)
	go func() {
		var begun []string
		for {
			line, err := c.console.ReadLine()
			if err != nil {
				if len(begun) > 0 {
					lines <- strings.Join(begun, "\n")
				}
				failed <- err
				return
			}
			if more, ok := strings.CutSuffix(line, `\`); ok {
				begun = append(begun, more)
				continue
			}
			lines <- strings.Join(append(begun, line), "\n")
			begun = nil
		}
	}()
	return lines, failed
}

// line takes one line: a command, or something to say.
func (c *Chat) line(ctx context.Context, line string) (quit bool) {
	text := strings.TrimSpace(line)
	switch {
	case text == "":
		return false
	case strings.HasPrefix(text, "//"):
		text = text[1:]
	case strings.HasPrefix(text, "/"):
		return c.command(ctx, text[1:])
	}
	content, err := msg.TextContent(text)
	if err != nil {
		c.say("That is not UTF-8 text.\n")
		return false
	}
	// Steering when a turn runs, a prompt otherwise.
	if err := c.open.Instance.Steer(content); err != nil {
		c.say("Error: %v\n", err)
		return false
	}
	if !c.console.Live() {
		c.wait(ctx)
	}
	return false
}

// begin opens a session and starts to watch it.
func (c *Chat) begin(choice Choice) error {
	c.mu.Lock()
	c.frozen = nil
	c.mu.Unlock()
	open, err := c.host.Open(choice, Watch{OnChunk: c.chunk, OnFrozen: c.onFrozen, OnEvent: c.event, OnError: func(err error) { c.say("Warning: %v\n", err) }})
	if err != nil {
		return err
	}
	c.open = open
	if open.Repaired > 0 {
		c.say("Its last turn had been cut and was closed as interrupted.\n")
	}
	return nil
}

// end disposes the instance; a turn that runs ends as disposed.
func (c *Chat) end() {
	if err := c.open.Instance.Dispose(); err != nil {
		c.say("Error: %v\n", err)
	}
	c.open.Close()
}

func (c *Chat) wait(ctx context.Context) {
	if _, err := c.open.Instance.Wait(ctx); err != nil && ctx.Err() == nil {
		c.say("Error: %v\n", err)
	}
}

// say prints a line of the chat's own, at the beginning of a line.
func (c *Chat) say(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.newline()
	fmt.Fprint(c.console, c.host.Printable(fmt.Sprintf(format, args...)))
}

func (c *Chat) newline() {
	if c.column {
		fmt.Fprintln(c.console)
		c.column = false
	}
}

func (c *Chat) onFrozen(f engine.Frozen) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.frozen = &f
}

func (c *Chat) chunk(chunk msg.Chunk) {
	t, ok := chunk.(msg.TextDelta)
	if !ok || t.Text == "" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	io.WriteString(c.console, c.host.Printable(t.Text))
	c.column = !strings.HasSuffix(t.Text, "\n")
}

// event shows what is no text of the answer.
func (c *Chat) event(e event.Event) {
	text := func(name string) string { s, _ := e.Data.Get(name).Text(); return s }
	switch e.Type {
	case "tool/call":
		c.say("[%s %s]\n", text("name"), text("arguments"))
	case "tool/result":
		if e.Data.Get("isError").IsTrue() {
			if m, ok := e.Message(); ok {
				for b := range m.Content.Blocks() {
					if r, ok := b.(msg.ToolResult); ok {
						c.say("[%s]\n", r.Content.Text())
					}
				}
			}
		}
	case "prompt/blocked":
		c.say("Your prompt was blocked: %s\n", text("reason"))
	case "turn/end":
		c.mu.Lock()
		c.newline()
		r := event.ParseEndReason(e.Data.Get("reason"))
		c.failed = ""
		if r.Kind == event.EndError {
			c.failed = r.Code
		}
		c.mu.Unlock()
		switch r.Kind {
		case event.EndError:
			c.say("Error: %s (%s)\n", r.Message, r.Code)
		case event.EndAborted:
			c.say("[%s]\n", r.Reason)
		case event.EndMaxTokens:
			c.say("[the answer was cut at the model's limit of output tokens]\n")
		}
	}
}
