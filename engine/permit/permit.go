// Package permit decides which calls of tools run, by the rules that an agent
// declares. It is pure: the same call has the same verdict everywhere. It asks
// nobody and logs nothing; package engine does.
package permit

import (
	"regexp"
	"slices"
	"strings"
)

// Kind says what the subjects of a call are, which decides what a pattern means.
type Kind int

// The kinds.
const (
	Text    Kind = iota // JSON arguments: * is any text
	Path                // a path with slashes: * is any text within a folder, ** any folders
	Command             // a line for a shell: * is any text
)

// Call is a call as rules see it. Subjects are what it is about, under every name
// that counts: a path as it was given and where its links lead.
type Call struct {
	Tool     string
	Kind     Kind
	Subjects []string
}

// Rule fits the calls of a tool: all of them, or those with a subject that fits
// the pattern.
type Rule struct{ Tool, Pattern string }

// String is how the rule is written.
func (r Rule) String() string {
	if r.Pattern == "" {
		return r.Tool
	}
	return r.Tool + "(" + r.Pattern + ")"
}

// Policy is the rules of an agent. Free are the tools whose calls are allowed where
// no rule fits.
type Policy struct {
	Allow, Ask, Deny []Rule
	Free             []string
}

// Decision is what a policy says about a call.
type Decision int

// The decisions.
const (
	Allow Decision = iota
	Ask
	Deny
)

// Verdict is a decision with the rule that made it, "" when none fits.
type Verdict struct {
	Decision Decision
	Rule     string
}

// Decide is the verdict about a call: deny before ask before allow.
//
// A rule that holds something back fits when any subject does, and a rule for a
// command when a part of the line does; one that allows fits when every subject
// does, and its * stands for nothing that a shell would take for more than a word,
// and in JSON for nothing that ends a text.
func (p Policy) Decide(c Call) Verdict {
	for _, r := range p.Deny {
		if r.holdsBack(c) {
			return Verdict{Deny, r.String()}
		}
	}
	for _, r := range p.Ask {
		if r.holdsBack(c) {
			return Verdict{Ask, r.String()}
		}
	}
	for _, r := range p.Allow {
		if r.allows(c) {
			return Verdict{Allow, r.String()}
		}
	}
	if slices.Contains(p.Free, c.Tool) {
		return Verdict{Decision: Allow}
	}
	return Verdict{Decision: Ask}
}

func (r Rule) holdsBack(c Call) bool {
	if r.Tool != c.Tool {
		return false
	}
	if r.Pattern == "" {
		return true
	}
	if len(c.Subjects) == 0 {
		return true // what is not known is not let through
	}
	re := r.expression(c.Kind, `(?s:.*)`)
	return slices.ContainsFunc(c.Subjects, func(s string) bool {
		return re.MatchString(s) || c.Kind == Command && slices.ContainsFunc(parts(s), re.MatchString)
	})
}

func (r Rule) allows(c Call) bool {
	if r.Tool != c.Tool {
		return false
	}
	if r.Pattern == "" {
		return true
	}
	star := `[^"\\]*`
	if c.Kind == Command {
		star = "[^" + regexp.QuoteMeta(special) + "]*"
	}
	re := r.expression(c.Kind, star)
	return len(c.Subjects) > 0 && !slices.ContainsFunc(c.Subjects, func(s string) bool { return !re.MatchString(s) })
}

// special are the characters by which a line for a shell is more than one command
// with words, or reads, writes or computes something.
const special = ";&|<>()`$\\\n\r\x00"

// parts are the commands of a line, as far as they can be told without running it.
func parts(line string) []string {
	var out []string
	for _, part := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(";&|()`\n\r{}", r) }) {
		part = strings.TrimSpace(part)
		for _, word := range []string{"! ", "then ", "do ", "else ", "exec ", "command ", "sudo "} {
			part = strings.TrimSpace(strings.TrimPrefix(part, word))
		}
		out = append(out, part)
	}
	return out
}

func (r Rule) expression(k Kind, star string) *regexp.Regexp {
	if k == Path {
		return Glob(r.Pattern)
	}
	texts := strings.Split(r.Pattern, "*")
	for i, t := range texts {
		texts[i] = regexp.QuoteMeta(t)
	}
	return regexp.MustCompile(`\A` + strings.Join(texts, star) + `\z`)
}

// Glob is a pattern of paths: * is any text without a slash, ? any character but a
// slash, ** as a whole name any number of names, also none.
func Glob(pattern string) *regexp.Regexp {
	var b strings.Builder
	b.WriteString(`(?s)\A`)
	names := strings.Split(pattern, "/")
	for i, name := range names {
		last := i == len(names)-1
		switch {
		case name == "**" && last && i > 0: // a folder and what is below it
			trimmed := strings.TrimSuffix(b.String(), "/")
			b.Reset()
			b.WriteString(trimmed + `(?:/.*)?`)
		case name == "**" && last:
			b.WriteString(`.*`)
		case name == "**":
			b.WriteString(`(?:[^/]+/)*`)
		default:
			for _, c := range name {
				switch c {
				case '*':
					b.WriteString(`[^/]*`)
				case '?':
					b.WriteString(`[^/]`)
				default:
					b.WriteString(regexp.QuoteMeta(string(c)))
				}
			}
			if !last {
				b.WriteString("/")
			}
		}
	}
	return regexp.MustCompile(b.String() + `\z`)
}
