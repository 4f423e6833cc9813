package scenarios

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/provider"
)

// patience is how long a turn of a scenario may take on the real clock before
// the scenario fails instead of hanging.
const patience = 60 * time.Second

func clientOf(o *Opened) func() (provider.Client, error) {
	return func() (provider.Client, error) { return o.Client, nil }
}

func agentVerb() verb {
	return verb{
		name:  "agent",
		usage: []string{"[!] agent NAME [-config DIR] [-var NAME=VALUE]..."},
		help:  "Checks the configuration, compiles the agent and starts an instance on a new session. A configuration error fails the line; its text is on stderr.",
		run: func(w *world, ts *testscript.TestScript, args []string) error {
			if err := need(args, 1, -1); err != nil {
				return err
			}
			o := Open{Agent: args[0]}
			for rest := args[1:]; len(rest) > 0; rest = rest[2:] {
				if len(rest) < 2 {
					return misusef("%s wants a value", rest[0])
				}
				switch rest[0] {
				case "-config":
					o.Config = ts.MkAbs(rest[1])
				case "-var":
					o.Vars = append(o.Vars, rest[1])
				default:
					return misusef("unknown flag %s", rest[0])
				}
			}
			var err error
			w.exit, err = w.start(ts, o)
			return err
		},
	}
}

func sendVerb() verb {
	return verb{
		name:  "send",
		usage: []string{"[!] send TEXT...", "[!] send @FILE"},
		help:  "Sends a prompt to the agent and waits until its turn ends; the answer is on stdout, warnings are on stderr. Fails when the turn does not complete, and says why on stderr.",
		run: func(w *world, ts *testscript.TestScript, args []string) error {
			if err := need(args, 1, -1); err != nil {
				return err
			}
			if w.instance == nil {
				return misusef("no agent is running: start one with agent NAME")
			}
			content, err := msg.TextContent(words(ts, args))
			if err != nil {
				return misusef("%v", err)
			}
			w.code = ""
			if err := w.instance.Send(content); err != nil {
				return err
			}
			ctx, cancel := context.WithTimeoutCause(context.Background(), patience, errors.New("the turn did not end"))
			defer cancel()
			end, err := w.instance.Wait(ctx)
			w.showWarnings(ts.Stderr())
			if err != nil {
				w.code = msg.CodeOf(err)
				return err
			}
			w.code = end.Code
			if c, err := w.current(ts); err == nil {
				fmt.Fprint(ts.Stdout(), lastAnswer(c.events))
			}
			if err := w.guard(); err != nil {
				return err
			}
			if end.Kind != event.EndCompleted {
				err := fmt.Errorf("the turn ended as %s: %s%s", end.Kind, end.Message, end.Reason)
				fmt.Fprintln(ts.Stderr(), err)
				return err
			}
			return nil
		},
	}
}

// lastAnswer is the text of the last assistant message of the last turn, ending in
// a line feed, or "".
func lastAnswer(events []event.Event) string {
	for i := len(events) - 1; i >= 0 && events[i].Type != "turn/start"; i-- {
		if events[i].Type != "assistant/message" {
			continue
		}
		m, ok := events[i].Message()
		if !ok {
			continue
		}
		return m.Content.Text() + "\n"
	}
	return ""
}

func resumeVerb() verb {
	return verb{
		name:  "resume",
		usage: []string{"[!] resume [SESSION]"},
		help:  "Ends the instance and starts a new one on its session, or on the one named: the configuration is loaded anew and the prefix composed anew.",
		run: func(w *world, ts *testscript.TestScript, args []string) error {
			if err := need(args, 0, 1); err != nil {
				return err
			}
			o := w.open
			o.Resume = w.session
			if len(args) == 1 {
				o.Resume = args[0]
			}
			if o.Resume == "" {
				o.Resume = "last"
			}
			var err error
			w.exit, err = w.start(ts, o)
			return err
		},
	}
}

func disposeVerb() verb {
	return verb{
		name:  "dispose",
		usage: []string{"dispose"},
		help:  "Ends the instance in order; its session can be resumed.",
		run: func(w *world, _ *testscript.TestScript, args []string) error {
			if err := need(args, 0, 0); err != nil {
				return err
			}
			if w.instance == nil {
				return misusef("no agent is running")
			}
			return w.dispose()
		},
	}
}

func clockVerb() verb {
	return verb{
		name:  "clock",
		usage: []string{"clock +DURATION"},
		help:  "Moves the scenario's clock, which stands still otherwise.",
		run: func(w *world, _ *testscript.TestScript, args []string) error {
			if err := need(args, 1, 1); err != nil {
				return err
			}
			d, err := time.ParseDuration(args[0])
			if err != nil || d < 0 || args[0][0] != '+' {
				return misusef("%q is no duration such as +90s", args[0])
			}
			w.mu.Lock()
			defer w.mu.Unlock()
			w.now = w.now.Add(d)
			return nil
		},
	}
}
