package builtin

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/tool"
)

func (w *workspace) write() tool.Tool {
	return w.onPath(schema("write", "Writes a whole file of the workspace, with the folders it lies in. A file that exists has to be read first.",
		`{"path":{"type":"string","minLength":1,"description":"The file, relative to the workspace."},"content":{"type":"string","description":"The whole new content."}}`, `"path","content"`),
		func(_ context.Context, path string, args canon.Value) (string, error) {
			content := text(args, "content")
			created, err := w.put(path, func(old []byte, exists bool) (string, error) { return content, nil })
			if err != nil {
				return "", err
			}
			if created {
				return fmt.Sprintf("Created %s with %d bytes.", path, len(content)), nil
			}
			return fmt.Sprintf("Wrote %d bytes to %s.", len(content), path), nil
		})
}

func (w *workspace) edit() tool.Tool {
	return w.onPath(schema("edit", "Replaces a text in a file of the workspace that was read before. The old text has to occur exactly once, unless all is true.",
		`{"path":{"type":"string","minLength":1,"description":"The file, relative to the workspace."},"old":{"type":"string","minLength":1,"description":"The text as it stands in the file, with enough around it to be the only such."},"new":{"type":"string","description":"What takes its place."},"all":{"type":"boolean","description":"Replace every occurrence."}}`, `"path","old","new"`),
		func(_ context.Context, path string, args canon.Value) (string, error) {
			before, after, all := text(args, "old"), text(args, "new"), args.Get("all").IsTrue()
			if before == after {
				return "", errors.New("old and new are the same text, so there is nothing to replace")
			}
			n, line := 0, 0
			_, err := w.put(path, func(old []byte, exists bool) (string, error) {
				if !exists {
					return "", fmt.Errorf("there is no file %s", path)
				}
				s := string(old)
				switch n = strings.Count(s, before); {
				case n == 0 && strings.Contains(s, "\r\n") && strings.Contains(strings.ReplaceAll(s, "\r\n", "\n"), before):
					return "", fmt.Errorf("the old text does not occur in %s: its lines end with \\r\\n, and those of the old text with \\n", path)
				case n == 0:
					return "", fmt.Errorf("the old text does not occur in %s", path)
				case n > 1 && !all:
					return "", fmt.Errorf("the old text occurs %d times in %s: give more of what is around it, or set all", n, path)
				}
				line = 1 + strings.Count(s[:strings.Index(s, before)], "\n")
				return strings.ReplaceAll(s, before, after), nil
			})
			if err != nil {
				return "", err
			}
			if n > 1 {
				return fmt.Sprintf("Replaced %d texts in %s, the first in line %d.", n, path, line), nil
			}
			return fmt.Sprintf("Replaced the text in line %d of %s.", line, path), nil
		})
}

// staleError refuses to change a file that is not what the model read.
type staleError struct{ text string }

func (e *staleError) Error() string { return e.text }

// put changes a file, or makes one, in one step: who reads it meanwhile sees the old
// content or the new. change is told what the file holds. Changes of one instance
// happen one after the other.
func (w *workspace) put(path string, change func(old []byte, exists bool) (string, error)) (created bool, err error) {
	w.changing.Lock()
	defer w.changing.Unlock()
	root, err := w.folder()
	if err != nil {
		return false, err
	}
	target, err := w.target(path)
	if err != nil {
		return false, err
	}
	for _, p := range []string{path, target} {
		for _, name := range strings.Split(p, "/") {
			if strings.EqualFold(name, ".git") {
				return false, fmt.Errorf("%s is inside .git, which git alone changes", path)
			}
		}
	}
	_, err = root.Lstat(target)
	exists := err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, explain(path, err)
	}
	var old []byte
	mode := fs.FileMode(0o644)
	if exists {
		b, info, err := w.content(target)
		if err != nil {
			return false, err
		}
		if err := w.fresh(path, b); err != nil {
			return false, err
		}
		old, mode = b, info.Mode().Perm()
	}
	content, err := change(old, exists)
	if err != nil {
		return false, err
	}
	if len(content) > maxFile {
		return false, fmt.Errorf("the new content has %d bytes, and a file may have %d", len(content), maxFile)
	}
	dir := filepath.Dir(target)
	if err := root.MkdirAll(dir, 0o755); err != nil {
		return false, explain(dir, err)
	}
	temp := filepath.Join(dir, ".dsh-"+rand.Text())
	if err := store(root, temp, content, mode, exists); err != nil {
		return false, explain(path, err)
	}
	if exists {
		// It may have changed while the new content was written.
		if b, _, rerr := w.content(target); rerr != nil || sha256.Sum256(b) != sha256.Sum256(old) {
			err = &staleError{path + " changed meanwhile: read it again"}
		} else {
			err = root.Rename(temp, target)
		}
	} else if err = root.Link(temp, target); errors.Is(err, fs.ErrExist) {
		err = &staleError{path + " was made by somebody else meanwhile: read it first"}
	} else if err != nil { // a file system without links
		err = root.Rename(temp, target)
	}
	_ = root.Remove(temp) // of a file that was renamed there is none
	if err != nil {
		return false, explain(path, err)
	}
	w.saw(path, []byte(content))
	return !exists, nil
}

// store writes a new file whole, or leaves none. A mode that is kept is not narrowed
// by the program's own mask.
func store(root *os.Root, name, content string, mode fs.FileMode, keep bool) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.WriteString(content)
	if err == nil && keep {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		_ = root.Remove(name)
	}
	return err
}

// fresh refuses a file that the model has not read, or that is not what it read.
func (w *workspace) fresh(path string, b []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch seen, ok := w.seen[path]; {
	case !ok:
		return &staleError{path + " exists and was not read yet: read it first"}
	case seen != sha256.Sum256(b):
		return &staleError{path + " changed since it was read: read it again"}
	}
	return nil
}
