package golden

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// Mismatch says that a golden does not hold what was found. Missing is set when
// there is no such file.
type Mismatch struct {
	Path    string
	Missing bool
	Diff    string // lines with - are the golden's, with + what was found
}

func (e *Mismatch) Error() string {
	if e.Missing {
		return fmt.Sprintf("there is no golden %s; run with -update to write it", e.Path)
	}
	return fmt.Sprintf("differs from golden %s (-golden +found):\n%s", e.Path, e.Diff)
}

// Check compares got with the golden at path. With update it rewrites the golden
// instead and reports whether that changed it. Errors: *Mismatch and those of the
// file system.
func Check(path, got string, update bool) (changed bool, err error) {
	want, err := os.ReadFile(path)
	missing := errors.Is(err, fs.ErrNotExist)
	switch {
	case err != nil && !missing:
		return false, err
	case !missing && string(want) == got:
		return false, nil
	case update:
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return false, err
		}
		return true, os.WriteFile(path, []byte(got), 0o644)
	case missing:
		return false, &Mismatch{Path: path, Missing: true}
	}
	return false, &Mismatch{Path: path, Diff: string(diff.Diff("golden", want, "found", []byte(got)))}
}

// Moves reports whether a header's golden that is to become got pins other bytes of
// what stands in front of every request: providers have these in their caches, so
// that changing them is paid for by every session. Why a header was logged is none of
// them. A golden that is not there moves nothing.
func Moves(path, got string) (bool, error) {
	want, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && cached(string(want)) != cached(got), err
}

// cached is a header's golden without the reason.
func cached(text string) string {
	var kept []string
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, `  "reason": `) {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}
