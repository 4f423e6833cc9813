package scenarios

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agext/levenshtein"
	"github.com/rogpeppe/go-internal/testscript"
)

// verb is one word of the scenario language besides those of testscript.
type verb struct {
	name  string
	usage []string // one line a form
	help  string   // what it does or when it holds
	// asserts says that a line of it can fail because the agent changed.
	asserts bool
	// run carries out a line. For an assertion that a leading ! negates, it returns
	// an error that is not a misuse when the assertion does not hold.
	run func(w *world, ts *testscript.TestScript, args []string) error
}

// negatable reports whether ! may stand in front of a line, which its usage says. Of
// the forms that begin with a word of their own, that of the line counts.
func (v verb) negatable(args []string) bool {
	any := false
	for _, u := range v.usage {
		form, may := strings.CutPrefix(u, "[!] ")
		words := strings.Fields(form)
		if len(args) > 0 && len(words) > 1 && words[1] == args[0] {
			return may
		}
		any = any || may
	}
	return any
}

// misuse says that a line is wrong, which ! does not turn into success.
type misuse struct {
	text string
	// early says that the line is right and comes before there is anything to look
	// at: its usage would not help.
	early bool
}

func (e *misuse) Error() string { return e.text }

func misusef(format string, args ...any) error { return &misuse{text: fmt.Sprintf(format, args...)} }

// wrongf is a promise of every scenario that does not hold, which ! does not turn
// into success.
func wrongf(format string, args ...any) error {
	return &misuse{text: fmt.Sprintf(format, args...), early: true}
}

// notYet is an assertion for which there is nothing to look at yet.
func notYet(err error) error { return &misuse{text: err.Error(), early: true} }

// verbs is the one list of verbs, in the order of the manual.
func verbs() []verb {
	return []verb{
		dshVerb(), exitVerb(), agentVerb(), refVerb(), sendVerb(), steerVerb(), injectVerb(), settleVerb(), compactVerb(), cancelVerb(), disposeVerb(),
		resumeVerb(), forkVerb(), crashVerb(), sessionVerb(), clockVerb(),
		prefixVerb(), headerVerb(), requestVerb(), reproducibleVerb(), turnVerb(), eventVerb(), eventsVerb(), codeVerb(), pressureVerb(), compactedVerb(), tokensVerb(), cacheVerb(), costVerb(), logVerb(), historyVerb(),
	}
}

// commands are the verbs as testscript wants them.
func commands() map[string]func(*testscript.TestScript, bool, []string) {
	out := map[string]func(*testscript.TestScript, bool, []string){}
	for _, v := range verbs() {
		out[v.name] = func(ts *testscript.TestScript, neg bool, args []string) {
			var err error
			if neg && !v.negatable(args) {
				err = misusef("! has no meaning in front of this line")
			} else {
				err = v.run(worldOf(ts), ts, args)
			}
			var wrong *misuse
			switch {
			case errors.As(err, &wrong):
				if wrong.early {
					ts.Fatalf("%s: %v", v.name, err)
				}
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

// didYouMean ends a message about a name with the one that was probably meant.
func didYouMean(name string, names []string) string {
	best, least := "", 3
	for _, n := range names {
		if d := levenshtein.Distance(name, n, nil); d < least && d < len(n) {
			best, least = n, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// unknownForm is the mistake of a line whose verb has no such form.
func unknownForm(form string, forms ...string) error {
	return misusef("there is no form %q%s", form, didYouMean(form, forms))
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

// Verbs returns the names of the verbs, in the order of the manual.
func Verbs() []string {
	var out []string
	for _, v := range verbs() {
		out = append(out, v.name)
	}
	return out
}

// standing are the commands of testscript itself.
func standing() []string {
	return []string{"cd", "chmod", "cmp", "cmpenv", "cp", "env", "exec", "exists", "grep", "kill", "mkdir", "mv", "rm", "skip", "stderr",
		"stdin", "stdout", "stop", "symlink", "ttyin", "ttyout", "unix2dos", "unquote", "wait"}
}

// VerbHelp returns the usage and help of a verb, and false when there is none of that
// name.
func VerbHelp(name string) (string, bool) {
	for _, v := range verbs() {
		if v.name == name {
			return fmt.Sprintf("Usage:\n  %s\n\n%s\n", strings.Join(v.usage, "\n  "), wrapped(v.help, 78)), true
		}
	}
	if slices.Contains(standing(), name) {
		return fmt.Sprintf("%s is a command of testscript, which says what it does:\nhttps://pkg.go.dev/github.com/rogpeppe/go-internal/testscript\n", name), true
	}
	return "", false
}

// wrapped breaks a text into lines of at most width bytes, at spaces.
func wrapped(text string, width int) string {
	var b strings.Builder
	column := 0
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
		case column+1+len(word) > width:
			b.WriteByte('\n')
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String()
}
