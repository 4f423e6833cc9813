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

// Log implements testscript.T.
func (p promised) Log(args ...any) {
	text := fmt.Sprint(args...)
	if at := failedAt.FindStringSubmatch(text); at != nil {
		if line, err := strconv.Atoi(at[2]); err == nil {
			text = p.promise(line) + text
		}
	}
	p.T.Log(text)
}

// promise is what a line of the script promises, with its place.
func (p promised) promise(line int) string {
	src, err := os.ReadFile(p.file)
	if err != nil {
		return ""
	}
	lines := strings.Split(string(src), "\n")
	if line < 1 || line > len(lines) {
		return ""
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
	name := p.file
	if rel, err := filepath.Rel(p.root, p.file); err == nil {
		name = filepath.ToSlash(rel)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d\n", name, line)
	if len(comment) > 0 {
		fmt.Fprintf(&b, "  promised: %s\n", strings.Join(comment, "\n            "))
	}
	fmt.Fprintf(&b, "  line:     %s\n\n", lines[line-1])
	return b.String()
}
