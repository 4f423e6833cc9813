//go:build unix

package builtin_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/permit"
	"github.com/dsh-hcl/dsh/engine/proc"
	"github.com/dsh-hcl/dsh/engine/tool"
	"github.com/dsh-hcl/dsh/engine/tool/builtin"
	"github.com/dsh-hcl/dsh/schema"
)

// bench is a workspace with all file tools on it.
type bench struct {
	t   *testing.T
	dir string
	set *tool.Set
}

func newBench(t *testing.T, o builtin.Options) *bench {
	b := &bench{t: t, dir: t.TempDir()}
	o.Workspace = b.dir
	tools, closing := builtin.Tools(schema.BuiltinTools(), o)
	t.Cleanup(func() {
		if err := closing(); err != nil {
			t.Error(err)
		}
	})
	b.set = tool.NewSet(tools...)
	return b
}

func (b *bench) put(name, content string) {
	b.t.Helper()
	path := filepath.Join(b.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) link(to, name string) {
	b.t.Helper()
	if err := os.Symlink(to, filepath.Join(b.dir, name)); err != nil {
		b.t.Fatal(err)
	}
}

// call runs a tool with arguments given in pairs.
func (b *bench) call(name string, args ...any) (string, string) {
	b.t.Helper()
	m := map[string]any{}
	for i := 0; i < len(args); i += 2 {
		m[args[i].(string)] = args[i+1]
	}
	text, err := json.Marshal(m)
	if err != nil {
		b.t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(context.Background(), 20*time.Second)
	defer stop()
	out := b.set.Run(ctx, msg.ToolCall{ID: "c", Name: name, Arguments: string(text)})
	if ctx.Err() != nil {
		b.t.Errorf("%s %s took too long", name, text)
	}
	e, _ := out.Error.Get()
	if out.IsError != (e.Code != "") {
		b.t.Errorf("%s %s: an error without a code: %+v", name, text, out)
	}
	return out.Content.Text(), e.Code
}

// want runs a tool and holds its result to a text and a code.
func (b *bench) want(want, code, name string, args ...any) {
	b.t.Helper()
	got, c := b.call(name, args...)
	if c != code || got != want && !(strings.HasSuffix(want, "…") && strings.HasPrefix(got, strings.TrimSuffix(want, "…"))) {
		b.t.Errorf("%s %v:\n got %q %s\nwant %q %s", name, args, got, c, want, code)
	}
}

// Every tool that a configuration may list exists, in its order, with a schema that is
// canonical and holds no path.
func TestSchemas(t *testing.T) {
	b := newBench(t, builtin.Options{})
	var names []string
	for _, s := range b.set.Schemas() {
		names = append(names, s.Name)
		var anything any
		if err := json.Unmarshal([]byte(s.Raw()), &anything); err != nil || strings.Contains(s.Raw(), b.dir) || s.Description == "" {
			t.Errorf("%s: %v", s.Raw(), err)
		}
		if len(s.Raw()) > 1100 {
			t.Errorf("%s takes %d bytes of every request", s.Name, len(s.Raw()))
		}
		if text, code := b.call(s.Name, "nonsense", 1); code != tool.CodeArguments {
			t.Errorf("%s takes an argument that it does not know: %s", s.Name, text)
		}
	}
	if !slices.Equal(names, schema.BuiltinTools()) {
		t.Errorf("there are %v, a configuration may list %v", names, schema.BuiltinTools())
	}
}

// What is no text file is an error that says what it is, for every tool, and nothing
// waits.
func TestWhatIsNoTextFile(t *testing.T) {
	b := newBench(t, builtin.Options{})
	b.put("binary", "a\x00b")
	b.put("latin", "caf\xe9\n")
	b.put("folder/x", "x")
	b.put("empty", "")
	b.put("closed", "x")
	if err := syscall.Mkfifo(filepath.Join(b.dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	huge, err := os.Create(filepath.Join(b.dir, "huge"))
	if err == nil {
		err = huge.Truncate(16<<20 + 1)
	}
	if err != nil {
		t.Fatal(err)
	}
	huge.Close()
	for path, want := range map[string]string{
		"binary": "Error: binary is a binary file of 3 bytes", "latin": "Error: latin is not UTF-8 text: byte 3 belongs to no character", "folder": "Error: folder is a folder",
		"pipe": "Error: pipe is a pipe, not a file", "huge": "Error: huge has 16777217 bytes, and at most 16777216 are read…", "folder/y": "Error: there is no file folder/y", "empty/x": "Error: empty/x: not a directory",
		"a\x00b": "Error: a path cannot hold a NUL character", strings.Repeat("n", 300): "Error: " + strings.Repeat("n", 300) + ": file name too long",
	} {
		b.want(want, tool.CodeFailed, "read", "path", path)
		if path != "folder/y" && !strings.HasPrefix(path, "n") {
			if _, code := b.call("write", "path", path, "content", "x"); code != tool.CodeFailed {
				t.Errorf("write %q: %s", path, code)
			}
		}
		if path != "folder" {
			if text, code := b.call("grep", "path", path, "pattern", "x"); code != tool.CodeFailed {
				t.Errorf("grep %q: %s %s", path, code, text)
			}
		}
	}
	b.want("[empty is empty]", "", "read", "path", "empty")
	b.want("[no line matches]\n[not searched, since binary, not UTF-8, too large or unreadable: 3 files]", "", "grep", "pattern", "nothing")
	b.want("binary\nclosed\nempty\nfolder/\nhuge\nlatin\npipe (no file)", "", "list")
	b.want("Error: there is no file nowhere", tool.CodeFailed, "list", "path", "nowhere")
	b.want("Error: there is no file nowhere", tool.CodeFailed, "glob", "path", "nowhere", "pattern", "*")
}

// No path and no link leads out of the workspace, to read or to write.
func TestNothingLeadsOut(t *testing.T) {
	b := newBench(t, builtin.Options{})
	outside := t.TempDir()
	secret := filepath.Join(outside, "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	b.link(secret, "absolute")
	b.link(outside, "folder")
	rel, _ := filepath.Rel(b.dir, secret)
	b.link(rel, "relative")
	b.link("loop", "loop")
	b.put("inside", "inside")
	b.link("inside", "near")
	b.link("nothing", "dangling")
	for _, path := range []string{"absolute", "relative", "folder/secret", secret, rel, "..", "/", "inside/../../x", "loop"} {
		for _, args := range [][]any{{"read", "path", path}, {"write", "path", path, "content", "x"}, {"edit", "path", path, "old", "secret", "new", "x"}, {"grep", "path", path, "pattern", "secret"}, {"list", "path", path}} {
			text, code := b.call(args[0].(string), args[1:]...)
			if code == "" || strings.Contains(text, "secret\n") || path != "loop" && code != tool.CodeOutside && !(path == "folder/secret" || path == "absolute" || path == "relative") {
				t.Errorf("%v: %s %s", args, code, text)
			}
		}
	}
	if got, err := os.ReadFile(secret); err != nil || string(got) != "secret" {
		t.Errorf("it was written: %q %v", got, err)
	}
	b.want("inside:1:inside", "", "grep", "pattern", "in|secret")
	b.want("inside", "", "read", "path", filepath.Join(b.dir, "inside"))
	// A link inside is followed, and stays a link.
	b.want("inside", "", "read", "path", "near")
	b.want("Wrote 3 bytes to near.", "", "write", "path", "near", "content", "new")
	b.want("Created dangling with 1 bytes.", "", "write", "path", "dangling", "content", "x")
	for name, want := range map[string]string{"inside": "new", "nothing": "x"} {
		if got, _ := os.ReadFile(filepath.Join(b.dir, name)); string(got) != want {
			t.Errorf("%s holds %q", name, got)
		}
	}
	if info, err := os.Lstat(filepath.Join(b.dir, "near")); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v", err)
	}
}

func TestReadParts(t *testing.T) {
	b := newBench(t, builtin.Options{})
	var s strings.Builder
	for i := range 2500 {
		fmt.Fprintf(&s, "line %d\n", i+1)
	}
	b.put("long", s.String())
	b.put("wide", strings.Repeat("é", 40_000)+"\nend")
	b.put("crlf", "a\r\nb")
	text, _ := b.call("read", "path", "long")
	if !strings.HasSuffix(text, "line 2000\n[lines 1 to 2000 of 2500 of long; read on with offset 2001]") {
		t.Errorf("it ends with %q", text[len(text)-80:])
	}
	b.want("line 2499\nline 2500\n", "", "read", "path", "long", "offset", 2499)
	b.want("line 7\n[lines 7 to 7 of 2500 of long; read on with offset 8]", "", "read", "path", "long", "offset", 7, "limit", 1)
	b.want("Error: long has 2500 lines, so there is no line 2501", tool.CodeFailed, "read", "path", "long", "offset", 2501)
	b.want("end", "", "read", "path", "wide", "offset", 2)
	b.want(strings.Repeat("é", 32_768)+"\n[the beginning of line 1 of 2 of wide; the line is longer than 65536 bytes]", "", "read", "path", "wide")
	b.want("a\r\nb", "", "read", "path", "crlf")
	b.want("Error: the arguments of read do not fit its schema: …", tool.CodeArguments, "read", "path", "long", "offset", 0)
}

// Results of searches are bounded and say so.
func TestBounds(t *testing.T) {
	b := newBench(t, builtin.Options{})
	for i := range 1200 {
		b.put(fmt.Sprintf("many/f%04d", i), "hit\n")
	}
	b.put("many/line", strings.Repeat("x", 100_000)+"\n")
	b.put(".git/config", "hit\n")
	b.put("odd/a\nb", "hit\n")
	for name, args := range map[string][]any{"list": {"path", "many"}, "glob": {"pattern", "**"}, "grep": {"pattern", "hit"}} {
		text, code := b.call(name, args...)
		if code != "" || !strings.Contains(text, "\n[there is more; these are the first ") || strings.Contains(text, ".git") {
			t.Errorf("%s: %s %d bytes", name, code, len(text))
		}
		if n := strings.Count(text, "\n"); n != map[string]int{"list": 1000, "glob": 1000, "grep": 500}[name] {
			t.Errorf("%s has %d lines", name, n)
		}
	}
	b.want("many/line:1:"+strings.Repeat("x", 500), "", "grep", "pattern", "x+", "glob", "**/line")
	b.want("\"odd/a\\nb\":1:hit", "", "grep", "pattern", "hit", "path", "odd")
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if out := b.set.Run(ctx, msg.ToolCall{Name: "grep", Arguments: `{"pattern":"x"}`}); !out.IsError {
		t.Error("a cancelled search goes on")
	}
}

// A change is whole: it keeps the file's permissions, and leaves nothing else behind.
func TestChanges(t *testing.T) {
	b := newBench(t, builtin.Options{})
	b.put("run.sh", "a\r\nb\r\n")
	if err := os.Chmod(filepath.Join(b.dir, "run.sh"), 0o776); err != nil {
		t.Fatal(err)
	}
	b.want("a\r\nb\r\n", "", "read", "path", "run.sh")
	b.want("Error: the old text does not occur in run.sh: its lines end with \\r\\n, and those of the old text with \\n", tool.CodeFailed, "edit", "path", "run.sh", "old", "a\nb", "new", "c")
	b.want("Error: old and new are the same text, so there is nothing to replace", tool.CodeFailed, "edit", "path", "run.sh", "old", "a", "new", "a")
	b.want("Replaced the text in line 2 of run.sh.", "", "edit", "path", "run.sh", "old", "b", "new", "")
	b.want("Error: there is no file gone", tool.CodeFailed, "edit", "path", "gone", "old", "b", "new", "")
	b.want("Created deep/er/x with 0 bytes.", "", "write", "path", "deep/er/x", "content", "")
	b.want("Wrote 1 bytes to deep/er/x.", "", "write", "path", "deep/er/x", "content", "y") // its own content is known
	for _, path := range []string{".git/hooks/x", "a/.GIT/x", ".git"} {
		b.want("Error: "+path+" is inside .git, which git alone changes", tool.CodeFailed, "write", "path", path, "content", "x")
	}
	info, err := os.Stat(filepath.Join(b.dir, "run.sh"))
	if err != nil || info.Mode().Perm() != 0o776 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	var files []string
	_ = filepath.WalkDir(b.dir, func(path string, d os.DirEntry, err error) error {
		if !d.IsDir() {
			files = append(files, strings.TrimPrefix(path, b.dir+"/"))
		}
		return nil
	})
	if !slices.Equal(files, []string{"deep/er/x", "run.sh"}) {
		t.Errorf("there are %q", files)
	}
}

// Rules see a path as it was given and where it leads, also of a file that does not
// exist yet; grep passes over what may not be read.
func TestRulesSeePaths(t *testing.T) {
	b := newBench(t, builtin.Options{Hidden: func(path string) bool { return strings.HasPrefix(path, "keys/") }})
	b.put("keys/k", "hit\n")
	b.put("open", "hit\n")
	b.link("keys", "alias")
	b.link("keys/k", "one")
	p := permit.Policy{Deny: []permit.Rule{{Tool: "write", Pattern: "keys/**"}}, Free: []string{"write"}}
	for path, want := range map[string]permit.Decision{
		"keys/k": permit.Deny, "./keys/../keys/k": permit.Deny, "alias/k": permit.Deny, "alias/new/er": permit.Deny, "one": permit.Deny, filepath.Join(b.dir, "keys/k"): permit.Deny, "open": permit.Allow, "fresh/x": permit.Allow,
	} {
		args, _ := json.Marshal(map[string]string{"path": path, "content": ""})
		if got := b.set.Permit(p, msg.ToolCall{Name: "write", Arguments: string(args)}).Decision; got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
	b.want("open:1:hit", "", "grep", "pattern", "hit")
	for _, path := range []string{"keys/k", "one", "alias/k"} {
		b.want("Error: "+path+" may not be read", tool.CodeFailed, "grep", "pattern", "hit", "path", path)
	}
	b.want("[no line matches]", "", "grep", "pattern", "hit", "path", "alias")
}

func TestTodo(t *testing.T) {
	b := newBench(t, builtin.Options{})
	b.want("1 of 3 done\n[x] a\n[>] b c\n[ ] d", "", "todo", "todos", []map[string]string{{"content": "a", "status": "completed"}, {"content": "b\nc", "status": "in_progress"}, {"content": "d", "status": "pending"}})
	b.want("0 of 0 done", "", "todo", "todos", []string{})
	b.want("Error: the arguments of todo do not fit its schema: …", tool.CodeArguments, "todo", "todos", []map[string]string{{"content": "a", "status": "done"}})
}

func TestShell(t *testing.T) {
	b := newBench(t, builtin.Options{Shell: func(_ context.Context, line string, timeout time.Duration, max int) proc.Result {
		if line != "make" || timeout != 3*time.Second || max != 64<<10 {
			t.Errorf("%q %v %d", line, timeout, max)
		}
		return proc.Result{ExitCode: 2, Stdout: []byte("out"), Stderr: []byte("\xff"), Cut: true}
	}})
	b.want("Error: the command failed\nout\n[standard error]\n\uFFFD\n[cut: an output is longer than 65536 bytes]\n[exit code 2]", tool.CodeExit, "shell", "command", "make", "timeout_seconds", 3)
}
