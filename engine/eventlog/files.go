package eventlog

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// File is an open log file. Write appends.
type File interface {
	io.Writer
	io.Closer
	Sync() error
	Truncate(size int64) error
}

// Files is the file system as a log needs it; tests put one in that fails or
// forgets. Paths are absolute.
type Files interface {
	// Open opens an existing file for appending.
	Open(path string) (File, error)
	// Publish makes a new file with that content appear at path whole and
	// durable, or fails with fs.ErrExist when path is taken. Folders are made as
	// needed, readable by the owner only.
	Publish(path string, content []byte) error
	// Read returns the whole content. A file system that also has a method
	// Stream(path string) (io.ReadCloser, error) is asked for that instead where
	// a log is read line by line.
	Read(path string) ([]byte, error)
}

// Disk is the real file system.
type Disk struct{}

// Open implements Files.
func (Disk) Open(path string) (File, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
}

// Read implements Files.
func (Disk) Read(path string) ([]byte, error) { return os.ReadFile(path) }

// Stream opens an existing file for reading.
func (Disk) Stream(path string) (io.ReadCloser, error) { return os.Open(path) }

// Publish implements Files.
func (Disk) Publish(path string, content []byte) (err error) {
	dir := filepath.Dir(path)
	if err := MkdirAll(dir); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(dir, filepath.Base(path)+".*.tmp") // mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if rerr := os.Remove(tmp.Name()); err == nil {
			err = rerr
		}
	}()
	_, err = tmp.Write(content)
	err = errors.Join(err, tmp.Sync(), tmp.Close())
	if err != nil {
		return err
	}
	// A link, unlike a rename, never takes the place of a file that exists.
	if err := os.Link(tmp.Name(), path); err != nil {
		return err
	}
	return syncDir(dir)
}

// MkdirAll makes a folder and its missing parents with mode 0700, and makes their
// names durable.
func MkdirAll(dir string) error {
	if info, err := os.Stat(dir); err == nil {
		if !info.IsDir() {
			return &os.PathError{Op: "mkdir", Path: dir, Err: errors.New("not a folder")}
		}
		return nil
	}
	parent := filepath.Dir(dir)
	if parent != dir {
		if err := MkdirAll(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return syncDir(parent)
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
