package contrib

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/dsh-hcl/dsh/config"
)

// MaxFileBytes is the size up to which a file is read at all, 16 MiB. It is far
// beyond any context window, but oversize cuts a file that it has seen whole.
const MaxFileBytes = 16 << 20

const byteOrderMark = "\ufeff"

// file yields a file's bytes as they are, without a byte order mark. An optional
// file that is absent is empty; one that cannot be read for another reason is an
// error all the same.
func file(c config.Contributor, files Files) source {
	return func() (string, error) {
		data, err := files.ReadFile(c.Path.V, MaxFileBytes)
		if errors.Is(err, fs.ErrNotExist) {
			if c.Optional.V {
				return "", nil
			}
			return "", &absentError{origin: c.Origin, err: err}
		}
		if err != nil {
			return "", fmt.Errorf("%s: %w", c.Origin, withoutPath(err))
		}
		content := string(data)
		if at := invalidUTF8(content); at >= 0 { // before the mark is dropped: the offset is the file's
			return "", &EncodingError{Origin: c.Origin, Offset: at}
		}
		return newlines(c, strings.TrimPrefix(content, byteOrderMark)), nil
	}
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
