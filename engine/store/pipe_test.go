//go:build unix

package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dsh-hcl/dsh/engine/eventlog"
)

// Nobody writes to the pipe: a reader that opens it in the usual way waits for
// ever, and the test with it.
func TestListDoesNotWaitForPipes(t *testing.T) {
	p := newPlace(t)
	kept := p.session("kept", "/work")
	if err := syscall.Mkfifo(filepath.Join(filepath.Dir(kept.Path), "pipe.jsonl"), 0o600); err != nil {
		t.Fatal(err)
	}
	entries, skipped, err := p.store().List()
	if err != nil || skipped != 1 || len(entries) != 1 {
		t.Errorf("%v, %d skipped, %v", entries, skipped, err)
	}
}

// Nor does whoever looks for a session: the pipe is the newest of its workspace, and
// what its name says is looked for.
func TestFindDoesNotWaitForPipes(t *testing.T) {
	p := newPlace(t)
	path := p.path("/work", "pipe")
	kept := p.session("kept", "/work")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(path, later, later); err != nil {
		t.Fatal(err)
	}
	for _, ref := range []string{"last", "pipe", "pi"} {
		_, err := p.store().Find(ref, "/work")
		var special *eventlog.SpecialFileError
		if !errors.As(err, &special) || special.Path != path {
			t.Errorf("%q: error %v", ref, err)
		}
	}
	// A lock that is a pipe keeps nobody waiting either.
	lock := strings.TrimSuffix(kept.Path, ".jsonl") + ".lock"
	if err := errors.Join(os.Remove(lock), syscall.Mkfifo(lock, 0o600)); err != nil {
		t.Fatal(err)
	}
	var special *eventlog.SpecialFileError
	if _, err := p.store().Resume(kept); !errors.As(err, &special) || special.Path != lock {
		t.Errorf("error %v", err)
	}
}
