package confine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzReadFile walks the forest along arbitrary components. Whatever the way,
// nothing outside the roots is read, and what the kernel reads inside them is
// read with the same content.
func FuzzReadFile(f *testing.F) {
	steps := []string{"..", ".", "in", "also", "out", "real", "via", "sub", "a.txt", "b.txt", "c.txt", "d.txt", "secret",
		"to-a", "chain", "absolute", "across", "folder", "upfolder", "escape", "escape-absolute", "escape-late",
		"way-out", "escape-folder", "dangling", "loop", "ping", "up", "in-spelt-alike", "missing"}
	for _, path := range []string{"in/chain", "in/folder/../a.txt", "via/up", "in/escape-late", "via/../out/../in/upfolder/../real/d.txt"} {
		var seed []byte
		for _, name := range strings.Split(path, "/") {
			for i, s := range steps {
				if s == name {
					seed = append(seed, byte(i))
				}
			}
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, choice []byte) {
		if len(choice) > 20 {
			return
		}
		base := forest(t)
		r := open(t, base+"/in", base+"/also", base+"/via")
		path := base
		for _, c := range choice {
			path += "/" + steps[int(c)%len(steps)]
		}
		got, err := r.ReadFile(path, 100)
		if err == nil && string(got) == "no" {
			t.Fatalf("%s was read", path)
		}
		want, kernelErr := os.ReadFile(path)
		if kernelErr != nil || string(want) == "no" {
			return
		}
		real, kernelErr := filepath.EvalSymlinks(path)
		if kernelErr != nil || !strings.HasPrefix(real, base+"/") {
			return
		}
		if err != nil || string(got) != string(want) {
			t.Fatalf("%s: got %q, %v, the kernel reads %q at %s", path, got, err, want, real)
		}
	})
}
