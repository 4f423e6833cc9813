//go:build unix

package store_test

import (
	"path/filepath"
	"syscall"
	"testing"
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
