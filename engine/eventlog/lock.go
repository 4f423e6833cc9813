package eventlog

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/gofrs/flock"
)

// Holder says who holds a lock.
type Holder struct {
	PID   int
	Host  string
	Since int64 // Unix milliseconds
}

func (h Holder) raw() string {
	var o canon.Object
	o.Int("pid", int64(h.PID))
	o.String("host", h.Host)
	o.Int("since", h.Since)
	return o.End()
}

// Lock is the exclusive right to write one session. A process that dies loses
// it, whatever the lock file says.
type Lock struct{ f *flock.Flock }

// Acquire takes the lock beside a log without waiting. Errors: *BusyError when
// another holder has it; *SpecialFileError when the lock is no regular file.
func Acquire(logPath string, holder Holder) (*Lock, error) {
	path := lockPath(logPath)
	if err := MkdirAll(filepath.Dir(path)); err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	if info, err := os.Lstat(path); err == nil {
		if err := regular(path, info); err != nil {
			return nil, fmt.Errorf("lock: %w", err)
		}
	}
	f := flock.New(path, flock.SetPermissions(0o600), flock.SetFlag(os.O_CREATE|os.O_RDWR|noWait|noFollow))
	ok, err := f.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	if !ok {
		return nil, busy(logPath)
	}
	if err := sign(f, holder); err != nil {
		if errors.Is(err, errReplaced) {
			err = busy(logPath)
		} else {
			err = fmt.Errorf("lock: %w", err)
		}
		return nil, errors.Join(err, f.Unlock())
	}
	return &Lock{f}, nil
}

// errReplaced is a lock on a file that lost its name meanwhile, which excludes nobody.
var errReplaced = errors.New("the lock was removed or replaced")

// sign writes the holder into the file that is locked.
func sign(f *flock.Flock, holder Holder) error {
	w, err := openRegular(f.Path(), os.O_WRONLY|noFollow, os.Lstat)
	if errors.Is(err, fs.ErrNotExist) {
		return errReplaced
	}
	if err != nil {
		return err
	}
	locked, err := f.Stat()
	if err != nil {
		return errors.Join(err, w.Close())
	}
	named, err := w.Stat()
	if err != nil {
		return errors.Join(err, w.Close())
	}
	if !os.SameFile(locked, named) {
		return errors.Join(errReplaced, w.Close())
	}
	if err := w.Truncate(0); err != nil {
		return errors.Join(err, w.Close())
	}
	_, err = w.WriteString(holder.raw() + "\n")
	return errors.Join(err, w.Close())
}

// busy says who holds the lock of a log, as far as its file tells.
func busy(logPath string) error {
	busy := &BusyError{Path: logPath}
	f, err := openRegular(lockPath(logPath), os.O_RDONLY|noFollow, os.Lstat)
	if err != nil {
		return busy
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxHolder))
	if err != nil {
		return busy
	}
	if v, err := canon.Parse(string(b)); err == nil {
		busy.PID, _ = v.Get("pid").Int()
		busy.Host, _ = v.Get("host").Text()
		if ms, ok := v.Get("since").Int(); ok {
			busy.Since = time.UnixMilli(ms)
		}
	}
	return busy
}

// maxHolder bounds what is read of a lock, in bytes.
const maxHolder = 4096

// Release gives the lock back. The file stays: removing it would let two
// processes hold locks on two files of one name.
func (l *Lock) Release() error { return l.f.Unlock() }

func lockPath(logPath string) string {
	return logPath[:len(logPath)-len(filepath.Ext(logPath))] + ".lock"
}
