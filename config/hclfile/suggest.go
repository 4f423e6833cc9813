package hclfile

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/agext/levenshtein"
)

// nearest returns the candidate that a name was probably meant to be, "" when
// none is close. Of equally close ones the first in the list wins, so the list's
// order must not depend on a map.
func nearest(name string, candidates []string) string {
	if len(candidates) > 1000 {
		return "" // looking through them for every name would take too long
	}
	best, distance := "", 0
	limit := 1 + min(len(name)/3, 3)
	for _, c := range candidates {
		d := levenshtein.Distance(strings.ToLower(name), strings.ToLower(c), nil)
		if (d <= limit && d < len(name) || strings.EqualFold(name, c)) && !(len(name) <= 4 && d > 1 && !alike(name, c)) && (best == "" || d < distance) {
			best, distance = c, d
		}
	}
	return best
}

// alike reports names of the same letters in another order, taem and team, and names
// that begin or end with the other. Of short names only those are near, and those that
// differ in one letter.
func alike(a, b string) bool {
	x, y := []byte(strings.ToLower(a)), []byte(strings.ToLower(b))
	if bytes.Contains(x, y) || bytes.Contains(y, x) {
		return true
	}
	slices.Sort(x)
	slices.Sort(y)
	return slices.Equal(x, y)
}

// didYouMean is a sentence that suggests the nearest candidate, with a space in
// front, or "".
func didYouMean(name string, candidates []string) string {
	if s := nearest(name, candidates); s != "" {
		return fmt.Sprintf(" Did you mean %q?", s)
	}
	return ""
}

// suggestOrList suggests the nearest candidate, or lists all when they are few.
// what is their plural: "models".
func suggestOrList(name, what string, candidates []string) string {
	if s := didYouMean(name, candidates); s != "" {
		return s
	}
	switch {
	case len(candidates) == 0:
		return fmt.Sprintf(" There are no %s.", what)
	case len(candidates) <= 12:
		return fmt.Sprintf(" There are these %s: %s.", what, strings.Join(candidates, ", "))
	}
	return ""
}
