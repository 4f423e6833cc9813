//go:build unix

package confine

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"slices"
	"syscall"
	"testing"
)

// Nobody writes to the pipe: a reader that opens it in the usual way waits for
// ever, and the test with it.
func TestPipeDoesNotBlock(t *testing.T) {
	base := tree(t, [2]string{"a", "x"}, [2]string{"to-pipe ->", "pipe"})
	if err := syscall.Mkfifo(base+"/pipe", 0o644); err != nil {
		t.Fatal(err)
	}
	r := open(t, base)
	for _, path := range []string{"/pipe", "/to-pipe"} {
		var e *NotRegularError
		if _, err := r.ReadFile(base+path, 10); !errors.As(err, &e) || e.Mode.Type() != fs.ModeNamedPipe {
			t.Errorf("%s: got %v", path, err)
		}
	}
	if got, err := r.ReadDir(base); err != nil || !slices.Equal(got, []string{"a"}) {
		t.Errorf("listing: %q, %v", got, err)
	}
}

func TestSwappedForPipe(t *testing.T) {
	base := tree(t, [2]string{"a", "x"})
	r := open(t, base)
	at, err := r.locate(base + "/a")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(base + "/a"); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(base+"/a", 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := at.openRegular(base + "/a"); kind(err) != "not regular" {
		t.Errorf("got %v", err)
	}
}

func TestDevice(t *testing.T) {
	if _, err := open(t, "/dev").ReadFile("/dev/null", 10); kind(err) != "not regular" {
		t.Errorf("got %v", err)
	}
}

func TestSocket(t *testing.T) {
	dir, err := os.MkdirTemp("", "s") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	l, err := net.Listen("unix", dir+"/s")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := open(t, dir).ReadFile(dir+"/s", 10); kind(err) != "not regular" {
		t.Errorf("got %v", err)
	}
}
