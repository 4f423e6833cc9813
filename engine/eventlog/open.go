package eventlog

import (
	"io/fs"
	"os"
)

// OpenRegular opens the regular file at path for reading. It waits for nothing.
// Errors: *SpecialFileError for what is no regular file; those of the file system.
func OpenRegular(path string) (*os.File, error) { return openRegular(path, os.O_RDONLY, os.Stat) }

// openRegular opens a file that must be a regular one. look is os.Stat, or os.Lstat
// where a link is refused like everything else.
func openRegular(path string, flag int, look func(string) (fs.FileInfo, error)) (*os.File, error) {
	// Opening has side effects on some devices, and the system's error names no kind.
	info, err := look(path)
	if err != nil {
		return nil, err
	}
	if err := regular(path, info); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, flag|noWait, 0)
	if err != nil {
		return nil, err
	}
	// It may have been replaced since.
	opened, err := f.Stat()
	if err == nil {
		err = regular(path, opened)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// regular refuses what is no regular file.
func regular(path string, info fs.FileInfo) error {
	if info.Mode().IsRegular() {
		return nil
	}
	return &SpecialFileError{Path: path, Mode: info.Mode()}
}
