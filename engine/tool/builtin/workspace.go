package builtin

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"unicode/utf8"

	"github.com/dsh-hcl/dsh/engine/tool"
)

// maxFile is how many bytes a file may have that is read or changed.
const maxFile = 16 << 20

// openFlags open without waiting for a writer of a pipe and without acquiring a
// terminal. They change nothing for a regular file.
const openFlags = os.O_RDONLY | syscall.O_NONBLOCK | syscall.O_NOCTTY

type digest = [sha256.Size]byte

// workspace is the folder that the tools of one instance are confined to, and what
// the model knows of its files.
type workspace struct {
	path   string
	hidden func(path string) bool   // may be nil
	clean  func(text string) string // may be nil

	changing sync.Mutex // held while a file is changed

	mu   sync.Mutex
	root *os.Root          // nil before the first call
	seen map[string]digest // of a file's content when it was last read or written, by path
}

// folder is the workspace, opened.
func (w *workspace) folder() (*os.Root, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.root == nil {
		root, err := os.OpenRoot(w.path)
		if err != nil {
			return nil, errors.New("the workspace cannot be opened")
		}
		w.root = root
	}
	return w.root, nil
}

func (w *workspace) close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.root == nil {
		return nil
	}
	err := w.root.Close()
	w.root = nil
	return err
}

// local is the path that a model gave, relative to the workspace and cleaned.
func (w *workspace) local(path string) (string, error) {
	given := path
	if path == "" {
		path = "."
	}
	if strings.ContainsRune(path, 0) {
		return "", errors.New("a path cannot hold a NUL character")
	}
	if filepath.IsAbs(path) {
		rel, err := filepath.Rel(w.path, path)
		if err != nil {
			return "", &outsideError{given}
		}
		path = rel
	}
	if path = filepath.Clean(path); !filepath.IsLocal(path) {
		return "", &outsideError{given}
	}
	return path, nil
}

// target is where a path leads that may be a link, so that a change reaches the file
// and does not take the link's place.
func (w *workspace) target(path string) (string, error) {
	root, err := w.folder()
	if err != nil {
		return "", err
	}
	at := path
	for range maxLinks {
		info, err := root.Lstat(at)
		if errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode()&fs.ModeSymlink == 0 {
			return at, nil
		}
		if err != nil {
			return "", explain(path, err)
		}
		to, err := root.Readlink(at)
		if err != nil {
			return "", explain(path, err)
		}
		if filepath.IsAbs(to) {
			return "", &outsideError{path + ", an absolute link,"}
		}
		if at = filepath.Join(filepath.Dir(at), to); !filepath.IsLocal(at) {
			return "", &outsideError{path + ", followed through its links,"}
		}
	}
	return "", fmt.Errorf("%s leads through too many links", path)
}

// maxLinks is how many links one path may go through, as on Linux.
const maxLinks = 40

// subjects are the names of a path that rules are held against: as it was given, and
// where it leads. A path that leads out of the workspace is refused later.
func (w *workspace) subjects(given string) []string {
	path, err := w.local(given)
	if err != nil {
		return []string{filepath.ToSlash(filepath.Clean(given))}
	}
	out := []string{filepath.ToSlash(path)}
	top, err := filepath.EvalSymlinks(w.path)
	if err != nil {
		return out
	}
	// What does not exist yet lies in a folder that does.
	for at, rest := filepath.Join(top, path), ""; ; at, rest = filepath.Dir(at), filepath.Join(filepath.Base(at), rest) {
		real, err := filepath.EvalSymlinks(at)
		if err != nil && at != top {
			continue
		}
		if rel, err := filepath.Rel(top, filepath.Join(real, rest)); err == nil && filepath.ToSlash(rel) != out[0] {
			out = append(out, filepath.ToSlash(rel))
		}
		return out
	}
}

// outsideError refuses a path that leads out of the workspace.
type outsideError struct{ path string }

func (e *outsideError) Error() string { return e.path + " is outside the workspace" }

// content reads a whole text file. The path is local. Errors say what is wrong for the
// model.
func (w *workspace) content(path string) ([]byte, fs.FileInfo, error) {
	root, err := w.folder()
	if err != nil {
		return nil, nil, err
	}
	info, err := root.Stat(path)
	if err != nil {
		return nil, nil, explain(path, err)
	}
	if err := regular(path, info); err != nil {
		return nil, nil, err
	}
	f, err := root.OpenFile(path, openFlags, 0)
	if err != nil {
		return nil, nil, explain(path, err)
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return nil, nil, explain(path, err)
	}
	if err := regular(path, info); err != nil { // it may have been swapped
		return nil, nil, err
	}
	if info.Size() > maxFile {
		return nil, nil, tooLarge(path, info.Size())
	}
	b, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, nil, explain(path, err)
	}
	if len(b) > maxFile {
		return nil, nil, tooLarge(path, int64(len(b)))
	}
	if err := isText(path, b); err != nil {
		return nil, nil, err
	}
	return b, info, nil
}

func tooLarge(path string, size int64) error {
	return fmt.Errorf("%s has %d bytes, and at most %d are read. Search it with grep, or take a part of it with shell", path, size, maxFile)
}

// regular refuses what is no regular file.
func regular(path string, info fs.FileInfo) error {
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		return fmt.Errorf("%s is a folder", path)
	case mode&fs.ModeNamedPipe != 0:
		return fmt.Errorf("%s is a pipe, not a file", path)
	case mode&fs.ModeSocket != 0:
		return fmt.Errorf("%s is a socket, not a file", path)
	}
	return fmt.Errorf("%s is a device, not a file", path)
}

// isText refuses what is no UTF-8 text.
func isText(path string, b []byte) error {
	for _, c := range b {
		if c == 0 {
			return fmt.Errorf("%s is a binary file of %d bytes", path, len(b))
		}
	}
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n <= 1 {
			return fmt.Errorf("%s is not UTF-8 text: byte %d belongs to no character", path, i)
		}
		i += n
	}
	return nil
}

// explain says what a system call met in words that name the path as the model
// knows it.
func explain(path string, err error) error {
	var p *fs.PathError
	var l *os.LinkError
	var stale *staleError
	switch {
	case errors.As(err, &stale):
		return err
	case errors.As(err, &l):
		return fmt.Errorf("%s: %w", path, l.Err)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no file %s", path)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s may not be opened: permission denied", path)
	case errors.As(err, &p):
		if p.Err.Error() == "path escapes from parent" {
			return &outsideError{path + ", followed through its symbolic links,"}
		}
		return fmt.Errorf("%s: %w", path, p.Err)
	}
	return fmt.Errorf("%s: %w", path, err)
}

// failed is the outcome of a call that met an error.
func failed(err error) tool.Outcome {
	var outside *outsideError
	var stale *staleError
	if errors.As(err, &stale) {
		return tool.Fail(tool.CodeStale, "%s", err)
	}
	if errors.As(err, &outside) {
		return tool.Fail(tool.CodeOutside, "%s", err)
	}
	return tool.Fail(tool.CodeFailed, "%s", err)
}

// saw keeps what the model knows of a file from now on.
func (w *workspace) saw(path string, b []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen[path] = sha256.Sum256(b)
}

// cleaned is the content of a file as the model may see it.
func (w *workspace) cleaned(b []byte) []byte {
	if w.clean == nil {
		return b
	}
	return []byte(w.clean(string(b)))
}
