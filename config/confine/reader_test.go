package confine

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// tree makes files and links below a fresh folder: "name" → content, "name ->"
// → target of a symbolic link, "name/" → folder. BASE in a target is the folder.
func tree(t *testing.T, entries ...[2]string) string {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name, link := strings.CutSuffix(e[0], " ->")
		path := filepath.Join(base, name)
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		switch {
		case err != nil:
		case link:
			err = os.Symlink(strings.ReplaceAll(e[1], "BASE", base), path)
		case strings.HasSuffix(name, "/"):
			err = os.MkdirAll(path, 0o755)
		default:
			err = os.WriteFile(path, []byte(e[1]), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return base
}

func open(t *testing.T, roots ...string) *Reader {
	t.Helper()
	r, err := New(roots...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// The whole tree of the table below: two roots, "in" and "also", one root that
// is reached through a link, and things outside of them.
func forest(t *testing.T) string {
	return tree(t,
		[2]string{"in/a.txt", "alpha"},
		[2]string{"in/sub/b.txt", "beta"},
		[2]string{"in/empty", ""},
		[2]string{"also/c.txt", "gamma"},
		[2]string{"out/secret", "no"},
		[2]string{"in/to-a ->", "a.txt"},
		[2]string{"in/chain ->", "sub/../to-a"},
		[2]string{"in/absolute ->", "BASE/in/sub/b.txt"},
		[2]string{"in/across ->", "../also/c.txt"},
		[2]string{"in/folder ->", "sub"},
		[2]string{"in/upfolder ->", "../also"},
		[2]string{"in/escape ->", "../out/secret"},
		[2]string{"in/escape-absolute ->", "BASE/out/secret"},
		[2]string{"in/escape-late ->", "sub/way-out"},
		[2]string{"in/sub/way-out ->", "../../out/secret"},
		[2]string{"in/escape-folder ->", "../out"},
		[2]string{"in/dangling ->", "nothing"},
		[2]string{"in/loop ->", "loop"},
		[2]string{"in/ping ->", "pong"},
		[2]string{"in/pong ->", "ping"},
		[2]string{"real/d.txt", "delta"},
		[2]string{"real/up ->", "../also/c.txt"},
		[2]string{"via ->", "real"},
		[2]string{"in-spelt-alike", "no"},
	)
}

func TestReadFile(t *testing.T) {
	base := forest(t)
	r := open(t, base+"/in", base+"/also", base+"/via")
	for _, tt := range []struct {
		path string
		want string // content, or with a leading "!" the kind of error
	}{
		{"in/a.txt", "alpha"},
		{"in/empty", ""},
		{"in//./sub/b.txt", "beta"},
		{"in/sub/../a.txt", "alpha"},
		{"in/../also/c.txt", "gamma"},
		{"out/../in/a.txt", "alpha"},
		{"in/to-a", "alpha"},
		{"in/chain", "alpha"},
		{"in/absolute", "beta"},
		{"in/across", "gamma"},
		{"in/folder/b.txt", "beta"},
		{"in/folder/../a.txt", "alpha"},
		{"in/upfolder/c.txt", "gamma"},
		{"in/upfolder/../in/a.txt", "alpha"},
		{"via/d.txt", "delta"},
		{"real/d.txt", "delta"},
		{"via/up", "gamma"},
		{"via/../in/a.txt", "alpha"},

		{"out/secret", "!escape"},
		{"in/../out/secret", "!escape"},
		{"in/../../../../../../../../../../etc/passwd", "!escape"},
		{"in/escape", "!escape"},
		{"in/escape-absolute", "!escape"},
		{"in/escape-late", "!escape"},
		{"in/escape-folder/secret", "!escape"},
		{"in/folder/../../out/secret", "!escape"},
		{"in-spelt-alike", "!escape"},
		{"", "!escape"},
		{"in", "!not regular"},
		{"in/sub", "!not regular"},
		{"via", "!not regular"},
		{"in/missing", "!absent"},
		{"in/missing/../a.txt", "!absent"},
		{"in/dangling", "!absent"},
		{"in/a.txt/x", "!other"},
		{"in/a.txt/../a.txt", "!other"},
		{"in/loop", "!other"},
		{"in/ping", "!other"},
		{"in/nul\x00", "!other"},
	} {
		t.Run(tt.path, func(t *testing.T) {
			path := base + "/" + tt.path
			data, err := r.ReadFile(path, 100)
			got := string(data)
			if err != nil {
				got = "!" + kind(err)
				if !strings.Contains(err.Error(), path) {
					t.Errorf("error does not name the path: %v", err)
				}
			}
			if got != tt.want {
				t.Errorf("got %q (%v), want %q", got, err, tt.want)
			}
		})
	}
}

func kind(err error) string {
	var escape *EscapeError
	var irregular *NotRegularError
	var large *TooLargeError
	switch {
	case errors.As(err, &escape):
		return "escape"
	case errors.As(err, &irregular):
		return "not regular"
	case errors.As(err, &large):
		return "too large"
	case errors.Is(err, fs.ErrNotExist):
		return "absent"
	}
	return "other"
}

func TestEscapeNamesTargetAndRoots(t *testing.T) {
	base := forest(t)
	r := open(t, base+"/in", base+"/via")
	var e *EscapeError
	if _, err := r.ReadFile(base+"/in/escape-late", 100); !errors.As(err, &e) {
		t.Fatal(err)
	}
	if want := base + "/out/secret"; e.Target != want {
		t.Errorf("target %q, want %q", e.Target, want)
	}
	if want := []string{base + "/in", base + "/via"}; !slices.Equal(e.Roots, want) {
		t.Errorf("roots %q, want %q", e.Roots, want)
	}
	want := base + "/in/escape-late leads to " + base + "/out/secret, outside the folders that may be read (" + base + "/in, " + base + "/via)"
	if e.Error() != want {
		t.Errorf("message %q", e.Error())
	}
	if _, err := r.ReadFile(base+"/out/secret", 100); !errors.As(err, &e) || e.Target != "" {
		t.Errorf("a plain path has a target: %#v", e)
	}
}

func TestRelativePath(t *testing.T) {
	r := open(t, tree(t, [2]string{"a", "x"}))
	if _, err := r.ReadFile("a", 10); err == nil {
		t.Error("a relative path was read")
	}
	if _, err := New("relative"); err == nil {
		t.Error("a relative root was accepted")
	}
}

func TestNoRoots(t *testing.T) {
	path := tree(t, [2]string{"a", "x"}) + "/a"
	if _, err := open(t).ReadFile(path, 10); kind(err) != "escape" {
		t.Errorf("got %v", err)
	}
}

func TestRootIsNoFolder(t *testing.T) {
	base := tree(t, [2]string{"file", "x"})
	if _, err := New(base, base+"/file"); err == nil || !strings.Contains(err.Error(), base+"/file") {
		t.Errorf("a file as root: %v", err)
	}
	if _, err := New(base + "/absent"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an absent root: %v", err)
	}
}

// A link in one root to another root's given name leads into that root.
func TestNestedRoots(t *testing.T) {
	base := tree(t,
		[2]string{"data/x", "x"},
		[2]string{"ws/cfg ->", "BASE/data"},
		[2]string{"ws/inner/y ->", "../outer"},
		[2]string{"ws/outer", "outer"})
	r := open(t, base+"/ws", base+"/ws/cfg", base+"/ws/inner")
	for path, want := range map[string]string{"/ws/cfg/x": "x", "/data/x": "x", "/ws/inner/y": "outer"} {
		if data, err := r.ReadFile(base+path, 10); err != nil || string(data) != want {
			t.Errorf("%s: %q, %v", path, data, err)
		}
	}
}

func TestFileSystemRoot(t *testing.T) {
	base := tree(t, [2]string{"a", "x"})
	if data, err := open(t, "/").ReadFile(base+"/a", 10); err != nil || string(data) != "x" {
		t.Errorf("%q, %v", data, err)
	}
}

func TestLimit(t *testing.T) {
	base := tree(t, [2]string{"five", "12345"})
	r := open(t, base)
	for _, tt := range []struct {
		max int64
		ok  bool
	}{{-1, false}, {0, false}, {4, false}, {5, true}, {6, true}, {math.MaxInt64, true}} {
		data, err := r.ReadFile(base+"/five", tt.max)
		if tt.ok && (err != nil || string(data) != "12345") {
			t.Errorf("max %d: %q, %v", tt.max, data, err)
		}
		var large *TooLargeError
		if !tt.ok && (!errors.As(err, &large) || large.Size != 5 || large.Max != tt.max) {
			t.Errorf("max %d: %q, %v", tt.max, data, err)
		}
	}
}

// A sparse file of a tebibyte must be refused by its size, not read.
func TestHugeFile(t *testing.T) {
	base := tree(t, [2]string{"huge", ""})
	if err := os.Truncate(base+"/huge", 1<<40); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, base).ReadFile(base+"/huge", 1<<20); kind(err) != "too large" {
		t.Errorf("got %v", err)
	}
}

// endless is a file that is larger than it said.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	e.read += len(p)
	return len(p), nil
}

func TestReadStopsAtLimit(t *testing.T) {
	from := &endless{}
	_, err := readCapped(from, "/x", 10)
	if kind(err) != "too large" {
		t.Errorf("got %v", err)
	}
	if from.read != 11 {
		t.Errorf("read %d bytes of a limit of 10", from.read)
	}
}

func TestReadDir(t *testing.T) {
	base := tree(t,
		[2]string{"in/b", ""}, [2]string{"in/B", ""}, [2]string{"in/é", ""}, [2]string{"in/.dot", ""},
		[2]string{"in/a.link ->", "b"},
		[2]string{"in/folder/x", ""},
		[2]string{"in/folder.link ->", "folder"},
		[2]string{"in/dangling ->", "nothing"},
		[2]string{"in/escape ->", "../out"},
		[2]string{"out", ""})
	r := open(t, base+"/in")
	got, err := r.ReadDir(base + "/in")
	want := []string{".dot", "B", "a.link", "b", "dangling", "escape", "é"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	if got, err := r.ReadDir(base + "/in/folder.link"); err != nil || !slices.Equal(got, []string{"x"}) {
		t.Errorf("through a link: %q, %v", got, err)
	}
	if _, err := r.ReadDir(base); kind(err) != "escape" {
		t.Errorf("outside: %v", err)
	}
	if _, err := r.ReadDir(base + "/in/absent"); kind(err) != "absent" {
		t.Errorf("absent: %v", err)
	}
	if _, err := r.ReadDir(base + "/in/b"); err == nil {
		t.Error("a file was listed")
	}
}

func TestReadFolders(t *testing.T) {
	base := tree(t,
		[2]string{"in/file", ""}, [2]string{"in/b/x", ""}, [2]string{"in/A/x", ""}, [2]string{"in/.dot/x", ""},
		[2]string{"in/file.link ->", "file"},
		[2]string{"in/folder.link ->", "b"},
		[2]string{"in/dangling ->", "nothing"},
		[2]string{"in/escape ->", "../out"},
		[2]string{"in/loop ->", "loop"},
		[2]string{"out/x", ""})
	r := open(t, base+"/in")
	for links, want := range map[bool][]string{false: {".dot", "A", "b"}, true: {".dot", "A", "b", "escape", "folder.link", "loop"}} {
		if got, err := r.ReadFolders(base+"/in", links); err != nil || !slices.Equal(got, want) {
			t.Errorf("links %v: got %q, %v, want %q", links, got, err, want)
		}
	}
	if _, err := r.ReadFolders(base, false); kind(err) != "escape" {
		t.Errorf("outside: %v", err)
	}
	if _, err := r.ReadFolders(base+"/in/absent", true); kind(err) != "absent" {
		t.Errorf("absent: %v", err)
	}
}

func TestExists(t *testing.T) {
	base := forest(t)
	r := open(t, base+"/in")
	for path, want := range map[string]bool{
		"/in": true, "/in/sub": true, "/in/a.txt": true, "/in/chain": true,
		"/in/missing": false, "/in/dangling": false, "/in/missing/x": false,
	} {
		if got, err := r.Exists(base + path); got != want || err != nil {
			t.Errorf("%s: %v, %v", path, got, err)
		}
	}
	if got, err := r.Exists(base + "/in/escape"); got || kind(err) != "escape" {
		t.Errorf("escape: %v, %v", got, err)
	}
}

// What locate found may be swapped before it is opened: os.Root still refuses.
func TestSwappedForLinkOutside(t *testing.T) {
	base := forest(t)
	r := open(t, base+"/in")
	at, err := r.locate(base + "/in/sub/b.txt")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(base+"/in/sub", base+"/in/moved"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(base+"/out/b.txt", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(base+"/out", base+"/in/sub"); err != nil {
		t.Fatal(err)
	}
	if f, err := at.openRegular(base + "/in/sub/b.txt"); err == nil {
		f.Close()
		t.Error("opened a file outside the root")
	}
}

// TestLongPaths: a path is followed element by element, so its length is bounded.
func TestLongPaths(t *testing.T) {
	r, err := New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := r.ReadFile(strings.Repeat("/a", 100_000), 10); !errors.Is(err, syscall.ENAMETOOLONG) {
		t.Errorf("%.200v", err)
	}
}
