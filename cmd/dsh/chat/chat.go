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
	"github.com/dsh-hcl/dsh/engine/ref/mention"
)

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
	Logged   bool     // there is a log: something was said before
	Repairs  []string // what was done to go on with it, in words
	Lookups  mention.Lookups
	Close    func() // gives back what the configuration holds open; the instance is disposed before
}

// Host is the program around the chat.
type Host struct {
	Open func(c Choice, w Watch) (*Opened, error)
	// Find returns the id of the session that a person means.
	Find func(ref string) (id string, err error)
	// Check reports what would keep a session from being opened, besides its lock.
	Check func(id string) error
	// Sessions returns the ids of the sessions of this workspace, the newest first.
	Sessions func() []string
	// Log prints the transcript of a session.
	Log func(w io.Writer, id string) error
	// Title returns a title as it is kept, or what is wrong with it.
	Title     func(title string) (string, error)
	Printable func(string) string // makes text safe for the terminal
}

// Chat is one conversation.
type Chat struct {
	host    Host
	console Console

	open    *sitting
	mu      sync.Mutex // guards what instances' goroutines write, here and in sittings
	column  bool       // text stands in the current line
	failed  string     // what went wrong with the last turn, "" for nothing
	blocked string     // why the last prompt was blocked
	lost    error      // why there is no instance any more
	broken  error      // why nobody reads what is written
}

// sitting is one instance and what was seen of it.
type sitting struct {
	*Opened
	frozen *engine.Frozen
	logged bool // something is in its session's log
}

// Run talks until the input ends or the person quits. Mistakes in a line are told
// and end nothing; the error is that of opening the first session, of a session that
// could not be opened again, or of the last turn.
func Run(ctx context.Context, host Host, console Console, first Choice) error {
	c := &Chat{host: host, console: console}
	if err := c.begin(first); err != nil {
		return err
	}
	defer func() { c.end(c.open) }()
	if console.Live() {
		c.say("%s. /help lists the commands; Ctrl-C cancels, twice quits; Ctrl-D on an empty line quits.\n", c.open.ID)
	} else {
		c.say("%s. /help lists the commands.\n", c.open.ID)
	}
	done := make(chan struct{})
	defer close(done)
	entries := c.read(done)
	armed := false // the last thing was a Ctrl-C
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-c.open.Instance.Done():
			return c.open.Instance.Err() // nothing can be logged any more
		case e := <-entries:
			switch {
			case errors.Is(e.err, ErrTooLong):
				armed = false
				c.say("That line is too long, and nothing of it was sent. Put the text into a file, or give it to dsh run through a pipe.\n")
				c.fail("a line is too long")
			case errors.Is(e.err, ErrInterrupt):
				if armed {
					return nil
				}
				armed = true
				if !c.open.Instance.Cancel("cancelled by Ctrl-C") {
					c.say("Ctrl-C again quits.\n")
				}
			case e.err != nil:
				if !console.Live() {
					c.wait(ctx) // what was said is still answered
				}
				switch {
				case ctx.Err() != nil:
				case !errors.Is(e.err, io.EOF):
					return e.err
				default:
					return c.outcome()
				}
			default:
				armed = false
				if quit := c.line(ctx, e.text); quit {
					return errors.Join(c.lost, c.outcome())
				}
				if err := c.unread(); err != nil && !console.Live() {
					return err
				}
			}
		}
	}
	c.open.Instance.Cancel(context.Cause(ctx).Error())
	c.wait(context.Background())
	return context.Cause(ctx)
}

// fail records what went wrong with the last line.
func (c *Chat) fail(why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failed = why
}

// unread is why nobody reads what is written, nil while somebody may.
func (c *Chat) unread() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.broken
}

// write writes to the console; the caller holds mu.
func (c *Chat) write(text string) {
	if _, err := io.WriteString(c.console, text); err != nil && c.broken == nil {
		c.broken = err
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
	return errors.New(c.failed)
}

// entry is a line, or what came in place of one.
type entry struct {
	text string
	err  error
}

// read delivers what is entered until the console's end or the chat's; a line that
// ends in a backslash goes on in the next one, unless a Ctrl-C comes.
func (c *Chat) read(done <-chan struct{}) <-chan entry {
	entries := make(chan entry)
	deliver := func(e entry) (goOn bool) {
		select {
		case entries <- e:
			return true
		case <-done:
			return false
		}
	}
	go func() {
		var begun []string
		for {
			line, err := c.console.ReadLine()
			if more, ok := strings.CutSuffix(line, `\`); ok && err == nil {
				begun = append(begun, more)
				continue
			}
			// A person who leaves takes back what they had begun.
			if err == io.EOF && len(begun) > 0 && !c.console.Live() && !deliver(entry{text: strings.Join(begun, "\n")}) {
				return
			}
			e := entry{err: err}
			if err == nil {
				e.text = strings.Join(append(begun, line), "\n")
			}
			begun = nil
			if !deliver(e) || err != nil && !errors.Is(err, ErrInterrupt) && !errors.Is(err, ErrTooLong) {
				return
			}
		}
	}()
	return entries
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

// begin opens a session and starts to watch it. When that fails, everything is as
// it was.
func (c *Chat) begin(choice Choice) error {
	s := &sitting{}
	open, err := c.host.Open(choice, Watch{
		OnChunk:  c.chunk,
		OnFrozen: func(f engine.Frozen) { c.mu.Lock(); defer c.mu.Unlock(); s.frozen = &f },
		OnEvent:  func(e event.Event) { c.event(s, e) },
		OnError:  func(err error) { c.say("Warning: %v\n", err) },
	})
	if err != nil {
		return err
	}
	c.mu.Lock()
	s.Opened, s.logged = open, s.logged || open.Logged
	c.mu.Unlock()
	c.open = s
	if p, ok := c.console.(Picker); ok {
		p.Offer(open.Lookups)
	}
	for _, what := range open.Repairs {
		c.say("%s.\n", strings.ToUpper(what[:1])+what[1:])
	}
	return nil
}

// end disposes an instance; a turn that runs ends as disposed.
func (c *Chat) end(s *sitting) {
	if s == nil {
		return
	}
	if err := s.Instance.Dispose(); err != nil {
		c.say("Error: %v\n", err)
	}
	s.Close()
}

func (c *Chat) wait(ctx context.Context) {
	if _, err := c.open.Instance.Wait(ctx); err != nil && ctx.Err() == nil {
		c.say("Error: %v\n", err)
		c.fail(err.Error())
	}
}

// say prints a line of the chat's own, at the beginning of a line.
func (c *Chat) say(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.newline()
	c.write(c.host.Printable(fmt.Sprintf(format, args...)))
}

func (c *Chat) newline() {
	if c.column {
		c.write("\n")
		c.column = false
	}
}

func (c *Chat) chunk(chunk msg.Chunk) {
	t, ok := chunk.(msg.TextDelta)
	if !ok || t.Text == "" {
		return
	}
	c.mu.Lock()
	c.write(c.host.Printable(t.Text))
	c.column = !strings.HasSuffix(t.Text, "\n")
	broken := c.broken
	c.mu.Unlock()
	if broken != nil {
		c.open.Instance.Cancel("the output was closed") // nobody pays for an answer that nobody reads
	}
}

// event shows what is no text of the answer.
func (c *Chat) event(s *sitting, e event.Event) {
	c.mu.Lock()
	s.logged = true
	c.mu.Unlock()
	text := func(name string) string { s, _ := e.Data.Get(name).Text(); return s }
	switch e.Type {
	case "compact/end":
		if !e.Compaction() {
			break
		}
		p := event.ParseCompactEnd(e.Data)
		if p.Failure == nil { // what went wrong is told with the turn, or as a warning
			c.say("[compacted: %d -> %d tokens]\n", p.Before, p.After)
		}
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
		c.blocked = text("reason")
		c.say("Your prompt was blocked: %s\n", c.blocked)
	case "turn/end":
		c.mu.Lock()
		c.newline()
		r := event.ParseEndReason(e.Data.Get("reason"))
		c.failed = ""
		switch r.Kind {
		case event.EndError:
			c.failed = "the last turn failed: " + r.Code
		case event.EndRejected:
			c.failed = "the last prompt was blocked"
		case event.EndMaxTokens:
			c.failed = "the last answer was cut"
		}
		c.mu.Unlock()
		switch r.Kind {
		case event.EndError:
			if r.Message == c.blocked {
				c.say("[%s]\n", r.Code) // why was said a moment ago
				break
			}
			c.say("Error: %s (%s)\n", r.Message, r.Code)
		case event.EndAborted:
			c.say("[%s]\n", r.Reason)
		case event.EndMaxTokens:
			c.say("[the answer was cut at the model's limit of output tokens]\n")
		}
	}
}
