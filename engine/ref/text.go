package ref

import (
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// TagSafe is finished JSON with every < as an escape, so that no tag ends inside of
// it. It has the same value (spec/references.md section 7).
func TagSafe(json string) string { return strings.ReplaceAll(json, "<", `\u003c`) }

// Lower is the full Unicode mapping to lower case, that of no language.
func Lower(s string) string { return cases.Lower(language.Und).String(s) }
