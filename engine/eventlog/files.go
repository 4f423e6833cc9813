package eventlog

import (
	"bytes"
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
type Disk struct {
	// Volatile does not wait until what is written would outlive a power cut: for logs
	// that are thrown away with their folder. What a process reads is the same.
	Volatile bool
}

// Open implements Files. What is no regular file is a *SpecialFileError, here and in
// Read and Stream.
func (d Disk) Open(path string) (File, error) {
	f, err := openRegular(path, os.O_WRONLY|os.O_APPEND, os.Stat)
	if err != nil {
		return nil, err
	}
	if d.Volatile {
		return volatile{f}, nil
	}
	return f, nil
}

// volatile is a file that is not synced.
type volatile struct{ *os.File }

// Sync implements File.
func (volatile) Sync() error { return nil }

// Read implements Files.
func (Disk) Read(path string) ([]byte, error) {
	f, err := OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var b bytes.Buffer
	if info, err := f.Stat(); err == nil {
		b.Grow(int(info.Size()) + bytes.MinRead)
	}
	_, err = b.ReadFrom(f)
	return b.Bytes(), err
}

// Stream opens an existing file for reading.
func (Disk) Stream(path string) (io.ReadCloser, error) {
	f, err := OpenRegular(path)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Publish implements Files.
func (d Disk) Publish(path string, content []byte) (err error) {
	dir := filepath.Dir(path)
	if err := d.MkdirAll(dir); err != nil {
		return err
	}
	tmp, err := beside(path, content, !d.Volatile)
	if err != nil {
		return err
	}
	defer func() {
		if rerr := os.Remove(tmp); err == nil {
			err = rerr
		}
	}()
	// A link, unlike a rename, never takes the place of a file that exists.
	if err := os.Link(tmp, path); err != nil || d.Volatile {
		return err
	}
	return syncDir(dir)
}

// Replace puts a whole and durable file in the place of the one at path, which has
// either content at any time. Nobody writes it meanwhile: the caller holds the lock.
func Replace(path string, content []byte) error {
	tmp, err := beside(path, content, true)
	if err != nil {
		return err
	}
	if err := os.Rename(tmp, path); err != nil {
		return errors.Join(err, os.Remove(tmp))
	}
	return syncDir(filepath.Dir(path))
}

// beside writes a temporary file beside path, mode 0600, syncs it when it is to be
// durable, and returns its name.
func beside(path string, content []byte, durable bool) (string, error) {
	tmp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp")
	if err != nil {
		return "", err
	}
	_, err = tmp.Write(content)
	if durable && err == nil {
		err = tmp.Sync()
	}
	if err = errors.Join(err, tmp.Close()); err != nil {
		return "", errors.Join(err, os.Remove(tmp.Name()))
	}
	return tmp.Name(), nil
}

// MkdirAll makes a folder and its missing parents with mode 0700, and makes their
// names durable.
func MkdirAll(dir string) error { return Disk{}.MkdirAll(dir) }

// MkdirAll is the function of that name, on this disk.
func (d Disk) MkdirAll(dir string) error {
	if info, err := os.Stat(dir); err == nil {
		if !info.IsDir() {
			return &os.PathError{Op: "mkdir", Path: dir, Err: errors.New("not a folder")}
		}
		return nil
	}
	parent := filepath.Dir(dir)
	if parent != dir {
		if err := d.MkdirAll(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	if d.Volatile {
		return nil
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
