package contrib

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/config/prompt"
)

// MaxFileBytes is the size up to which a file is read at all, 16 MiB. It is far
// beyond any context window, but oversize cuts a file that it has seen whole.
const MaxFileBytes = 16 << 20

const byteOrderMark = "\ufeff"

// file yields a file's bytes as they are, without a byte order mark. An optional
// file that is absent is empty; one that cannot be read for another reason is an
// error all the same.
func file(c config.Contributor, o Options) source {
	return one(func() (string, error) {
		text, err := read(o.Files, c.Path.V, c.Origin)
		if c.Optional.V && errors.Is(err, fs.ErrNotExist) {
			return "", nil
		}
		return newlines(c, text), err
	})
}

// read returns the text of a file without a byte order mark. origin names it in
// errors, which are *absentError, *EncodingError or what Files returned.
func read(files prompt.Files, path, origin string) (string, error) {
	data, err := files.ReadFile(path, MaxFileBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return "", &absentError{origin: origin, err: err}
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", origin, withoutPath(err))
	}
	text := string(data)
	if err := checkText(origin, text); err != nil { // before the mark is dropped: the offset is the file's
		return "", err
	}
	return strings.TrimPrefix(text, byteOrderMark), nil
}

// absentError says what is missing by its origin: the reason of a skip is logged,
// and where a project lies on a machine has no place there.
type absentError struct {
	origin string
	err    error
}

func (e *absentError) Error() string { return e.origin + " does not exist" }
func (e *absentError) Unwrap() error { return e.err }

// withoutPath drops the absolute path from an error of the file system.
func withoutPath(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
