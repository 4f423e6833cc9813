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
		dshVerb(), exitVerb(), agentVerb(), refVerb(), sendVerb(), steerVerb(), injectVerb(), settleVerb(), cancelVerb(), disposeVerb(),
		resumeVerb(), forkVerb(), crashVerb(), sessionVerb(), clockVerb(),
		prefixVerb(), headerVerb(), requestVerb(), reproducibleVerb(), turnVerb(), eventVerb(), eventsVerb(), codeVerb(), tokensVerb(), cacheVerb(), costVerb(), logVerb(), historyVerb(),
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

// Manual returns docs/scenarios.md, made from the verbs' own usage.
func Manual() string {
	var b strings.Builder
	b.WriteString(manualHead)
	for _, v := range verbs() {
		fmt.Fprintf(&b, "\n### %s\n\n```\n%s\n```\n\n%s\n", v.name, strings.Join(v.usage, "\n"), v.help)
	}
	b.WriteString("\n## Points of a turn\n\nWhere a verb takes at POINT, the turn that comes next does it when it comes there for the first time; a turn that\nnever comes there fails the line that waits for it.\n\n" + helpOfPoints())
	return b.String()
}

const manualHead = `# Scenarios

<!-- Generated from the verbs in package scenarios; run the tests with DSH_UPDATE=1 to renew it. -->

A scenario says what a configuration promises and proves it. It is one text file below scenarios/: a script, then
the files it needs. ` + "`dsh test`" + ` runs all of them in process, each in a folder of its own with its own store, clock,
ids and scripted model; the command line, the engine, the protocol and the log are the real ones.

The script is read line by line. A line is a command and its arguments; '…' quotes, $NAME is an environment
variable, # begins a comment, and a line that begins with ! holds when the rest does not. After the script, a line
` + "`-- NAME --`" + ` begins a file of that name.

- The folder, $WORK, starts with the files that the project's configuration reads; files of the scenario take their
  place. It is also the workspace. $PROJECT is the project's configuration folder.
- Hooks run for real, in $WORK, with the environment of the script: env NAME=VALUE gives a variable that a hook reads. The
  programs that the configuration names by path are in $WORK, and so are files among their arguments. They must be
  trusted, those of a scenario's own configuration too, as programs that exec starts.
- Every provider is replaced by the scripted model in model.hcl, or, without one, by a model that answers ok. No
  credential is needed and nothing leaves the machine.
- Programs that exec starts run for real, on this machine: dsh test asks for trust before it runs them, and ` + "`dsh trust`" + `
  shows them; the same holds for lines of cp, mv, rm, mkdir, chmod, symlink, unquote and cd whose paths are not plainly below
  $WORK. A scenario that asserts nothing fails, and so does a suite in which everything was skipped.
- The clock stands at 2026-01-02 03:04:05 UTC; ids count up from 00000000-0000-7000-8000-000000000001.
- An assertion needs something to look at: the prefix is composed, and the header logged, with the first send.
- Assertions are about the session of the running agent, or else about the newest one.
- After every turn that send drives, the log is held to its invariants, every request is rebuilt from it and
  compared with what was sent, and each request must extend the one before it, unless an event of the log explains why
  not; then the cost is told. No line asks for that, and none turns it off.
- Goldens lie in golden/SCENARIO/NAME.json, SCENARIO being the file's path below scenarios/ without .txtar.
  ` + "`dsh test -update`" + ` rewrites them and lists which; it refuses where CI is set. Read them before you keep them.

All commands of [testscript](https://pkg.go.dev/github.com/rogpeppe/go-internal/testscript) are there as well: exec,
stdin, stdout, stderr, cmp, cp, env, exists, grep, mkdir, rm, skip, stop, unquote, wait, cd, and conditions in
brackets. ` + "`dsh test -help VERB`" + ` explains one verb.

## Running them

` + "`dsh test`" + ` takes the flags that go test has, with one dash or two: -run, -v, -parallel, -shuffle, -timeout, -json. -work
keeps the folders and says where they are. -watch runs again whenever a file of the project changes.

- ` + "`--json`" + ` prints the events of go test -json, one a line and nothing else, so that tools such as gotestsum read them:
  ` + "`gotestsum --raw-command -- dsh test --json`" + `. The package is the name of the configuration folder; a folder of scenarios is
  the test that those in it belong to.
- ` + "`--junit FILE`" + ` writes a JUnit XML report beside what is printed.
- Where GITHUB_ACTIONS is true, a scenario that fails is also shown beside its line. With --json that goes to standard
  error.
- What is wrong with the goldens is a failing test named goldens.
- When the time of -timeout is over, the run names the scenarios that have not ended, ends their turns, hooks and
  programs, and exits with 1.
- What a scenario logged is printed with its control characters shown as escapes.

A Go program runs the scenarios of its agents from go test; each is a subtest with its name, and DSH_UPDATE works as it
does elsewhere. No trust is asked for there: go test runs the program's code anyway.

` + "```go" + `
package agents

import (
	"testing"

	"github.com/dsh-hcl/dsh/cmd/dsh/dshtest"
)

func TestAgents(t *testing.T) { dshtest.Run(t, "agents/reviewer") }
` + "```" + `

## Verbs
`
