package scenarios

import (
	"os"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/dsh-hcl/dsh/engine"
	"github.com/dsh-hcl/dsh/engine/provider"
)

func clientOf(o *Opened) func() (provider.Client, error) {
	return func() (provider.Client, error) { return o.Client, nil }
}

// notRunning is the mistake of a line that needs an agent.
func notRunning() error { return misusef("no agent is running: start one with agent NAME") }

func agentVerb() verb {
	return verb{
		name:  "agent",
		usage: []string{"[!] agent NAME [-config DIR] [-model FILE] [-var NAME=VALUE]..."},
		help:  "Checks the configuration, compiles the agent and starts an instance on a new session. -model names another file than model.hcl for the scripted model, which begins anew then. A configuration error fails the line; its text is on stderr.",
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
				case "-model":
					path := ts.MkAbs(rest[1])
					if _, err := os.Stat(path); err != nil {
						return misusef("there is no model file %s", rest[1])
					}
					w.useModel(path)
				case "-var":
					o.Vars = append(o.Vars, rest[1])
				default:
					return misusef("unknown flag %s%s", rest[0], didYouMean(rest[0], []string{"-config", "-model", "-var"}))
				}
			}
			return w.started(ts, o)
		},
	}
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
			o.Resume, o.Fork = w.presentOr(args), ""
			return w.started(ts, o)
		},
	}
}

func forkVerb() verb {
	return verb{
		name:  "fork",
		usage: []string{"[!] fork [SESSION] [at SEQ]"},
		help:  "Ends the instance and starts one on a new session that goes on from the last turn of its session, or of the one named, or from the turn that ends at event SEQ.",
		run: func(w *world, ts *testscript.TestScript, args []string) error {
			seq := ""
			if n := len(args); n >= 2 && args[n-2] == "at" {
				args, seq = args[:n-2], "@"+args[n-1]
			}
			if err := need(args, 0, 1); err != nil {
				return err
			}
			o := w.open
			o.Resume, o.Fork = "", w.presentOr(args)+seq
			return w.started(ts, o)
		},
	}
}

// presentOr is the session that a line names, else the present one, else the newest.
func (w *world) presentOr(args []string) string {
	switch {
	case len(args) > 0:
		return args[0]
	case w.session != "":
		return w.session
	}
	return "last"
}

func disposeVerb() verb {
	return verb{
		name:  "dispose",
		usage: []string{"dispose [at POINT]"},
		help:  "Ends the instance in order; its session can be resumed. With at POINT, when the next turn comes there: that turn ends as disposed.",
		run: func(w *world, _ *testscript.TestScript, args []string) error {
			at, args, err := takePoint(args)
			if err == nil {
				err = need(args, 0, 0)
			}
			if err != nil {
				return err
			}
			if w.instance == nil {
				return notRunning()
			}
			if at != "" {
				return w.at(at, "dispose at "+string(at), (*engine.Instance).Retire)
			}
			if err := w.unreached(); err != nil {
				return err
			}
			return w.dispose()
		},
	}
}

func clockVerb() verb {
	return verb{
		name:  "clock",
		usage: []string{"clock +DURATION"},
		help:  "Moves the scenario's clock. It stands still otherwise, besides for a delay of the scripted model that is waited for. What is due happens on the way: delays end, time limits are reached.",
		run: func(w *world, _ *testscript.TestScript, args []string) error {
			if err := need(args, 1, 1); err != nil {
				return err
			}
			d, err := time.ParseDuration(args[0])
			if err != nil || d < 0 || args[0][0] != '+' {
				return misusef("%q is no duration such as +90s", args[0])
			}
			return w.moveClock(d)
		},
	}
}
