package scenarios

import (
	"fmt"
	"strings"

	"github.com/dsh-hcl/dsh/engine/event"
)

// Manual returns docs/scenarios.md, made from the verbs' own usage.
func Manual() string {
	var b strings.Builder
	b.WriteString(strings.ReplaceAll(manualHead, "´", "`"))
	for _, v := range verbs() {
		asserts := ""
		if v.asserts {
			asserts = " An assertion."
		}
		fmt.Fprintf(&b, "\n### %s\n\n```\n%s\n```\n\n%s%s\n", v.name, strings.Join(v.usage, "\n"), v.help, asserts)
	}
	b.WriteString("\n## Points of a turn\n\nWhere a verb takes at POINT, the turn that comes next does it when it comes there for the first time; a turn that\nnever comes there fails the scenario.\n\n" + helpOfPoints())
	fmt.Fprintf(&b, "\n## Names\n\nTypes of events, each described in [the format of the log](format/log.md): %s.\n\n", listed(event.Types()))
	fmt.Fprintf(&b, "Fields of a header, each described in [the format of the header](format/header.md): %s.\n", listed(headerFields()))
	return b.String()
}

// listed is names as they stand in a sentence of Markdown.
func listed(names []string) string { return "`" + strings.Join(names, "`, `") + "`" }

// manualHead is what stands in front of the verbs. ´ stands for the sign that ends a
// Go string of several lines.
const manualHead = `# Scenarios

<!-- Generated from the verbs in package scenarios; run the tests with DSH_UPDATE=1 to renew it. -->

A scenario says what a configuration promises and proves it. It is one text file below ´scenarios/´: a script, then
the files it needs. ´dsh test´ runs all of them in process, each in a folder of its own with its own store, clock,
ids and scripted model; the command line, the engine, the protocol and the log are the real ones.

´´´
# The reviewer answers in one line, and a second question pays for nothing twice.
agent reviewer
send 'Please review main.go'
stdout '^Looks good\.$'
send 'And the tests?'
request extends 2 1

-- model.hcl --
reply { text = "Looks good." }
default { text = "They pass." }
´´´

- A line is a verb and its arguments. ´'…'´ quotes, and ´''´ in it is one quote; ´$NAME´ is a variable of the environment; ´#´ begins
  a comment. ´!´ in front of a line that may have it says that the rest must not hold.
- A comment says what is promised: when a line below it fails, the comment is what is shown first.
- Behind the script, a line ´-- NAME --´ begins a file of that name. ´model.hcl´ is the
  [scripted model](language.md#the-scripted-model): its replies in order, what it expects of requests, and its cache.

## What a scenario runs in

- The folder ´$WORK´ starts with the files that the project's configuration reads; files of the scenario take their
  place. It is also the workspace. ´$PROJECT´ is the project's configuration folder.
- Every provider is replaced by the scripted model in ´model.hcl´, or, without one, by a model that answers ok. No
  credential is needed and nothing leaves the machine.
- A prompt that holds the path of the workspace has another length in every run: hold no exact numbers to its tokens.
- The clock stands at 2026-01-02 03:04:05 UTC; ids count up from 00000000-0000-7000-8000-000000000001.
- Hooks, tools and commands run for real, in ´$WORK´, with the environment of the script: ´env NAME=VALUE´ gives a variable that they
  read. The programs that the configuration names by path are in ´$WORK´, and so are files among their arguments.
- ´exec´ runs programs of this machine. Whatever starts one must be trusted, ´dsh trust´ shows it: hooks, tools and commands, those of a
  scenario's own configuration too, lines of ´exec´, lines that write anywhere but plainly below ´$WORK´ or read anywhere but
  there and below ´$PROJECT´, and lines whose verb is a variable.
- ´--var´ and ´--var-file´ of ´dsh test´ set variables in every scenario whose configuration declares them.

## What it proves

- Assertions are about the session of the running agent, or else about the newest one. They need something to look at:
  the prefix is composed, and the header logged, with the first ´send´.
- A ´send´ whose turn does not complete fails; ´! send´ is for turns that must not. A ´send´ while a turn runs in the background is
  another prompt behind it, and waits for both; with ´&´, ´settle´ does.
- A scenario that drives nothing, or asserts nothing, fails, and so does a suite in which everything was skipped. What
  counts as an assertion: the verbs marked below, ´stdout´, ´stderr´, ´cmp´, ´grep´, ´exists´, a line with ´!´ besides those of ´dsh´, ´agent´ and
  ´exec´, which may fail for any reason, and ´expect´ in a model that is used. Lines under a condition in brackets and behind ´stop´ do
  not count.
- What would hold whatever happens is a mistake: an expression that is empty, a ´$NAME´ that no line sets, an address that no
  contributor has, a count that is at least 0.
- Whatever the scripted model was told to expect must have been asked; a point of a turn that a line waits for must have
  come; a turn in the background must have been settled.
- After every turn that is driven, without a line that asks for it, and with none that turns it off: the log is held to
  its invariants, every request is rebuilt from the log and compared with what was sent, and each request must extend
  the one before it unless an event of the log explains why not; then what the break costs is told.

## Goldens

A golden pins what no single line could: a header, a request, a log, a history. It lies in ´golden/SCENARIO/NAME.json´ (´.jsonl´, ´.md´),
SCENARIO being the scenario's path below ´scenarios/´ without ´.txtar´.

- ´dsh test -update´ writes them and lists which; read them before you keep them. It refuses where CI is set.
- Bytes of a header are what providers have in their caches. An update that moves any asks why:
  ´dsh test -update -accept-prefix-move 'the rules were too short'´ writes them, and a line with the reason into ´golden/prefix-moves.md´.
- When all scenarios have run to their end, the goldens are audited. These fail the run: a golden that no line uses; one that holds
  an id, a folder or a time of one run; one that pins nothing; one that equals another byte for byte; an agent whose initial
  header is pinned in full, with ´header golden -full´, more than once, or never although the suite has goldens. Once in full is
  what a team reviews; the other lines are ´header golden´ without ´-full´. It counts where the agent was made of the project's
  files as they are: a scenario that brings or copies other ones, besides the scripted model, pins its own text.
- Goldens are plain files in plain folders: a link on the way to one fails the line, and nothing is read or written through it.
  ´golden/´ may hold ´README.md´, ´prefix-moves.md´, a Go package's files and hidden files besides; anything else there fails the
  run.

## Running them

´dsh test´ takes the flags that go test has, with one dash or two.

| flag | meaning |
|---|---|
| ´-run REGEXP´ | only scenarios whose name matches |
| ´-v´ | the log of scenarios that pass, too |
| ´-update´, ´-accept-prefix-move REASON´ | see Goldens |
| ´-parallel N´ | how many at once, else as many as there are processors |
| ´-shuffle on´, ´-shuffle SEED´ | in an order that the seed decides; the run prints it |
| ´-timeout TIME´ | ends the run after this time, 10m without it: scenarios that have not ended are named, their turns, hooks and programs ended |
| ´-work´ | keeps the folders and says where they are |
| ´-watch´ | runs again whenever a file of the project changes |
| ´-json´ | the events of ´go test -json´, one a line and nothing else, so that tools such as gotestsum read them: ´gotestsum --raw-command -- dsh test -json´ |
| ´-junit FILE´ | a JUnit XML report beside what is printed |
| ´-trust´ | trusts what the configuration and the scenarios start, for this run |
| ´-var´, ´-var-file´ | set variables |
| ´-help VERB´ | explains one verb |

In reports, the package is the name of the configuration folder, a folder of scenarios is the test that those in it
belong to, and what is wrong with the goldens is a failing test named goldens. Where GITHUB_ACTIONS is true, a scenario that
fails is also shown beside its line. What a scenario logged is printed with its control characters shown as escapes.

A Go program runs the scenarios of its agents from go test; each is a subtest with its name, and DSH_UPDATE works as it
does elsewhere. No trust is asked for there: go test runs the program's code anyway.

´´´go
package agents

import (
	"testing"

	"github.com/dsh-hcl/dsh/cmd/dsh/dshtest"
)

func TestAgents(t *testing.T) { dshtest.Run(t, "agents/reviewer") }
´´´

## Verbs

All commands of [testscript](https://pkg.go.dev/github.com/rogpeppe/go-internal/testscript) are there as well: ´exec´, ´stdin´,
´stdout´, ´stderr´, ´cmp´, ´cp´, ´env´, ´exists´, ´grep´, ´mkdir´, ´mv´, ´rm´, ´skip´, ´stop´, ´unquote´, ´wait´, ´cd´, and conditions in brackets.
`
