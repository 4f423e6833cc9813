package chat

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/dsh-hcl/dsh/engine"
	"github.com/dsh-hcl/dsh/engine/msg"
)

// command is one word behind a slash. Its usage names the argument, if it takes one.
type command struct {
	name, usage, help string
	run               func(c *Chat, ctx context.Context, arg string) (quit bool)
}

// takesArgument reports whether something may stand behind the command's name.
func (cmd command) takesArgument() bool { return cmd.usage != "/"+cmd.name }

// commands is the list of commands, in the order of /help.
func commands() []command {
	return []command{
		{"help", "/help", "this list", (*Chat).help},
		{"prefix", "/prefix", "the frozen prefix by contributor", (*Chat).prefix},
		{"log", "/log", "the session as a transcript", (*Chat).log},
		{"compact", "/compact", "put a summary in the place of what was said, apart from the newest message", (*Chat).compact},
		{"title", "/title [TITLE]", "the session's title, or give it one", (*Chat).title},
		{"resume", "/resume [SESSION]", "go on with another session, or begin a new instance on this one", (*Chat).resume},
		{"fork", "/fork [SEQ]", "go on in a new session, from the last turn or from the one that ends at SEQ", (*Chat).fork},
		{"new", "/new", "begin a new session", (*Chat).fresh},
		{"cancel", "/cancel", "end the running turn, like Ctrl-C", (*Chat).cancel},
		{"quit", "/quit", "leave, like Ctrl-C twice or Ctrl-D; a turn that runs is ended", (*Chat).quit},
		{"exit", "/exit", "the same", (*Chat).quit},
	}
}

// command carries out a line behind its slash.
func (c *Chat) command(ctx context.Context, line string) (quit bool) {
	name, arg := line, ""
	if i := strings.IndexFunc(line, unicode.IsSpace); i >= 0 {
		name, arg = line[:i], strings.TrimSpace(line[i:])
	}
	for _, cmd := range commands() {
		switch {
		case cmd.name != name:
		case arg != "" && !cmd.takesArgument():
			c.say("/%s takes no argument.\n", name)
			return false
		default:
			return cmd.run(c, ctx, arg)
		}
	}
	c.say("There is no command /%s; /help lists them. A line that is to begin with a slash begins with two.\n", name)
	return false
}

// Complete returns what a line may be completed to: a command, or the session to
// resume, the newest first.
func (h Host) Complete(line string) []string {
	var all, out []string
	if word, _, ok := strings.Cut(line, " "); ok && word == "/resume" {
		for _, id := range h.Sessions() {
			all = append(all, word+" "+id)
		}
	} else if word != "" {
		for _, cmd := range commands() {
			text := "/" + cmd.name
			if cmd.takesArgument() {
				text += " "
			}
			all = append(all, text)
		}
	}
	for _, text := range all {
		if strings.HasPrefix(text, line) {
			out = append(out, text)
		}
	}
	return out
}

func (c *Chat) help(context.Context, string) bool {
	var b strings.Builder
	for _, cmd := range commands() {
		fmt.Fprintf(&b, "  %-20s %s\n", cmd.usage, cmd.help)
	}
	b.WriteString("  A line ending in \\ goes on. One that begins with // is said with one slash.\n")
	if c.console.Live() {
		b.WriteString("  While a turn runs, what you enter is said to it. A paste is one entry. Tab completes commands and sessions.\n")
		b.WriteString("  @ opens a menu of files and sessions: arrows choose, Tab or Enter picks, Esc closes it.\n")
	}
	c.say("%s", b.String())
	return false
}

func (c *Chat) prefix(context.Context, string) bool {
	c.mu.Lock()
	f := c.open.frozen
	c.mu.Unlock()
	if f == nil {
		c.say("Nothing is frozen yet: the prefix is composed with the first prompt.\n")
		return false
	}
	if f.Prefix.Len() == 0 {
		c.say("The prefix is empty.\n")
	}
	for i, s := range f.Sources.Prefix {
		c.say("  %-28s %-9s %6d bytes  %s\n", s.Address, f.Prefix.At(i).Role, s.Bytes, s.Origin)
	}
	return false
}

// nothingSaid tells that the session has no log yet, when that is so.
func (c *Chat) nothingSaid() bool {
	c.mu.Lock()
	logged := c.open.logged
	c.mu.Unlock()
	if !logged {
		c.say("Nothing was said yet.\n")
	}
	return !logged
}

func (c *Chat) log(context.Context, string) bool {
	if c.nothingSaid() {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.newline()
	if err := c.host.Log(c.console, c.open.ID); err != nil {
		fmt.Fprintf(c.console, "Error: %s\n", c.host.Printable(err.Error()))
	}
	return false
}

// compact compacts the idle session. It does not hold up the chat, so that Ctrl-C
// reaches the compaction.
func (c *Chat) compact(ctx context.Context, _ string) bool {
	if !c.quiet(ctx) || c.nothingSaid() {
		return false
	}
	inst := c.open.Instance
	done := make(chan struct{})
	go func() {
		defer close(done)
		err := inst.Compact(ctx)
		switch {
		case err == nil || ctx.Err() != nil:
		case msg.CodeOf(err) == engine.CodeNothingToCompact:
			text := err.Error()
			c.say("%s.\n", strings.ToUpper(text[:1])+text[1:])
		case errors.Is(err, engine.ErrNoCompaction):
			c.say("Error: %v\n", err)
			c.fail(err.Error())
		default:
			c.fail(err.Error()) // the end of its turn was told
		}
	}()
	if !c.console.Live() {
		<-done
	}
	return false
}

func (c *Chat) title(_ context.Context, title string) bool {
	if title == "" {
		if title = c.open.Instance.Title(); title == "" {
			title = "The session has no title."
		}
		c.say("%s\n", title)
		return false
	}
	title, err := c.host.Title(title)
	if err == nil {
		err = c.open.Instance.SetTitle(title)
	}
	if err != nil {
		c.say("Error: %v\n", err)
		return false
	}
	c.say("%s\n", title)
	return false
}

func (c *Chat) resume(ctx context.Context, ref string) bool {
	if !c.quiet(ctx) {
		return false
	}
	id := c.open.ID
	if ref != "" && ref != id {
		var err error
		if id, err = c.host.Find(ref); err != nil {
			c.say("Error: %v\n", err)
			return false
		}
	}
	if id == c.open.ID {
		return c.again()
	}
	return c.change(Choice{Resume: id})
}

func (c *Chat) fork(ctx context.Context, seq string) bool {
	from := c.open.ID
	if seq != "" {
		if n, err := strconv.ParseInt(seq, 10, 64); err != nil || n < 0 {
			c.say("/fork wants the number of an event at which a turn ends; /log shows them.\n")
			return false
		}
		from += "@" + seq
	}
	if !c.quiet(ctx) || c.nothingSaid() {
		return false
	}
	return c.change(Choice{Fork: from})
}

func (c *Chat) fresh(ctx context.Context, _ string) bool {
	return c.quiet(ctx) && c.change(Choice{})
}

// moment is how long a command waits for a turn that is just ending.
const moment = 250 * time.Millisecond

// quiet reports whether nothing runs, and says so when something does: whoever
// waited for the turn here could not cancel it.
func (c *Chat) quiet(ctx context.Context) bool {
	ctx, stop := context.WithTimeout(ctx, moment)
	defer stop()
	if _, err := c.open.Instance.Wait(ctx); errors.Is(err, context.DeadlineExceeded) {
		c.say("A turn runs. Ctrl-C or /cancel ends it.\n")
		return false
	}
	return true
}

// change goes on with another session. The present instance ends only when that one
// is open.
func (c *Chat) change(choice Choice) (quit bool) {
	before := c.open
	if err := c.begin(choice); err != nil {
		c.say("Error: %v\n", err)
		return false
	}
	c.end(before)
	c.say("%s.\n", c.open.ID)
	return false
}

// again begins a new instance on the present session. Its lock is held by the
// present one, which ends when nothing else is in the way.
func (c *Chat) again() (quit bool) {
	if c.nothingSaid() {
		return false
	}
	id := c.open.ID
	if err := c.host.Check(id); err != nil {
		c.say("Error: %v\n", err)
		return false
	}
	c.end(c.open)
	c.open = nil
	if c.lost = c.begin(Choice{Resume: id}); c.lost != nil {
		return true
	}
	c.say("%s.\n", c.open.ID)
	return false
}

func (c *Chat) cancel(context.Context, string) bool {
	if !c.open.Instance.Cancel("cancelled by /cancel") {
		c.say("Nothing runs.\n")
	}
	return false
}

func (c *Chat) quit(context.Context, string) bool { return true }
