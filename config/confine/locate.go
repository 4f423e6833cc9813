package confine

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// readFlags open without waiting for a writer of a pipe and without acquiring a
// terminal. They change nothing for a regular file.
const readFlags = os.O_RDONLY | syscall.O_NONBLOCK | syscall.O_NOCTTY

// maxLinks is how many symbolic links one path may go through, as on Linux.
const maxLinks = 40

// maxPath is how many bytes a path may have, as on Linux.
const maxPath = 4096

var errTooManyLinks = errors.New("too many symbolic links")

// place is where a path leads: rel below root, without symbolic links at the time
// of the look. info describes it.
type place struct {
	root *root
	rel  string
	info fs.FileInfo
}

// locate follows a path one component at a time, as the kernel does, but looks at
// the disk only below the roots. os.Root alone would refuse links with absolute
// targets and links from one root into another. Outside the roots components are
// followed by name only, so that "../sibling" can lead from one root to another.
//
// The answer may be stale when it is used; os.Root then still refuses to leave
// the root.
func (r *Reader) locate(path string) (place, error) {
	if !filepath.IsAbs(path) {
		return place{}, wrap("open", path, errors.New("not an absolute path"))
	}
	if len(path) > maxPath {
		return place{}, wrap("open", path[:maxPath], syscall.ENAMETOOLONG)
	}
	links := 0
	cur, pending := split(path)
	for len(pending) > 0 {
		name := pending[0]
		pending = pending[1:]
		if name == ".." {
			cur = filepath.Dir(cur)
			continue
		}
		cur = r.realName(filepath.Join(cur, name))
		root, rel := r.rootOf(cur)
		if root == nil || rel == "." {
			continue
		}
		info, err := root.dir.Lstat(rel)
		if err != nil {
			return place{}, wrap("open", path, err)
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			if !info.IsDir() && len(pending) > 0 {
				return place{}, wrap("open", path, syscall.ENOTDIR)
			}
			continue
		}
		if links++; links > maxLinks {
			return place{}, wrap("open", path, errTooManyLinks)
		}
		target, err := root.dir.Readlink(rel)
		if err != nil {
			return place{}, wrap("readlink", path, err)
		}
		top, more := split(target)
		if filepath.IsAbs(target) {
			cur = top
		} else {
			cur = filepath.Dir(cur)
		}
		pending = append(more, pending...)
	}
	root, rel := r.rootOf(cur)
	if root == nil {
		e := &EscapeError{Path: path, Roots: r.Roots()}
		if cur != filepath.Clean(path) {
			e.Target = cur
		}
		return place{}, e
	}
	info, err := root.dir.Lstat(rel)
	if err != nil {
		return place{}, wrap("open", path, err)
	}
	return place{root: root, rel: rel, info: info}, nil
}

// openRegular opens a place for reading and refuses what is not a regular file,
// before opening (a device may act on being opened) and after (it may have been
// swapped).
func (at place) openRegular(path string) (*os.File, error) {
	return openRegular(path, at.info, func() (*os.File, error) { return at.root.dir.OpenFile(at.rel, readFlags, 0) })
}

// openRegular is the same for whatever opens the file that info tells of.
func openRegular(path string, info fs.FileInfo, open func() (*os.File, error)) (*os.File, error) {
	if !info.Mode().IsRegular() {
		return nil, &NotRegularError{Path: path, Mode: info.Mode()}
	}
	f, err := open()
	if err != nil {
		return nil, wrap("open", path, err)
	}
	info, err = f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &NotRegularError{Path: path, Mode: info.Mode()}
	} else if err != nil {
		err = wrap("stat", path, err)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// realName turns the given spelling of a root into its real one.
func (r *Reader) realName(path string) string {
	for i := range r.roots {
		if r.roots[i].given == path {
			return r.roots[i].real
		}
	}
	return path
}

// rootOf returns the innermost root that a path is in by name, and the path
// relative to it; nil when there is none.
func (r *Reader) rootOf(path string) (*root, string) {
	var best *root
	var rest string
	for i := range r.roots {
		rel, ok := below(r.roots[i].real, path)
		if ok && (best == nil || len(r.roots[i].real) > len(best.real)) {
			best, rest = &r.roots[i], rel
		}
	}
	return best, rest
}

// below reports whether a clean path is a clean folder or in it by name, and
// where.
func below(dir, path string) (string, bool) {
	if dir == path {
		return ".", true
	}
	if !strings.HasSuffix(dir, string(filepath.Separator)) {
		dir += string(filepath.Separator)
	}
	return strings.CutPrefix(path, dir)
}

// split returns the top of a path (a separator, after a volume on Windows) and its
// components, ".." kept: only following links tells where that leads.
func split(path string) (top string, components []string) {
	volume := filepath.VolumeName(path)
	for _, c := range strings.FieldsFunc(path[len(volume):], isSeparator) {
		if c != "." {
			components = append(components, c)
		}
	}
	return volume + string(filepath.Separator), components
}

func isSeparator(c rune) bool { return c < 0x80 && os.IsPathSeparator(uint8(c)) }
