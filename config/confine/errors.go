package confine

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// EscapeError refuses a path that is not below a trusted folder, or that a
// symbolic link leads out of them. Target is where it leads when that differs
// from Path.
type EscapeError struct {
	Path   string
	Target string
	Roots  []string
}

func (e *EscapeError) Error() string {
	what := e.Path + " is"
	if e.Target != "" {
		what = e.Path + " leads to " + e.Target + ","
	}
	if len(e.Roots) == 0 {
		return what + " outside the folders that may be read (there are none)"
	}
	return what + " outside the folders that may be read (" + strings.Join(e.Roots, ", ") + ")"
}

// Outside returns Target, for a caller that tells of the error in its own words.
func (e *EscapeError) Outside() string { return e.Target }

// NotRegularError refuses what is not a regular file: a folder, a pipe, a device,
// a socket.
type NotRegularError struct {
	Path string
	Mode fs.FileMode
}

func (e *NotRegularError) Error() string {
	kind := "not a regular file"
	switch e.Mode.Type() {
	case fs.ModeDir:
		kind = "a folder, not a file"
	case fs.ModeNamedPipe:
		kind = "a pipe, not a regular file"
	case fs.ModeSocket:
		kind = "a socket, not a regular file"
	case fs.ModeDevice, fs.ModeDevice | fs.ModeCharDevice:
		kind = "a device, not a regular file"
	}
	return e.Path + " is " + kind
}

// TooLargeError refuses a file of more than Max bytes. Size is what is known of
// its size in bytes, and more than Max.
type TooLargeError struct {
	Path string
	Size int64
	Max  int64
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%s is too large: at least %d bytes, the limit is %d", e.Path, e.Size, e.Max)
}

// reason strips the operation and the spelling of the path that a system call
// saw, which mean nothing to the caller.
func reason(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// wrap gives a system error the path as the caller spelt it.
func wrap(op, path string, err error) error {
	return &fs.PathError{Op: op, Path: path, Err: reason(err)}
}
