// Package confine reads files below trusted folders and nowhere else. It promises
// that a path, a symbolic link or a race cannot make it read outside them, that a
// pipe or a device cannot make it wait, and that no file is read beyond the limit
// the caller states. It writes nothing.
package confine

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// Reader reads regular files and lists folders below its roots. It holds the
// folders open, so a root that is renamed later is still the folder it was. A
// Reader is safe for concurrent use until Close.
type Reader struct {
	roots []root
}

// root is one trusted folder.
type root struct {
	given string // as the caller spelt it, cleaned
	real  string // without symbolic links
	dir   *os.Root
}

// New opens a Reader on folders, given as absolute paths. A root may itself be
// reached through symbolic links; paths below either spelling are accepted. With
// no roots every read is an escape. Errors name the root: it is not absolute, it
// does not exist (fs.ErrNotExist), it is not a folder.
func New(roots ...string) (*Reader, error) {
	r := &Reader{}
	for _, given := range roots {
		if err := r.add(given); err != nil {
			return nil, errors.Join(fmt.Errorf("trusted folder %s: %w", given, err), r.Close())
		}
	}
	return r, nil
}

func (r *Reader) add(given string) error {
	if !filepath.IsAbs(given) {
		return errors.New("not an absolute path")
	}
	real, err := filepath.EvalSymlinks(given)
	if err != nil {
		return reason(err)
	}
	dir, err := os.OpenRoot(real)
	if err != nil {
		return reason(err)
	}
	r.roots = append(r.roots, root{given: filepath.Clean(given), real: real, dir: dir})
	return nil
}

// Close releases the roots.
func (r *Reader) Close() error {
	var errs []error
	for _, root := range r.roots {
		errs = append(errs, root.dir.Close())
	}
	return errors.Join(errs...)
}

// Roots returns the trusted folders as New was given them. The slice is the
// caller's.
func (r *Reader) Roots() []string {
	var out []string
	for _, root := range r.roots {
		out = append(out, root.given)
	}
	return out
}

// ReadFile returns the whole content of the regular file at an absolute path, at
// most max bytes. Errors: *EscapeError, *NotRegularError, *TooLargeError, and
// *fs.PathError with the path as it was given (fs.ErrNotExist among others).
func (r *Reader) ReadFile(path string, max int64) ([]byte, error) {
	at, err := r.locate(path)
	if err != nil {
		return nil, err
	}
	f, err := at.openRegular(path)
	return readAll(f, err, path, max)
}

// ReadFile is Reader.ReadFile for a file that a person named or that is the program's
// own, wherever it lies: it waits for no writer and reads no device. Errors:
// *NotRegularError, *TooLargeError, *fs.PathError.
func ReadFile(path string, max int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	f, err := openRegular(path, info, func() (*os.File, error) { return os.OpenFile(path, readFlags, 0) })
	return readAll(f, err, path, max)
}

// readAll reads and closes a file that was opened, unless err says that it was not.
func readAll(f *os.File, err error, path string, max int64) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, wrap("stat", path, err)
	}
	if info.Size() > max {
		return nil, &TooLargeError{Path: path, Size: info.Size(), Max: max}
	}
	return readCapped(f, path, max)
}

// readCapped reads to the end and trusts no size that was reported before: a file
// that grows meanwhile, or states no size, is still held to max.
func readCapped(from io.Reader, path string, max int64) ([]byte, error) {
	limit := max
	if limit < math.MaxInt64 {
		limit++ // one byte more tells "exactly max" from "too large"
	}
	data, err := io.ReadAll(io.LimitReader(from, limit))
	if err != nil {
		return nil, wrap("read", path, err)
	}
	if n := int64(len(data)); n > max {
		return nil, &TooLargeError{Path: path, Size: n, Max: max}
	}
	return data, nil
}

// ReadDir returns the base names of the files that are direct children of the
// folder at an absolute path, in byte order. Files are regular files and symbolic
// links to them; a link that leaves the roots or leads nowhere is listed as well,
// so that reading it reports the problem instead of the file being overlooked.
// Folders, pipes and devices are left out. Errors: *EscapeError, *fs.PathError.
func (r *Reader) ReadDir(path string) ([]string, error) {
	entries, err := r.entries(path)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		switch {
		case e.Type().IsRegular():
			names = append(names, e.Name())
		case e.Type()&fs.ModeSymlink != 0:
			to, err := r.locate(filepath.Join(path, e.Name()))
			if err != nil || to.info.Mode().IsRegular() {
				names = append(names, e.Name())
			}
		}
	}
	slices.Sort(names)
	return names, nil
}

// ReadFolders returns the base names of the folders that are direct children of the
// folder at an absolute path, in byte order. links says whether symbolic links to
// folders count; then one that leaves the roots counts as well, so that reading in it
// reports the problem. One that leads nowhere never does. Errors: *EscapeError,
// *fs.PathError.
func (r *Reader) ReadFolders(path string, links bool) ([]string, error) {
	entries, err := r.entries(path)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		folder := e.IsDir()
		if links && e.Type()&fs.ModeSymlink != 0 {
			to, err := r.locate(filepath.Join(path, e.Name()))
			folder = err == nil && to.info.IsDir() || err != nil && !errors.Is(err, fs.ErrNotExist)
		}
		if folder {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names, nil
}

// entries lists the folder at an absolute path.
func (r *Reader) entries(path string) ([]fs.DirEntry, error) {
	at, err := r.locate(path)
	if err != nil {
		return nil, err
	}
	if !at.info.IsDir() {
		return nil, wrap("readdir", path, syscall.ENOTDIR)
	}
	f, err := at.root.dir.OpenFile(at.rel, readFlags, 0)
	if err != nil {
		return nil, wrap("open", path, err)
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	if err != nil {
		return nil, wrap("readdir", path, err)
	}
	return entries, nil
}

// Exists reports whether something of any kind is at an absolute path, after
// links were followed. Absence is no error; *EscapeError is, and so is whatever
// keeps the question from being answered.
func (r *Reader) Exists(path string) (bool, error) {
	_, err := r.locate(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}
