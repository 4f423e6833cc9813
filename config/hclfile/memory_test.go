package hclfile

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/config/diag"
)

// memory is a file system of absolute paths.
type memory map[string]string

// dangling is the text of a symbolic link that leads nowhere, escape that of one
// that leads to /outside.
const (
	dangling = "(a symbolic link that leads nowhere)\n"
	escape   = "(a symbolic link that leads to /outside)\n"
)

// escapeError is what confine says of a path that leaves what may be read.
type escapeError struct{ path, target string }

func (e *escapeError) Error() string   { return e.path + " is outside" }
func (e *escapeError) Outside() string { return e.target }

func (m memory) ReadFile(name string, max int64) ([]byte, error) {
	text, ok := m[name]
	switch {
	case text == escape:
		return nil, &escapeError{name, "/outside"}
	case strings.HasPrefix(name, "/outside"):
		return nil, &escapeError{path: name}
	}
	if !ok || text == dangling {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	if int64(len(text)) > max {
		return nil, fmt.Errorf("%s is larger than %d bytes", name, max)
	}
	return []byte(text), nil
}

func (m memory) ReadDir(dir string) ([]string, error) {
	var out []string
	for name := range m {
		if path.Dir(name) == dir {
			out = append(out, path.Base(name))
		}
	}
	if out == nil {
		return nil, &fs.PathError{Op: "open", Path: dir, Err: fs.ErrNotExist}
	}
	slices.Sort(out)
	return out, nil
}

func (m memory) ReadFolders(dir string, _ bool) ([]string, error) {
	var out []string
	for name := range m {
		if rest, ok := strings.CutPrefix(name, strings.TrimSuffix(dir, "/")+"/"); ok {
			if first, _, deeper := strings.Cut(rest, "/"); deeper && !slices.Contains(out, first) {
				out = append(out, first)
			}
		}
	}
	if out == nil && !m.exists(dir) {
		return nil, &fs.PathError{Op: "open", Path: dir, Err: fs.ErrNotExist}
	}
	slices.Sort(out)
	return out, nil
}

func (m memory) exists(name string) bool {
	for p := range m {
		if p == name || strings.HasPrefix(p, name+"/") || name == "/" {
			return true
		}
	}
	return false
}

const (
	testDir       = "/work/project"
	testWorkspace = "/work/project"
)

// options are those of a test: files below /work/project, an environment.
func options(files memory, env map[string]string) Options {
	return Options{
		Dir: testDir, Home: "/home/anna", Version: "1.2.3", Files: files, Exists: files.exists,
		Env: func(name string) (string, bool) { v, ok := env[name]; return v, ok },
		Tokenizer: func(_ string, text []byte) error {
			if !strings.HasPrefix(string(text), "{") {
				return errors.New("it is no tokenizer.json")
			}
			return nil
		},
	}
}

// load reads a configuration from files named relative to the project.
func load(files map[string]string, env map[string]string) (*config.Config, diag.Sources, diag.List) {
	m := memory{}
	for name, text := range files {
		if !path.IsAbs(name) {
			name = path.Join(testDir, name)
		}
		m[name] = text
	}
	return Load(testDir, testWorkspace, options(m, env))
}

// mustLoad fails the test when there is any problem, a warning included.
func mustLoad(t *testing.T, files map[string]string, env map[string]string) *config.Config {
	t.Helper()
	cfg, sources, diags := load(files, env)
	if len(diags) > 0 {
		t.Fatalf("unexpected problems:\n%s", rendered(diags, sources))
	}
	return cfg
}

func rendered(list diag.List, sources diag.Sources) string {
	var b strings.Builder
	if err := diag.Text(&b, list, sources, diag.TextOptions{Width: 100}); err != nil {
		return err.Error()
	}
	return b.String()
}
