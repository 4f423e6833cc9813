package scenarios

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

// line is a line of a script as testscript will read it.
type line struct {
	number int // counted from 1
	text   string
	// conditional says that it stands behind a condition in brackets, so that nobody
	// knows whether it runs.
	conditional, negated bool
	command              word
	args                 []word
}

// word is a word of a line without its quotes.
type word struct {
	text string
	// variables are the names behind $ outside of quotes, which text still holds as
	// they are written: what they stand for is known only when the line runs.
	variables []string
}

// varies reports whether variables decide what a word is.
func (w word) varies() bool { return len(w.variables) > 0 }

// variable is a reference to a variable of the environment.
var variable = regexp.MustCompile(`\$(\{[^}]*\}|[A-Za-z_][A-Za-z0-9_]*|.)?`)

// script reads the lines of a script, without those that are empty.
func script(text []byte) []line {
	var out []line
	for n, raw := range strings.Split(string(txtar.Parse(text).Comment), "\n") {
		words := wordsOf(raw)
		l := line{number: n + 1, text: strings.TrimSpace(raw)}
		for len(words) > 0 && strings.HasPrefix(words[0].text, "[") {
			l.conditional, words = true, words[1:]
		}
		for len(words) > 0 && (words[0].text == "!" || words[0].text == "?") {
			l.negated, words = true, words[1:]
		}
		if len(words) > 0 {
			l.command, l.args = words[0], words[1:]
			out = append(out, l)
		}
	}
	return out
}

// wordsOf splits a line at blanks as testscript does: quotes protect, two of them in a
// quoted text are one, and what is behind # is a comment.
func wordsOf(raw string) []word {
	var out []word
	var now word
	begun, quoted := false, false
	plain := 0 // where the unquoted text under way begins
	take := func(end int) {
		if !quoted && plain < end {
			for _, m := range variable.FindAllStringSubmatch(raw[plain:end], -1) {
				now.variables = append(now.variables, strings.Trim(m[1], "{}"))
			}
		}
		now.text += raw[plain:end]
	}
	for i := 0; i <= len(raw); i++ {
		switch {
		case i == len(raw) || !quoted && strings.IndexByte(" \t\r#", raw[i]) >= 0:
			if begun {
				take(i)
				out = append(out, now)
			}
			now, begun = word{}, false
			if i < len(raw) && raw[i] == '#' {
				return out
			}
			plain = i + 1
		case raw[i] == '\'':
			begun = true
			take(i)
			if quoted && i+1 < len(raw) && raw[i+1] == '\'' {
				i++
				plain = i // the second one is text
				continue
			}
			quoted = !quoted
			plain = i + 1
		default:
			begun = true
		}
	}
	return out
}

// Programs returns the lines of a scenario that start a program, or that reach outside
// of its folder, or may, with their line numbers, counted from 1.
func Programs(text []byte) (lines []string, numbers []int) {
	for _, l := range script(text) {
		if l.command.varies() || l.command.text == "exec" || l.leaves() {
			lines, numbers = append(lines, l.text), append(numbers, l.number)
		}
	}
	return lines, numbers
}

// places are variables that say where files lie.
var places = []string{"WORK", "HOME", "TMPDIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "DSH_STORE"}

// leaves reports whether a line may reach outside of the scenario's folder. It rather
// says so too often: whatever is not plainly inside is not. What lies in the project may
// be read.
func (l line) leaves() bool {
	outside := func(w word) bool { return !w.inside() }
	unread := func(w word) bool { return !w.inside() && !w.ofProject() }
	args := l.args
	last := func() []word { return args[max(len(args)-1, 0):] }
	switch l.command.text {
	case "cp":
		return slices.ContainsFunc(last(), outside) || slices.ContainsFunc(args, unread)
	case "mv", "rm", "mkdir", "chmod", "symlink", "cd", "unquote", "unix2dos":
		return slices.ContainsFunc(args, outside)
	case "cmp", "cmpenv", "stdin", "exists", "session":
		return slices.ContainsFunc(args, unread)
	case "grep":
		return slices.ContainsFunc(last(), unread)
	case "send", "steer", "inject", "agent", "dsh":
		return slices.ContainsFunc(args, func(w word) bool { return w.path() && unread(w.behind()) })
	case "env":
		return slices.ContainsFunc(args, func(w word) bool {
			name, value, sets := strings.Cut(w.text, "=")
			if !sets {
				return false
			}
			return strings.Contains(name, "$") || slices.Contains(places, name) && (name == "WORK" || outside(word{value, nil}))
		})
	}
	return false
}

// behind is a word without the flag or the sign in front of the path that it names.
func (w word) behind() word {
	if strings.HasPrefix(w.text, "-") {
		if _, value, ok := strings.Cut(w.text, "="); ok {
			w.text = value
		}
	}
	w.text = strings.TrimPrefix(w.text, "@")
	return w
}

// path reports whether an argument of a verb looks like the path of a file that is not
// in the folder; prompts are texts, and a text with blanks is none.
func (w word) path() bool {
	text := w.behind().text
	return !strings.ContainsAny(text, " \t\n") &&
		(filepath.IsAbs(text) || strings.HasPrefix(text, "$") || slices.Contains(strings.Split(filepath.ToSlash(text), "/"), ".."))
}

// inside reports whether a word is a path plainly below the scenario's folder.
func (w word) inside() bool { return inside(w.text) }

// ofProject reports whether a word is a path plainly below the project's folder.
func (w word) ofProject() bool {
	rest, ok := strings.CutPrefix(w.text, "$PROJECT")
	return ok && (rest == "" || rest[0] == '/') && inside("."+rest)
}

// inside reports whether a path lies plainly below the scenario's folder.
func inside(path string) bool {
	rest, ok := strings.CutPrefix(path, "$WORK")
	if ok && rest != "" && rest[0] != '/' {
		return false
	}
	if ok {
		rest = "." + rest
	}
	return !strings.Contains(rest, "$") && filepath.IsLocal(filepath.FromSlash(rest))
}

// expects finds an expectation in a scripted model.
var expects = regexp.MustCompile(`(?m)^\s*expect\s*\{`)

// asserts reports whether a scenario drives an agent, or the command line, and holds
// it to something. Lines behind one that may end the script in success, and lines
// under a condition, do not count: nobody knows whether they run.
func asserts(text []byte) bool {
	words := []string{"stdout", "stderr", "ttyout", "cmp", "cmpenv", "grep", "exists"}
	drivers := []string{"exec"}
	for _, v := range verbs() {
		if v.asserts {
			words = append(words, v.name)
		} else {
			drivers = append(drivers, v.name)
		}
	}
	holds, drives := false, false
	for _, l := range script(text) {
		name := l.command.text
		if name == "stop" || name == "skip" && !l.conditional {
			break
		}
		if l.conditional {
			continue
		}
		drives = drives || slices.Contains(drivers, name)
		// That a command line fails says little when nobody looks at how.
		vague := name == "dsh" || name == "agent" || name == "exec"
		holds = holds || l.negated && !vague || slices.Contains(words, name)
	}
	models := modelFiles(text)
	for _, f := range txtar.Parse(text).Files {
		holds = holds || slices.Contains(models, filepath.ToSlash(filepath.Clean(f.Name))) && expects.Match(f.Data)
	}
	return holds && drives
}

// modelFiles are the names of files that a script takes its scripted model from.
func modelFiles(text []byte) []string {
	out := []string{"model.hcl"}
	for _, l := range script(text) {
		for i, w := range l.args {
			if l.command.text == "agent" && w.text == "-model" && i+1 < len(l.args) {
				out = append(out, filepath.ToSlash(filepath.Clean(strings.TrimPrefix(l.args[i+1].text, "$WORK/"))))
			}
		}
	}
	return out
}

// standard are the variables that every scenario has.
var standard = []string{"WORK", "PROJECT", "HOME", "PATH", "TMPDIR", "GOTMPDIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME",
	"devnull", "exe", "/", ":", "$", "SYSTEMROOT", "GOCOVERDIR"}

// mistaken is what is wrong with a script whatever it does when it runs: variables that
// no line sets, which would be nothing, and expressions that everything matches.
func mistaken(text []byte) error {
	set := slices.Clone(standard)
	all := script(text)
	for _, l := range all {
		if l.command.text == "env" {
			for _, w := range l.args {
				name, _, _ := strings.Cut(w.text, "=")
				set = append(set, name)
			}
		}
	}
	for _, l := range all {
		for _, w := range append([]word{l.command}, l.args...) {
			for _, name := range w.variables {
				if name != "" && !slices.Contains(set, name) {
					return fmt.Errorf("line %d: no line sets the variable $%s, so it stands for nothing%s; quotes keep a $", l.number, name, didYouMean(name, set))
				}
			}
		}
		switch l.command.text {
		case "stdout", "stderr", "ttyout", "grep":
			for _, w := range l.args {
				if strings.HasPrefix(w.text, "-") {
					continue
				}
				if w.text == "" {
					return fmt.Errorf("line %d: an empty expression matches everything", l.number)
				}
				break
			}
		}
	}
	return nil
}

// expression compiles a regular expression of a line.
func expression(text string) (*regexp.Regexp, error) {
	if text == "" {
		return nil, misusef("an empty expression matches everything")
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, misusef("%v", err)
	}
	return re, nil
}
