package mention

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode/utf16"

	"github.com/dsh-hcl/dsh/engine/ref"
)

// Found is a file or directory of a tree.
type Found struct {
	Path      string // as results spell it: with slashes, and the directory as typed
	Directory bool
}

// Config bounds the discovery of files.
type Config struct {
	MaxResults int64
	MaxEntries int64    // of the index
	Excluded   []string // names of directories that are not looked into, and not offered
}

// DefaultConfig is 20 results, 10000 entries, and neither .git nor node_modules.
func DefaultConfig() Config {
	return Config{MaxResults: 20, MaxEntries: 10_000, Excluded: []string{".git", "node_modules"}}
}

// Files finds the files of one tree. It may be used by several goroutines.
type Files struct {
	tree   fs.FS
	config Config

	mu    sync.Mutex
	built int // how often the index was forgotten
	index []entry
	whole bool // index is there
}

// entry is a path of the index with what matching needs of it.
type entry struct {
	Found
	lower  string
	hidden bool // a part of the path begins with a dot
}

// NewFiles returns the discovery in a tree. No link is followed, if fs.Lstat tells
// links in it. It fails for a bound that is not positive and for a name that is empty
// or holds a slash.
func NewFiles(tree fs.FS, c Config) (*Files, error) {
	const mostSafe = 1<<53 - 1
	for name, n := range map[string]int64{"results": c.MaxResults, "entries": c.MaxEntries} {
		if n < 1 || n > mostSafe {
			return nil, fmt.Errorf("the number of %s is %d and must be positive", name, n)
		}
	}
	for _, name := range c.Excluded {
		if name == "" || strings.ContainsAny(name, `/\`) {
			return nil, fmt.Errorf("%q is not the name of a directory", name)
		}
	}
	return &Files{tree: tree, config: c}, nil
}

// Forget drops the index: what the tree holds may have changed.
func (f *Files) Forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.index, f.whole = nil, false
	f.built++
}

// Search returns what a query finds, the best first. An empty query and one with a
// slash list one directory, others the whole tree. What cannot be read holds nothing.
// The error is that of the context (spec/references.md section 10.2).
func (f *Files) Search(ctx context.Context, query string) ([]Found, error) {
	query = strings.ReplaceAll(query, `\`, "/")
	var among []entry
	typed, filter := split(query)
	if query == "" || typed != "" {
		for _, found := range f.list(typed) {
			name := path.Base(found.Path)
			if !strings.HasPrefix(name, ".") || strings.HasPrefix(filter, ".") {
				among = append(among, entry{Found: found, lower: ref.Lower(found.Path)})
			}
		}
	} else {
		index, err := f.indexed(ctx)
		if err != nil {
			return nil, err
		}
		for _, e := range index {
			if !e.hidden || strings.HasPrefix(query, ".") {
				among = append(among, e)
			}
		}
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return rank(among, filter, f.config.MaxResults), nil
}

// split cuts a query into the directory as typed and what filters its entries.
func split(query string) (typed, filter string) {
	i := strings.LastIndexByte(query, '/') + 1
	return query[:i], query[i:]
}

// Narrow keeps of what an earlier query found what the present one finds, too.
func Narrow(found []Found, earlier, query string) []Found {
	before, _ := split(strings.ReplaceAll(earlier, `\`, "/"))
	typed, filter := split(strings.ReplaceAll(query, `\`, "/"))
	if before != typed || query == "" && earlier != "" {
		return nil // the one lists a directory, the other does not
	}
	return slices.DeleteFunc(slices.Clone(found), func(x Found) bool {
		_, ok := score(ref.Lower(x.Path), ref.Lower(filter), x.Directory)
		return !ok
	})
}

// list lists one directory below the root.
func (f *Files) list(typed string) (out []Found) {
	dir := path.Clean(strings.TrimSuffix(typed, "/"))
	if strings.HasPrefix(typed, "/") || dir == ".." || strings.HasPrefix(dir, "../") {
		return nil
	}
	if dir != "." {
		for i, part := 0, ""; i < len(dir); i++ {
			part, _, _ = strings.Cut(dir[i:], "/")
			i += len(part)
			info, err := fs.Lstat(f.tree, dir[:i])
			if err != nil || !info.IsDir() || slices.Contains(f.config.Excluded, part) {
				return nil
			}
		}
	}
	for _, found := range f.entries(dir) {
		found.Path = typed + path.Base(found.Path)
		out = append(out, found)
	}
	return out
}

// entries are the directories and plain files of a directory, sorted.
func (f *Files) entries(dir string) (out []Found) {
	listed, _ := fs.ReadDir(f.tree, dir) // what could be read
	for _, e := range listed {
		found := Found{Path: path.Join(dir, e.Name()), Directory: e.IsDir()}
		if found.Directory && slices.Contains(f.config.Excluded, e.Name()) || !found.Directory && !e.Type().IsRegular() {
			continue
		}
		out = append(out, found)
	}
	slices.SortFunc(out, func(a, b Found) int { return compareUnits(a.Path, b.Path) })
	return out
}

// indexed is the index, which is made when it is not there.
func (f *Files) indexed(ctx context.Context) ([]entry, error) {
	f.mu.Lock()
	index, whole, built := f.index, f.whole, f.built
	f.mu.Unlock()
	if whole {
		return index, nil
	}
	queue := []string{"."}
	for len(queue) > 0 && int64(len(index)) < f.config.MaxEntries {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		for _, found := range f.entries(queue[0]) {
			if int64(len(index)) == f.config.MaxEntries {
				break
			}
			index = append(index, entry{found, ref.Lower(found.Path), strings.HasPrefix(found.Path, ".") || strings.Contains(found.Path, "/.")})
			if found.Directory {
				queue = append(queue, found.Path)
			}
		}
		queue = queue[1:]
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.built == built {
		f.index, f.whole = index, true
	}
	return index, nil
}

// rank orders what fits: by score, directories first, shorter paths first, by units.
func rank(among []entry, filter string, most int64) []Found {
	type scored struct {
		entry
		score, length int
	}
	wanted := ref.Lower(filter)
	var fit []scored
	for _, e := range among {
		s, ok := score(e.lower, wanted, e.Directory)
		if !ok {
			continue
		}
		x := scored{entry: e, score: s}
		if filter != "" {
			x.length = Units(e.Path)
		}
		fit = append(fit, x)
	}
	slices.SortStableFunc(fit, func(a, b scored) int {
		if n := cmp.Compare(b.score, a.score); n != 0 {
			return n
		}
		if a.Directory != b.Directory {
			if a.Directory {
				return -1
			}
			return 1
		}
		if n := cmp.Compare(a.length, b.length); n != 0 {
			return n
		}
		return compareUnits(a.Path, b.Path)
	})
	var out []Found
	for _, x := range fit[:min(int64(len(fit)), most)] {
		out = append(out, x.Found)
	}
	return out
}

// score says how well a path fits; both are in lower case.
func score(lower, wanted string, directory bool) (int, bool) {
	if wanted == "" {
		return 0, true
	}
	n, name := 0, path.Base(lower)
	switch {
	case name == wanted:
		n = 1000
	case strings.HasPrefix(name, wanted):
		n = 900
	case strings.Contains(name, wanted):
		n = 700
	case strings.Contains(lower, wanted):
		n = 500
	default:
		skipped, ok := subsequence(lower, wanted)
		if !ok {
			return 0, false
		}
		n = 300 + max(0, 100-skipped)
	}
	if directory {
		n += 25
	}
	return n, true
}

// subsequence reports how many UTF-16 units are skipped until the last of those that
// are looked for was found.
func subsequence(in, wanted string) (skipped int, ok bool) {
	left := utf16.Encode([]rune(wanted))
	for _, u := range utf16.Encode([]rune(in)) {
		if len(left) == 0 {
			break
		}
		if u == left[0] {
			left = left[1:]
		} else {
			skipped++
		}
	}
	return skipped, len(left) == 0
}

// compareUnits is the order of UTF-16 units. It differs from that of characters only
// between those of two units and those from U+E000 on.
func compareUnits(a, b string) int {
	x, y := []rune(a), []rune(b)
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			if n := cmp.Compare(leading(x[i]), leading(y[i])); n != 0 {
				return n
			}
			return cmp.Compare(x[i], y[i])
		}
	}
	return cmp.Compare(len(x), len(y))
}

// leading is the first UTF-16 unit of a character.
func leading(r rune) rune {
	if r > 0xffff {
		r, _ = utf16.EncodeRune(r)
	}
	return r
}
