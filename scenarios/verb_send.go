package scenarios

import (
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/dsh-hcl/dsh/engine"
	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/msg"
)

// text makes the content of what remains of a line.
func text(ts *testscript.TestScript, args []string) (msg.Content, error) {
	if err := need(args, 1, -1); err != nil {
		return msg.Content{}, err
	}
	content, err := msg.TextContent(words(ts, args))
	if err != nil {
		return content, misusef("%v", err)
	}
	return content, nil
}

func sendVerb() verb {
	return verb{
		name:  "send",
		usage: []string{"[!] send TEXT... [&]", "[!] send @FILE [&]"},
		help:  "Sends a prompt to the agent and waits until its turn ends; the answer is on stdout, warnings are on stderr. Fails when the turn does not complete, and says why on stderr. With &, the line waits only until the turn has ended or the scripted model delays its answer: the clock stands still then until clock moves it, and settle reports the end.",
		run: func(w *world, ts *testscript.TestScript, args []string) error {
			background := len(args) > 0 && args[len(args)-1] == "&"
			if background {
				args = args[:len(args)-1]
			}
			content, err := text(ts, args)
			if err != nil {
				return err
			}
			if w.instance == nil {
				return notRunning()
			}
			w.code = ""
			ts.Stdout() // what an earlier line said is not this one's
			if background {
				w.clock.hold(true)
			}
			cites := w.cites
			w.cites = nil
			if err := w.instance.Cite(content, cites); err != nil {
				return err
			}
			w.begun()
			if background {
				w.rest()
				return nil
			}
			return w.finish(ts)
		},
	}
}

func steerVerb() verb {
	return verb{
		name:  "steer",
		usage: []string{"[!] steer [at POINT] TEXT...", "[!] steer [at POINT] @FILE"},
		help:  "Says something to the turn that runs in the background, or, with at POINT, to the next turn when it comes there. When no turn runs, it is a prompt like that of send.",
		run: func(w *world, ts *testscript.TestScript, args []string) error {
			line := strings.Join(args, " ")
			at, args, err := takePoint(args)
			if err != nil {
				return err
			}
			content, err := text(ts, args)
			if err != nil {
				return err
			}
			if at != "" {
				return w.at(at, "steer "+line, func(i *engine.Instance) { _ = i.Steer(content) })
			}
			if w.instance == nil {
				return notRunning()
			}
			running := w.pending != nil
			if running && len(w.cites) > 0 {
				return misusef("ref goes with a prompt: write the mention into what is said, @[LABEL](dsh-session:...)")
			}
			say := w.instance.Steer
			if cites := w.cites; len(cites) > 0 {
				w.cites = nil
				say = func(c msg.Content) error { return w.instance.Cite(c, cites) }
			}
			if err := say(content); err != nil {
				return err
			}
			if running {
				return nil
			}
			w.begun()
			return w.finish(ts)
		},
	}
}

func injectVerb() verb {
	return verb{
		name:  "inject",
		usage: []string{"[!] inject [at POINT] [-source NAME] TEXT...", "[!] inject [at POINT] [-source NAME] @FILE"},
		help:  "Adds context from a part of the program, named scenario or NAME: to the turn that runs, or as a turn of its own that asks no model. With at POINT, when the next turn comes there.",
		run: func(w *world, ts *testscript.TestScript, args []string) error {
			line := strings.Join(args, " ")
			source, at := "scenario", point("")
			for len(args) > 0 && (args[0] == "at" || strings.HasPrefix(args[0], "-")) {
				var err error
				switch {
				case args[0] == "at":
					at, args, err = takePoint(args)
				case args[0] == "-source":
					if err = need(args, 3, -1); err == nil {
						source, args = args[1], args[2:]
					}
				default:
					err = misusef("unknown flag %s%s", args[0], didYouMean(args[0], []string{"-source"}))
				}
				if err != nil {
					return err
				}
			}
			content, err := text(ts, args)
			if err != nil {
				return err
			}
			c := event.ContextMessage{Content: content, Source: event.PluginSource(source)}
			if at != "" {
				return w.at(at, "inject "+line, func(i *engine.Instance) { _ = i.Inject(c) })
			}
			if w.instance == nil {
				return notRunning()
			}
			ts.Stdout() // it has no answer of its own
			if err := w.instance.Inject(c); err != nil {
				return err
			}
			if w.pending != nil {
				return nil
			}
			return w.guard(ts)
		},
	}
}

func settleVerb() verb {
	return verb{
		name:  "settle",
		usage: []string{"[!] settle"},
		help:  "Waits for the turn that send began in the background and reports it as send does; delays of the scripted model pass by themselves.",
		run: func(w *world, ts *testscript.TestScript, args []string) error {
			if err := need(args, 0, 0); err != nil {
				return err
			}
			if !w.background() {
				return misusef("nothing runs in the background: begin it with send TEXT &")
			}
			return w.finish(ts)
		},
	}
}
