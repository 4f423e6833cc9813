package scenarios

import (
	"errors"
	"fmt"

	"github.com/rogpeppe/go-internal/testscript"
)

// verb is one word of the scenario language besides those of testscript.
type verb struct {
	name  string
	usage []string // one line a form
	help  string   // what it does or when it holds
	// run carries out a line. For an assertion that a leading ! negates, it returns
	// an error that is not a misuse when the assertion does not hold.
	run func(w *world, ts *testscript.TestScript, args []string) error
}

// misuse says that a line is wrong, which ! does not turn into success.
type misuse struct{ text string }

func (e *misuse) Error() string { return e.text }

func misusef(format string, args ...any) error { return &misuse{fmt.Sprintf(format, args...)} }

// verbs is the one list of verbs, in the order of the manual.
func verbs() []verb {
	return []verb{
		dshVerb(), exitVerb(), agentVerb(), sendVerb(), resumeVerb(), disposeVerb(), clockVerb(),
		prefixVerb(), headerVerb(), requestVerb(), reproducibleVerb(), turnVerb(), eventVerb(), codeVerb(),
	}
}

// commands are the verbs as testscript wants them.
func commands() map[string]func(*testscript.TestScript, bool, []string) {
	out := map[string]func(*testscript.TestScript, bool, []string){}
	for _, v := range verbs() {
		out[v.name] = func(ts *testscript.TestScript, neg bool, args []string) {
			err := v.run(worldOf(ts), ts, args)
			var wrong *misuse
			switch {
			case errors.As(err, &wrong):
				usage := ""
				for _, u := range v.usage {
					usage += "\n\t" + u
				}
				ts.Fatalf("%s: %v\nusage:%s", v.name, err, usage)
			case neg && err == nil:
				ts.Fatalf("%s: holds, but the line says it must not", v.name)
			case neg:
				ts.Logf("%s: fails as it should: %v", v.name, err)
			case err != nil:
				ts.Fatalf("%s: %v", v.name, err)
			}
		}
	}
	return out
}

// need holds a form to its number of arguments.
func need(args []string, least, most int) error {
	if len(args) < least {
		return misusef("too few arguments")
	}
	if most >= 0 && len(args) > most {
		return misusef("too many arguments")
	}
	return nil
}
