//go:build unix

package eventlog_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/eventlog"
	"github.com/dsh-hcl/dsh/engine/msg"
)

// within fails the test when f waits, as opening a pipe in the usual way does.
func within(t *testing.T, f func() error) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-time.After(10 * time.Second):
		t.Fatal("it waits")
		return nil
	}
}

func wantSpecial(t *testing.T, err error, path, what string) {
	t.Helper()
	var special *eventlog.SpecialFileError
	if !errors.As(err, &special) || special.Path != path || !strings.Contains(err.Error(), path+" is "+what) || msg.CodeOf(err) != "FILE_SPECIAL" {
		t.Errorf("error %v, want one that says that %s is %s", err, path, what)
	}
}

// What lies in the place of a lock and is no regular file is refused: a pipe is not
// waited for, and a link does not lead the lock's text into another file.
func TestLockIsRegular(t *testing.T) {
	dir := t.TempDir()
	log, lock, other := filepath.Join(dir, "s.jsonl"), filepath.Join(dir, "s.lock"), filepath.Join(dir, "other")
	if err := os.WriteFile(other, []byte("keep"), 0o600); err != nil {
		t.Fatal(err)
	}
	for what, make := range map[string]func() error{
		"a pipe":   func() error { return syscall.Mkfifo(lock, 0o600) },
		"a link":   func() error { return os.Symlink(other, lock) },
		"a folder": func() error { return os.Mkdir(lock, 0o700) },
	} {
		if err := make(); err != nil {
			t.Fatal(err)
		}
		wantSpecial(t, within(t, func() error {
			_, err := eventlog.Acquire(log, eventlog.Holder{PID: 7})
			return err
		}), lock, what)
		if err := os.Remove(lock); err != nil {
			t.Fatal(err)
		}
	}
	// A link that leads nowhere makes no file there.
	if err := os.Symlink(filepath.Join(dir, "new"), lock); err != nil {
		t.Fatal(err)
	}
	_, err := eventlog.Acquire(log, eventlog.Holder{PID: 7})
	wantSpecial(t, err, lock, "a link")
	if _, err := os.Stat(filepath.Join(dir, "new")); err == nil {
		t.Error("the lock was made behind the link")
	}
	if b, err := os.ReadFile(other); string(b) != "keep" {
		t.Errorf("the other file is %q, %v", b, err)
	}
}

// A log that is a pipe is neither waited for by who reads it nor by who opens it.
func TestLogIsRegular(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	opts := eventlog.Options{Files: eventlog.Disk{}, Now: func() int64 { return 0 }}
	for name, f := range map[string]func() error{
		"read":   func() error { _, _, err := eventlog.Read(eventlog.Disk{}, path); return err },
		"walk":   func() error { _, err := eventlog.WalkFile(eventlog.Disk{}, path, nothing); return err },
		"open":   func() error { _, _, err := eventlog.Open(path, opts); return err },
		"append": func() error { _, err := eventlog.Disk{}.Open(path); return err },
	} {
		t.Run(name, func(t *testing.T) { wantSpecial(t, within(t, f), path, "a pipe") })
	}
}

func nothing(event.Event, int64) error { return nil }
