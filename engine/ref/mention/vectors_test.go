package mention_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/ref"
	"github.com/dsh-hcl/dsh/engine/ref/mention"
)

// folders are where vectors are: those in testdata always, and the folder named by the
// environment variable DSH_VECTORS besides.
func folders() []string {
	out := []string{"testdata/vectors"}
	if f := os.Getenv("DSH_VECTORS"); f != "" {
		out = append(out, f)
	}
	return out
}

// vectors checks each case of a file in a folder. Cases whose strings hold a lone
// surrogate are counted and left out: no text of Go holds one.
func vectors[T any](t *testing.T, folder, name string, check func(t *testing.T, c T)) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(folder, name+".dev.json"))
	if err != nil {
		t.Fatal(err)
	}
	var raws []json.RawMessage
	if err := json.Unmarshal(b, &raws); err != nil || len(raws) == 0 {
		t.Fatalf("%s in %s: %d cases, %v", name, folder, len(raws), err)
	}
	ran, ill := 0, 0
	for _, raw := range raws {
		var head struct {
			Case      string
			IllFormed bool
		}
		var c T
		if err := errors.Join(json.Unmarshal(raw, &head), json.Unmarshal(expanded(t, raw), &c)); err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		if head.IllFormed {
			ill++
			continue
		}
		ran++
		t.Run(head.Case, func(t *testing.T) { check(t, c) })
	}
	t.Logf("%s: %d cases of %s, and %d with lone surrogates", folder, ran, name, ill)
}

// expanded is a case with its repeated strings written out.
func expanded(t *testing.T, raw []byte) []byte {
	t.Helper()
	var v any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(expand(t, v))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func expand(t *testing.T, v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = expand(t, v[i])
		}
	case map[string]any:
		if list, ok := v["rep"].([]any); ok {
			var b strings.Builder
			for _, pair := range list {
				unit, n := pair.([]any)[0].(string), pair.([]any)[1].(json.Number)
				times, err := n.Int64()
				if err != nil {
					t.Fatal(err)
				}
				b.WriteString(strings.Repeat(unit, int(times)))
			}
			return b.String()
		}
		for name := range v {
			v[name] = expand(t, v[name])
		}
	}
	return v
}

func TestFileMentionVectors(t *testing.T) {
	for _, folder := range folders() {
		vectors(t, folder, "filemention", func(t *testing.T, c struct {
			Op, Line, Path, Kind string
			Cursor               int
			PreserveQuote        bool
			Expect               json.RawMessage
		}) {
			switch c.Op {
			case "token":
				var want *mention.Token
				read(t, c.Expect, &want)
				got, ok := mention.At(c.Line, c.Cursor)
				if ok != (want != nil) || ok && got != *want {
					t.Errorf("%q at %d is %+v, %v; want %s", c.Line, c.Cursor, got, ok, c.Expect)
				}
			case "format":
				var want *string
				read(t, c.Expect, &want)
				got, ok := mention.Insertion(c.Path, c.Kind == "directory", c.PreserveQuote)
				if ok != (want != nil) || ok && got != *want {
					t.Errorf("%q is %q, %v; want %s", c.Path, got, ok, c.Expect)
				}
			default:
				t.Errorf("unknown op %q", c.Op)
			}
		})
	}
}

func read(t *testing.T, raw json.RawMessage, into any) {
	t.Helper()
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatal(err)
	}
}

type found struct{ Path, Kind string }

func (f found) found() mention.Found {
	return mention.Found{Path: f.Path, Directory: f.Kind == "directory"}
}

func TestFileSearchVectors(t *testing.T) {
	for _, folder := range folders() {
		b, err := os.ReadFile(filepath.Join(folder, "filesearch.trees.json"))
		if err != nil {
			t.Fatal(err)
		}
		var trees map[string][]string
		read(t, b, &trees)
		vectors(t, folder, "filesearch", func(t *testing.T, c struct {
			Tree, Query string
			Config      struct {
				MaxResults, MaxEntries *int64
				ExcludedDirectories    *[]string
			}
			Expect json.RawMessage
		}) {
			config := mention.DefaultConfig()
			for _, o := range []struct{ from, to *int64 }{{c.Config.MaxResults, &config.MaxResults}, {c.Config.MaxEntries, &config.MaxEntries}} {
				if o.from != nil {
					*o.to = *o.from
				}
			}
			if c.Config.ExcludedDirectories != nil {
				config.Excluded = *c.Config.ExcludedDirectories
			}
			// In memory and on a disk: both have to tell links.
			disk := t.TempDir()
			root, err := os.OpenRoot(disk)
			if err != nil {
				t.Fatal(err)
			}
			defer root.Close()
			memory := fstest.MapFS{}
			for _, line := range trees[c.Tree] {
				plant(t, memory, root, line)
			}
			list, there := trees[c.Tree]
			if !there {
				root.Close() // what is not there cannot be read
			}
			for name, tree := range map[string]fs.FS{"memory": memory, "disk": root.FS()} {
				files, err := mention.NewFiles(tree, config)
				if strings.HasPrefix(string(c.Expect), "{") {
					if err == nil {
						t.Errorf("%+v is allowed", config)
					}
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				var want []found
				read(t, c.Expect, &want)
				for range 2 { // the second from the index
					got, err := files.Search(context.Background(), c.Query)
					if err != nil || !slices.EqualFunc(got, want, func(g mention.Found, w found) bool { return g == w.found() }) {
						t.Errorf("%q in %q (%s): %+v, %v; want %s", c.Query, list, name, got, err, c.Expect)
					}
				}
			}
		})
	}
}

// plant makes one entry of a tree: a/, a -> b, or a file.
func plant(t *testing.T, memory fstest.MapFS, root *os.Root, line string) {
	t.Helper()
	var err error
	if name, to, ok := strings.Cut(line, " -> "); ok {
		memory[name] = &fstest.MapFile{Data: []byte(to), Mode: fs.ModeSymlink | 0o777}
		err = root.Symlink(to, name)
	} else if name, ok := strings.CutSuffix(line, "/"); ok {
		memory[name] = &fstest.MapFile{Mode: fs.ModeDir | 0o755}
		err = root.MkdirAll(name, 0o755)
	} else {
		memory[line] = &fstest.MapFile{}
		err = root.WriteFile(line, nil, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestMenuVectors(t *testing.T) {
	type session struct {
		SessionID, Label, Mention string
		Cwd                       *string
		CreatedAt                 int64
	}
	type row struct {
		Section, Name, Description string
		Pick                       struct {
			Text                               string
			KeepOpen                           bool
			Chip, Label, Serialized, Clipboard string
		}
	}
	for _, folder := range folders() {
		vectors(t, folder, "menu", func(t *testing.T, c struct {
			Lang, Query     string
			Quoted, Aborted bool
			Files, Sessions json.RawMessage
			Expect          []row
			Calls           []string
		}) {
			ctx, abort := context.WithCancel(context.Background())
			defer abort()
			if c.Aborted {
				abort()
			}
			var mu sync.Mutex
			var calls []string
			// A lookup that fails is a word instead of a list.
			called := func(name string, raw json.RawMessage, query string, into any) error {
				mu.Lock()
				defer mu.Unlock()
				calls = append(calls, name)
				if query != c.Query {
					t.Errorf("%s were asked for %q", name, query)
				}
				if strings.HasPrefix(string(raw), `"`) {
					return errors.New(string(raw))
				}
				return json.Unmarshal(raw, into)
			}
			lookups := mention.Lookups{
				Files: func(_ context.Context, query string) (out []mention.Found, err error) {
					var files []found
					err = called("files", c.Files, query, &files)
					for _, f := range files {
						out = append(out, f.found())
					}
					return out, err
				},
				Sessions: func(_ context.Context, query string) (out []ref.Candidate, err error) {
					var sessions []session
					err = called("sessions", c.Sessions, query, &sessions)
					for _, s := range sessions {
						r := ref.Record{SessionID: s.SessionID, CreatedAt: s.CreatedAt}
						if s.Cwd != nil {
							r.Cwd = msg.Some(*s.Cwd)
						}
						out = append(out, ref.Candidate{Record: r, Label: s.Label})
					}
					return out, err
				},
			}
			language := map[string]mention.Language{"en": mention.English, "zh": mention.Chinese}[c.Lang]
			var answer mention.Answer
			lookups.Ask(ctx, mention.Token{Query: c.Query, Quoted: c.Quoted}, func(a mention.Answer) { answer = a })
			var want []mention.Row
			for _, r := range c.Expect {
				w := mention.Row{Section: r.Section, Name: r.Name, Description: r.Description, Label: r.Pick.Label, Text: r.Pick.Serialized}
				switch {
				case r.Pick.KeepOpen:
					w.Kind, w.Text = mention.Directory, r.Pick.Text
				case r.Pick.Chip == "session":
					w.Kind = mention.Session
				}
				want = append(want, w)
			}
			if diff := cmp.Diff(want, mention.Rows(language, c.Quoted, answer.Files, answer.Sessions)); diff != "" {
				t.Error(diff)
			}
			slices.Sort(calls)
			if !slices.Equal(calls, c.Calls) || (answer.FilesKnown && answer.SessionsKnown) == c.Aborted {
				t.Errorf("calls %q, want %q; answer %+v", calls, c.Calls, answer)
			}
		})
	}
}
