package trust

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/config/diag"
)

var (
	when = time.Date(2026, 5, 4, 3, 2, 1, 999, time.FixedZone("", 3600))
	some = Digest([]config.Start{{Kind: "base_url", Text: "https://api.example.com"}})
	more = Digest([]config.Start{{Kind: "env", Text: "API_KEY"}})
)

func mustOpen(t *testing.T, path string) *Store {
	t.Helper()
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func allow(t *testing.T, s *Store, dir, digest string) {
	t.Helper()
	if err := s.Allow(dir, digest, when); err != nil {
		t.Fatal(err)
	}
}

func TestDigest(t *testing.T) {
	url := config.Start{Kind: "base_url", Text: "https://api.example.com"}
	env := config.Start{Kind: "env", Text: "API_KEY"}
	moved := url
	moved.At = diag.Range{File: "elsewhere.hcl", Start: diag.Pos{Line: 9}}

	base := Digest([]config.Start{url, env})
	for name, same := range map[string][]config.Start{
		"order":      {env, url},
		"place":      {moved, env},
		"repetition": {url, env, url},
	} {
		if Digest(same) != base {
			t.Errorf("%s changes the digest", name)
		}
	}
	seen := map[string]string{base: "base"}
	for name, other := range map[string][]config.Start{
		"none":         nil,
		"fewer":        {url},
		"other text":   {url, {Kind: "env", Text: "API_KEY2"}},
		"other kind":   {url, {Kind: "base_url", Text: "API_KEY"}},
		"glued":        {{Kind: "base_url", Text: "https://api.example.com3:env7:API_KEY"}},
		"shifted":      {{Kind: "base_url3", Text: "https://api.example.com"}, env},
		"empty fields": {{}},
	} {
		d := Digest(other)
		if seen[d] != "" {
			t.Errorf("%s has the digest of %s", name, seen[d])
		}
		seen[d] = name
	}
	// Records on disk depend on it: a change asks everybody again.
	if want := "aaad9f54ab5a218c1a996f49c15bf3d926183fe9b88d3af3d65fbd7bff9d377e"; base != want {
		t.Errorf("digest is %s", base)
	}
}

func TestAllow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "dsh", "trust.json")
	s := mustOpen(t, path)
	if s.Allowed("/project", some) {
		t.Error("allowed before anybody said so")
	}
	allow(t, s, "/project", some)
	allow(t, s, "/another/", more)

	for _, s := range []*Store{s, mustOpen(t, path)} {
		for _, tt := range []struct {
			dir, digest string
			want        bool
		}{
			{"/project", some, true},
			{"/project/", some, true},
			{"/project/x/..", some, true},
			{"/project", more, false},
			{"/project/sub", some, false},
			{"/", some, false},
			{"/another", more, true},
			{"/another", some, false},
			{"/project", "", false},
			{"/nowhere", Digest(nil), true},
		} {
			if got := s.Allowed(tt.dir, tt.digest); got != tt.want {
				t.Errorf("%s %.8s: %v", tt.dir, tt.digest, got)
			}
		}
	}

	allow(t, s, "/project", more)
	if s := mustOpen(t, path); s.Allowed("/project", some) || !s.Allowed("/project", more) || !s.Allowed("/another", more) {
		t.Error("a new digest does not replace the folder's old one, or touches another folder")
	}
}

func TestFileOnDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "dsh", "trust.json")
	allow(t, mustOpen(t, path), "/project", some)
	allow(t, mustOpen(t, path), "/another", more)

	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := `{
  "version": 1,
  "folders": [
    {
      "folder": "/another",
      "digest": "` + more + `",
      "allowed": "2026-05-04T02:02:01Z"
    },
    {
      "folder": "/project",
      "digest": "` + some + `",
      "allowed": "2026-05-04T02:02:01Z"
    }
  ]
}
`
	if string(data) != want {
		t.Errorf("got %s", data)
	}
	for p, mode := range map[string]fs.FileMode{path: 0o600, filepath.Dir(path): 0o700, filepath.Dir(filepath.Dir(path)): 0o700} {
		if info, err := os.Stat(p); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", p, info.Mode(), err)
		}
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
		t.Errorf("temporary files are left: %v, %v", left, err)
	}
}

// Two stores over one file are two processes: the second must not drop what the
// first recorded after both had read.
func TestWriteReadsAnew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trust.json")
	one, two := mustOpen(t, path), mustOpen(t, path)
	allow(t, one, "/one", some)
	allow(t, two, "/two", some)
	if s := mustOpen(t, path); !s.Allowed("/one", some) || !s.Allowed("/two", some) {
		t.Error("a record is lost")
	}
}

func TestAllowRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trust.json")
	s := mustOpen(t, path)
	for _, dir := range []string{"", "relative", "./x", "/not\xffutf-8"} {
		if err := s.Allow(dir, some, when); err == nil {
			t.Errorf("%q was recorded", dir)
		}
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file was written: %v", err)
	}
}

func TestDamaged(t *testing.T) {
	rec := func(folder string) string {
		return `{"folder":"` + folder + `","digest":"` + some + `","allowed":"2026-05-04T02:02:01Z"}`
	}
	good := `{"version":1,"folders":[` + rec("/a") + `,` + rec("/b") + `]}`
	for name, data := range map[string]string{
		"good":              good,
		"empty":             "",
		"torn":              good[:len(good)-2],
		"something follows": good + "{}",
		"not an object":     "[]",
		"unknown field":     strings.Replace(good, `"folders"`, `"folder":1,"folders"`, 1),
		"version 2":         strings.Replace(good, `1`, `2`, 1),
		"no version":        `{"folders":[]}`,
		"relative folder":   `{"version":1,"folders":[` + rec("a") + `]}`,
		"unclean folder":    `{"version":1,"folders":[` + rec("/a/") + `]}`,
		"repeated":          `{"version":1,"folders":[` + rec("/a") + `,` + rec("/a") + `]}`,
		"no digest":         `{"version":1,"folders":[{"folder":"/a","allowed":"2026-05-04T02:02:01Z"}]}`,
		"bad time":          strings.Replace(good, "2026-05", "2026-13", 1),
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "trust.json")
			s := mustOpen(t, path)
			if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := Open(path)
			if name == "good" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			var damaged *DamagedError
			if !errors.As(err, &damaged) || damaged.Path != path {
				t.Errorf("opened as %v", err)
			}
			if err := s.Allow("/c", some, when); !errors.As(err, &damaged) {
				t.Errorf("allowed over the damage: %v", err)
			}
			if now, err := os.ReadFile(path); err != nil || string(now) != data {
				t.Errorf("the damaged file was changed: %v", err)
			}
		})
	}
}

// A folder in the file's place fails with what the system says, and is not taken
// for an empty record.
func TestUnreadable(t *testing.T) {
	dir := t.TempDir()
	var damaged *DamagedError
	if _, err := Open(dir); err == nil || errors.As(err, &damaged) {
		t.Errorf("got %v", err)
	}
	if err := os.WriteFile(dir+"/file", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir + "/file/trust.json"); err == nil {
		t.Error("a path through a file opened")
	}
}
