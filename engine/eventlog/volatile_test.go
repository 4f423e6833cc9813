package eventlog_test

import (
	"errors"
	"io/fs"
	"path/filepath"
	"testing"

	"github.com/dsh-hcl/dsh/engine/eventlog"
)

// A volatile disk differs from a durable one in nothing that a process can read.
func TestVolatile(t *testing.T) {
	for _, disk := range []eventlog.Disk{{}, {Volatile: true}} {
		path := filepath.Join(t.TempDir(), "a", "b", "log.jsonl")
		if err := disk.Publish(path, []byte("one\n")); err != nil {
			t.Fatal(err)
		}
		if err := disk.Publish(path, []byte("other\n")); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%+v: a second file at the same place: %v", disk, err)
		}
		if left, err := filepath.Glob(path + ".*"); err != nil || len(left) > 0 {
			t.Errorf("%+v: %v is left, %v", disk, left, err)
		}
		f, err := disk.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte("two\nthree\n")); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(f.Truncate(8), f.Sync(), f.Close()); err != nil {
			t.Fatal(err)
		}
		if b, err := disk.Read(path); err != nil || string(b) != "one\ntwo\n" {
			t.Errorf("%+v: the file holds %q, %v", disk, b, err)
		}
	}
}
