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

// MovesFile is the name of the file, below the folder of goldens, that keeps why goldens
// of headers were rewritten.
const MovesFile = "prefix-moves.md"

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

// PlaceError says that something lies where a golden, or a folder on the way to it, is
// to lie: a link, which would have another file read and rewritten than the one that a
// review sees, or what is no file at all.
type PlaceError struct {
	Path string
	Is   string // "a link", "a folder", "no folder" or "no file"
}

func (e *PlaceError) Error() string {
	return fmt.Sprintf("%s is %s: goldens are plain files in plain folders, so that what is compared and rewritten is what a review sees. Remove it, or put a plain one in its place", e.Path, e.Is)
}

// Place reports whether a file below a folder may be read and rewritten: it is a plain
// file or not there, and what lies on the way to it are folders and not links. The
// folder itself may be reached through links. Errors: *PlaceError and those of the file
// system.
func Place(folder, path string) error {
	rel, err := filepath.Rel(folder, path)
	if err != nil {
		return err
	}
	at, parts := folder, strings.Split(rel, string(filepath.Separator))
	for i, part := range parts {
		at = filepath.Join(at, part)
		info, err := os.Lstat(at)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		last := i == len(parts)-1
		switch mode := info.Mode(); {
		case mode&fs.ModeSymlink != 0:
			return &PlaceError{at, "a link"}
		case last && mode.IsDir():
			return &PlaceError{at, "a folder"}
		case last && !mode.IsRegular():
			return &PlaceError{at, "no file"}
		case !last && !mode.IsDir():
			return &PlaceError{at, "no folder"}
		}
	}
	return nil
}

// Pin is a golden and what it is to hold.
type Pin struct {
	Path  string
	Found string // what was found
}

// Change is a golden that does not hold what was found.
type Change struct {
	Pin
	Held    string // what it holds
	Missing bool   // there is no such file
}

// Compare returns those of the goldens that do not hold what was found. They lie below a
// folder. Errors: *PlaceError and those of the file system.
func Compare(folder string, pins ...Pin) ([]Change, error) {
	var out []Change
	for _, p := range pins {
		if err := Place(folder, p.Path); err != nil {
			return nil, err
		}
		held, err := os.ReadFile(p.Path)
		missing := errors.Is(err, fs.ErrNotExist)
		if err != nil && !missing {
			return nil, err
		}
		if missing || string(held) != p.Found {
			out = append(out, Change{p, string(held), missing})
		}
	}
	return out, nil
}

// Mismatch is the change as a failure.
func (c Change) Mismatch() *Mismatch {
	if c.Missing {
		return &Mismatch{Path: c.Path, Missing: true}
	}
	return &Mismatch{Path: c.Path, Diff: string(diff.Diff("golden", []byte(c.Held), "found", []byte(c.Found)))}
}

// Moves reports whether the change of a header's golden pins other bytes of what stands
// in front of every request: providers have these in their caches, so that changing
// them is paid for by every session. Why a header was logged is none of them. A golden
// that is not there moves nothing.
func (c Change) Moves() bool {
	if c.Missing {
		return false
	}
	if filepath.Ext(c.Path) != ".json" {
		return true // a text, all of which is content
	}
	return unreasoned(c.Held) != unreasoned(c.Found)
}

// unreasoned is the JSON of a header's golden without the reason, which is its first
// member.
func unreasoned(text string) string {
	open, rest, _ := strings.Cut(text, "\n")
	if reason, behind, ok := strings.Cut(rest, "\n"); ok && strings.HasPrefix(reason, `  "reason": `) {
		return open + "\n" + behind
	}
	return text
}

// Write has goldens below a folder hold what was found. They are written beside where
// they are to lie first, so that none is replaced when one of them cannot be written.
// Errors: *PlaceError and those of the file system.
func Write(folder string, changes ...Change) error {
	var written []string
	defer func() {
		for _, path := range written {
			os.Remove(path) // what took its place is not there any more
		}
	}()
	for _, c := range changes {
		if err := Place(folder, c.Path); err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(c.Path), 0o755); err != nil {
			return err
		}
		path := beside(c.Path)
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		written = append(written, path)
		if err := create(path, c.Found); err != nil {
			return err
		}
	}
	for _, c := range changes {
		if err := os.Rename(beside(c.Path), c.Path); err != nil {
			return err
		}
	}
	return nil
}

// beside is where a golden is written before it takes its place.
func beside(path string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".new")
}

func create(path, text string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
