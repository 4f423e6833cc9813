package chat

import (
	"context"
	"fmt"
	"strings"
)

// command is one word behind a slash.
type command struct {
	name, usage, help string
	run               func(c *Chat, ctx context.Context, arg string) (quit bool)
}

// commands is the list of commands, in the order of /help.
func commands() []command {
	return []command{
		{"help", "/help", "this list", (*Chat).help},
		{"prefix", "/prefix", "the frozen prefix by contributor", (*Chat).prefix},
		{"log", "/log", "the session as a transcript", (*Chat).log},
		{"resume", "/resume [SESSION]", "go on with another session, or begin a new instance on this one", (*Chat).resume},
		{"fork", "/fork [SEQ]", "go on in a new session, from the last turn or from the one that ends at SEQ", (*Chat).fork},
		{"new", "/new", "begin a new session", (*Chat).fresh},
		{"cancel", "/cancel", "end the running turn, like Ctrl-C", (*Chat).cancel},
		{"quit", "/quit", "leave, like Ctrl-C twice or Ctrl-D", (*Chat).quit},
	}
}

// command carries out a line behind its slash.
func (c *Chat) command(ctx context.Context, line string) (quit bool) {
	name, arg, _ := strings.Cut(line, " ")
	for _, cmd := range commands() {
		if cmd.name == name {
			return cmd.run(c, ctx, strings.TrimSpace(arg))
		}
	}
	c.say("There is no command /%s; /help lists them. A line that is to begin with a slash begins with two.\n", name)
	return false
}

func (c *Chat) help(context.Context, string) bool {
	var b strings.Builder
	for _, cmd := range commands() {
		fmt.Fprintf(&b, "  %-20s %s\n", cmd.usage, cmd.help)
	}
	b.WriteString("  While a turn runs, what you enter is said to it. A line ending in \\ goes on.\n")
	c.say("%s", b.String())
	return false
}

func (c *Chat) prefix(context.Context, string) bool {
	c.mu.Lock()
	f := c.frozen
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

func (c *Chat) log(context.Context, string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.newline()
	if err := c.host.Log(c.console, c.open.ID); err != nil {
		fmt.Fprintf(c.console, "Error: %s\n", c.host.Printable(err.Error()))
	}
	return false
}

func (c *Chat) resume(ctx context.Context, id string) bool {
	if id == "" {
		id = c.open.ID
	}
	return c.change(ctx, Choice{Resume: id})
}

func (c *Chat) fork(ctx context.Context, seq string) bool {
	from := c.open.ID
	if seq != "" {
		from += "@" + seq
	}
	return c.change(ctx, Choice{Fork: from})
}

func (c *Chat) fresh(ctx context.Context, _ string) bool { return c.change(ctx, Choice{}) }

// change goes on with another session. When that cannot be opened, a new instance
// on the present one takes its place.
func (c *Chat) change(ctx context.Context, choice Choice) bool {
	c.wait(ctx)
	before := c.open.ID
	c.end()
	err := c.begin(choice)
	if err == nil {
		c.say("%s.\n", c.open.ID)
		return false
	}
	c.say("Error: %v\n", err)
	if err := c.begin(Choice{Resume: before}); err == nil {
		return false
	}
	// A session in which nothing was said is not there to be resumed.
	if err := c.begin(Choice{}); err != nil {
		c.say("Error: %v\n", err)
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
