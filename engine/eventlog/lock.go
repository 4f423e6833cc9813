package eventlog

import (
	"fmt"
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
// another holder has it.
func Acquire(logPath string, holder Holder) (*Lock, error) {
	path := lockPath(logPath)
	if err := MkdirAll(filepath.Dir(path)); err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	f := flock.New(path, flock.SetPermissions(0o600))
	ok, err := f.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	if !ok {
		busy := &BusyError{Path: logPath}
		if b, err := os.ReadFile(path); err == nil {
			if v, err := canon.Parse(string(b)); err == nil {
				busy.PID, _ = v.Get("pid").Int()
				busy.Host, _ = v.Get("host").Text()
				if ms, ok := v.Get("since").Int(); ok {
					busy.Since = time.UnixMilli(ms)
				}
			}
		}
		return nil, busy
	}
	if err := os.WriteFile(path, []byte(holder.raw()+"\n"), 0o600); err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	return &Lock{f}, nil
}

// Release gives the lock back. The file stays: removing it would let two
// processes hold locks on two files of one name.
func (l *Lock) Release() error { return l.f.Unlock() }

func lockPath(logPath string) string {
	return logPath[:len(logPath)-len(filepath.Ext(logPath))] + ".lock"
}
