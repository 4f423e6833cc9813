package builtin_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dsh-hcl/dsh/engine/tool/builtin"
)

// A folder that turns into a link on the way never leads a tool outside.
func TestRaceStaysInside(t *testing.T) {
	b := newBench(t, builtin.Options{})
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "x"), []byte("from outside"), 0o644); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(b.dir, "sub")
	stop := make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			_ = os.Symlink(outside, link)
			_ = os.Remove(link)
			_ = os.Mkdir(link, 0o755)
			_ = os.WriteFile(filepath.Join(link, "x"), []byte("inside"), 0o644)
			_ = os.RemoveAll(link)
		}
	})
	for end := time.Now().Add(300 * time.Millisecond); time.Now().Before(end); {
		read, _ := b.call("read", "path", "sub/x")
		found, _ := b.call("grep", "pattern", "outside", "path", "sub")
		if strings.Contains(read, "from outside") || strings.Contains(found, "from outside") {
			t.Fatal(read, found)
		}
		b.call("write", "path", "sub/new", "content", "mine")
	}
	close(stop)
	wait.Wait()
	if _, err := os.Stat(filepath.Join(outside, "new")); err == nil {
		t.Error("a file was written outside")
	}
}

// Of a tool and somebody else that create one file in the same moment, one does.
func TestCreationsDoNotMeet(t *testing.T) {
	b := newBench(t, builtin.Options{})
	for i := range 300 {
		name := fmt.Sprintf("new%d", i)
		var other error
		var wait sync.WaitGroup
		wait.Go(func() {
			f, err := os.OpenFile(filepath.Join(b.dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
			if other = err; err == nil {
				f.Close()
			}
		})
		text, code := b.call("write", "path", name, "content", "mine")
		wait.Wait()
		if (code == "") == (other == nil) {
			t.Fatalf("%q (%s) and %v", text, code, other)
		}
	}
}
