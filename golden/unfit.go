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

var (
	someTime   = regexp.MustCompile(`"(?:time|createdAt|durationMs)": ?[1-9]`)
	someFolder = regexp.MustCompile(`(?:/tmp|/var/folders)/\S*(?:go-test-script|script-)`)
)

// Unfit says why a text must not be a golden, "" when it may: it holds what varies
// from run to run, or it pins nothing.
func Unfit(text string) string {
	switch {
	case strings.TrimSpace(text) == "":
		return "it is empty and pins nothing"
	case strings.TrimSpace(text) == "# History":
		return "it is a history without a message and pins nothing"
	case !strings.Contains(text, "\n"):
		return "it is not the text of a golden: its last line has no end"
	}
	for _, varies := range []struct {
		re   *regexp.Regexp
		what string
	}{{counted, "an id"}, {someTime, "a time"}, {someFolder, "a temporary folder"}} {
		if found := varies.re.FindString(text); found != "" {
			return "it holds " + varies.what + ", which is another one in every run: " + found
		}
	}
	return ""
}
