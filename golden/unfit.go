package golden

import (
	"path/filepath"
	"regexp"
	"strings"
)

// Named reports whether a file of that name is a golden.
func Named(path string) bool {
	switch filepath.Ext(path) {
	case ".json", ".jsonl", ".md":
		return true
	}
	return false
}

// Looks reports whether a name ends as that of a golden does, in whatever case.
func Looks(path string) bool { return Named(strings.ToLower(path)) }

// counted finds the ids that a scenario makes, which count up.
var counted = regexp.MustCompile(`00000000-0000-7000-8000-[0-9]{12}`)

// Counted are the ids of a scenario.
func Counted() *regexp.Regexp { return counted }

// someTime finds what the clock of the machine makes in a log.
var someTime = regexp.MustCompile(`"(?:time|createdAt|durationMs)": ?[1-9]`)

// Unfit says why a text must not be the golden at path, "" when it may: it holds what
// varies from run to run, or it pins nothing. What only looks like something that varies,
// such as a time in a prompt, is text like any other: folder is a name that the folder of
// this run has and that of no other run, "" for none, and times are looked for where a
// log has them.
func Unfit(path, text, folder string) string {
	switch {
	case strings.TrimSpace(text) == "":
		return "it is empty and pins nothing"
	case strings.TrimSpace(text) == "# History":
		return "it is a history without a message and pins nothing"
	case !strings.Contains(text, "\n"):
		return "it is not the text of a golden: its last line has no end"
	}
	what, found := "", ""
	switch id := counted.FindString(text); {
	case id != "":
		what, found = "an id", id
	case folder != "" && strings.Contains(text, folder):
		what, found = "the scenario's folder", folder
	case filepath.Ext(path) == ".jsonl":
		what, found = "a time", someTime.FindString(text)
	}
	if found == "" {
		return ""
	}
	return "it holds " + what + ", which is another one in every run: " + found
}
