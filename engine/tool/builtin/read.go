package builtin

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/tool"
)

// Bounds of what a result holds.
const (
	maxLines = 2000
	maxText  = 64 << 10 // bytes
)

func (w *workspace) read() tool.Tool {
	return w.onPath(schema("read", "Reads a text file of the workspace. Returns its lines as they are, at most 2000 lines and 64 KiB at once; offset and limit choose others.",
		`{"path":{"type":"string","description":"The file, relative to the workspace."},"offset":{"type":"integer","minimum":1,"maximum":1000000000,"description":"The first line, counted from 1."},"limit":{"type":"integer","minimum":1,"maximum":2000,"description":"How many lines."}}`, `"path"`),
		func(_ context.Context, path string, args canon.Value) (string, error) {
			b, _, err := w.content(path)
			if err != nil {
				return "", err
			}
			out, err := lines(path, string(w.cleaned(b)), whole(args, "offset", 1), whole(args, "limit", maxLines))
			if err == nil {
				w.saw(path, b)
			}
			return out, err
		})
}

// lines are limit lines of a text from line offset on, and a note in brackets where
// that is not all of it.
func lines(path, s string, offset, limit int) (string, error) {
	if s == "" {
		return "[" + path + " is empty]", nil
	}
	total := strings.Count(s, "\n")
	if !strings.HasSuffix(s, "\n") {
		total++
	}
	if offset > total {
		return "", fmt.Errorf("%s has %d lines, so there is no line %d", path, total, offset)
	}
	for range offset - 1 {
		_, s, _ = strings.Cut(s, "\n")
	}
	end, last := 0, offset-1
	for last < total && last < offset-1+limit {
		n := strings.IndexByte(s[end:], '\n') + 1
		if n == 0 {
			n = len(s) - end
		}
		if end+n > maxText {
			break
		}
		end += n
		last++
	}
	switch {
	case last < offset: // the first line alone is too long
		return beginning(s, maxText) + fmt.Sprintf("\n[the beginning of line %d of %d of %s; the line is longer than %d bytes]", offset, total, path, maxText), nil
	case last < total:
		return s[:end] + fmt.Sprintf("[lines %d to %d of %d of %s; read on with offset %d]", offset, last, total, path, last+1), nil
	}
	return s[:end], nil
}

// beginning is the beginning of a text of at most max bytes that ends with a whole
// character.
func beginning(s string, max int) string {
	if len(s) <= max {
		return s
	}
	for max > 0 && !utf8.RuneStart(s[max]) {
		max--
	}
	return s[:max]
}
