package hclfile

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/dsh-hcl/dsh/config/diag"
)

// unreadable reports a file that could not be read.
func (l *loader) unreadable(path string, err error, at diag.Range, what string) {
	summary := "File cannot be read"
	if errors.Is(err, fs.ErrNotExist) {
		summary = "File not found"
	}
	l.errorf(at, summary, "The %s", sentence(whyUnreadable(&l.opts, path, err, what)))
}

// whyUnreadable says why a file could not be read and what to do, as a sentence
// without its article and its end. what says which file it is: "template".
func whyUnreadable(opts *Options, path string, err error, what string) string {
	name := what + " " + opts.shown(path)
	var outside Outside
	switch {
	case errors.Is(err, fs.ErrNotExist) && what == "folder":
		return name + absentFolder(opts, path)
	case errors.Is(err, fs.ErrNotExist):
		return name + absence(opts, path)
	case errors.As(err, &outside):
		is := " is"
		if target := outside.Outside(); target != "" {
			is = " leads to " + opts.shown(target) + ","
		}
		return name + is + " outside the folders that may be read. Move it below the configuration folder or the workspace, or add its folder to trusted_paths in the machine's settings"
	}
	switch {
	case errors.Is(err, fs.ErrPermission):
		return name + " may not be read: its permissions, or those of a folder above it, forbid it"
	case errors.Is(err, syscall.ELOOP):
		return name + " is a symbolic link that leads in a circle"
	case errors.Is(err, syscall.ENOTDIR) && what == "folder":
		return name + " is a file, not a folder"
	}
	return what + " cannot be read: " + strings.ReplaceAll(err.Error(), path, opts.shown(path))
}

// absence says how a file is not there, with the nearest name beside it. A name
// that is listed and cannot be followed is a link to nothing.
func absence(opts *Options, path string) string {
	names, err := opts.Files.ReadDir(filepath.Dir(path))
	names = slices.DeleteFunc(names, func(name string) bool { return !isPlain(name) })
	if slices.Contains(names, filepath.Base(path)) {
		return " is a symbolic link that leads nowhere"
	}
	if err == nil {
		names = slices.DeleteFunc(names, isConfiguration)
		return " does not exist." + didYouMean(filepath.Base(path), names)
	}
	for dir := filepath.Dir(path); dir != filepath.Dir(dir) && errors.Is(err, fs.ErrNotExist); dir = filepath.Dir(dir) {
		if names, err = opts.Files.ReadDir(filepath.Dir(dir)); slices.Contains(names, filepath.Base(dir)) {
			return " does not exist: " + opts.shown(dir) + " is a symbolic link that leads nowhere"
		}
	}
	return " does not exist"
}

// absentFolder is absence for a folder, with the nearest folder beside it.
func absentFolder(opts *Options, path string) string {
	names, err := opts.Files.ReadFolders(filepath.Dir(path), true)
	if err != nil || slices.Contains(names, filepath.Base(path)) {
		return absence(opts, path)
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !isPlain(name) })
	return " does not exist." + didYouMean(filepath.Base(path), names)
}

// isConfiguration reports names of configuration files, which are nothing else.
func isConfiguration(name string) bool {
	return name == mainFile || strings.HasSuffix(name, "."+mainFile)
}
