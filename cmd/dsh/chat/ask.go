package chat

import (
	"context"
	"strings"

	"github.com/dsh-hcl/dsh/engine/msg"
)

// ask shows a question about a call of a tool and waits for the line that answers it.
// A turn that is cancelled takes the question back.
func (c *Chat) ask(ctx context.Context, call msg.ToolCall, _ string) (bool, error) {
	answer := make(chan bool, 1)
	c.mu.Lock()
	c.answer = answer
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.answer = nil
	}()
	c.say("Run %s with %s? Answer y or n.\n", call.Name, call.Arguments)
	select {
	case yes := <-answer:
		return yes, nil
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
}

// replied takes a line as the answer to the question that stands open. While one does,
// a line is either an answer or a command, and nothing is said to the model by mistake.
func (c *Chat) replied(line string) bool {
	c.mu.Lock()
	answer := c.answer
	c.mu.Unlock()
	if answer == nil || strings.HasPrefix(line, "/") {
		return false
	}
	yes := false
	switch strings.ToLower(line) {
	case "y", "yes":
		yes = true
	case "n", "no":
	default:
		c.say("Answer y or n. Ctrl-C cancels the turn.\n")
		return true
	}
	select {
	case answer <- yes:
	default: // it was answered a moment ago
	}
	return true
}
