package scenarios

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// failedAt is how testscript reports the line that failed.
var failedAt = regexp.MustCompile(`(?m)^FAIL: (\S.*?):(\d+): `)

// promised is a testscript.T that puts in front of the log of a scenario that fails
// what was promised there: the comment above the line, and the line.
type promised struct {
	testscript.T
	file string
	root string // folder that the file is named below
}

// told is a testscript.T that wants to know which file it runs and which line failed.
type told interface {
	testing(file string)
	broke(Broken)
}

// Log implements testscript.T.
func (p promised) Log(args ...any) {
	text := fmt.Sprint(args...)
	if at := failedAt.FindStringSubmatchIndex(text); at != nil {
		if line, err := strconv.Atoi(text[at[4]:at[5]]); err == nil {
			if b, ok := p.promise(line); ok {
				b.Message = firstLine(text[at[1]:])
				if t, ok := p.T.(told); ok {
					t.broke(b)
				}
				text = p.shown(b) + text
			}
		}
	}
	p.T.Log(text)
}

// promise is what a line of the script promises.
func (p promised) promise(line int) (Broken, bool) {
	src, err := os.ReadFile(p.file)
	if err != nil {
		return Broken{}, false
	}
	lines := strings.Split(string(src), "\n")
	if line < 1 || line > len(lines) {
		return Broken{}, false
	}
	var comment []string
	for i := line - 2; i >= 0; i-- {
		text, isComment := strings.CutPrefix(lines[i], "#")
		if isComment {
			comment = append([]string{strings.TrimSpace(text)}, comment...)
		} else if len(comment) > 0 {
			break
		}
	}
	return Broken{Line: line, Promise: strings.Join(comment, "\n"), Source: lines[line-1]}, true
}

// shown is a broken line for a person, with its place.
func (p promised) shown(broken Broken) string {
	name := p.file
	if rel, err := filepath.Rel(p.root, p.file); err == nil {
		name = filepath.ToSlash(rel)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d\n", name, broken.Line)
	if broken.Promise != "" {
		fmt.Fprintf(&b, "  promised: %s\n", strings.ReplaceAll(broken.Promise, "\n", "\n            "))
	}
	fmt.Fprintf(&b, "  line:     %s\n\n", broken.Source)
	return b.String()
}
