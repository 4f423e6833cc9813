package store

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/eventlog"
)

// Listed is a session with what a person recognises it by.
type Listed struct {
	Entry
	Summary
}

// Listing is the sessions of a store as its index knows them, brought in line with the
// names in its folders. What a row says was true when the index was written; Check
// holds rows to their logs. It is owned by one goroutine.
type Listing struct {
	s     *Store
	ix    *index
	order []int32 // of the rows, nil before somebody asks
}

// Row is a session of a listing, by its place.
type Row struct {
	At        int
	ID, Cwd   string
	CreatedAt int64 // Unix milliseconds
}

// settled is how old the last write of a folder has to be for its time to tell that
// nothing came since: clocks of file systems are coarse.
const settled = 2 * time.Second

// Listing reads the index and heals it: what a folder has and the index has not is
// read, what the folder does not have is dropped. A folder that was not written since
// the index had all its names is not read. An index that cannot be written is healed
// in memory. Errors: those of reading folders.
func (s *Store) Listing() (*Listing, error) {
	l := &Listing{s: s, ix: s.loadIndex()}
	return l, l.heal()
}

// heal brings the index in line with the folders.
func (l *Listing) heal() error {
	folders, err := l.s.folders()
	if err != nil {
		return err
	}
	var missing []string
	var fresh strings.Builder
	indexed := l.tallies()
	inLine := map[string]bool{} // folders whose rows are those of their files
	seen := map[int]bool{}      // rows of other folders whose files are there
	for _, f := range folders {
		key := escaper.Replace(f.name)
		rows := indexed[key]
		// Nothing was written to the folder since the index had its names, and it still
		// has them.
		if as, ok := l.ix.folders[f.name]; ok && !l.ix.suspect && as == (indexedAs{f.written, rows}) {
			inLine[key] = true
			continue
		}
		names := tally{}
		if err := l.s.names(f.name, func(key []byte) { names.add(checksum(key)) }); err != nil {
			return err
		}
		if inLine[key] = names == rows; !inLine[key] {
			names = tally{}
			err := l.s.names(f.name, func(key []byte) {
				names.add(checksum(key))
				if i := l.ix.find(key); i >= 0 && !l.ix.rows[i].gone {
					seen[i] = true
					return
				}
				missing = append(missing, string(key))
			})
			if err != nil {
				return err
			}
		}
		if time.UnixMilli(l.s.log.Now()).Sub(time.Unix(0, f.written)) > settled {
			fresh.WriteString(folderLine(f.name, indexedAs{f.written, names}))
		}
	}
	var gone strings.Builder
	l.inFolders(func(i int, folder string) {
		if !inLine[folder] && !seen[i] {
			gone.WriteString(goneLine(l.ix.rows[i].key))
		}
	})
	l.keep(gone.String())
	l.reread(missing)
	if l.ix.suspect {
		// A line that is lost may have been the last word on any of the rows.
		l.Check(nil)
	}
	l.keep(fresh.String())
	_ = l.s.compact(l.ix, len(missing) >= batchSize)
	return nil
}

// keep notes lines, and takes them in.
func (l *Listing) keep(lines string) {
	l.ix.take(lines)
	l.order = nil
	_ = l.s.note(lines)
}

// inFolders hands out the rows that are not gone, with their folders as keys spell them.
func (l *Listing) inFolders(visit func(i int, folder string)) {
	for i := range l.ix.rows {
		if r := &l.ix.rows[i]; !r.gone {
			visit(i, r.key[:r.folder])
		}
	}
}

// tallies are the names that the index has of each folder.
func (l *Listing) tallies() map[string]tally {
	all := map[string]*tally{}
	var last string
	var counts *tally
	l.inFolders(func(i int, folder string) {
		if counts == nil || folder != last {
			if last, counts = folder, all[folder]; counts == nil {
				counts = &tally{}
				all[folder] = counts
			}
		}
		counts.add(l.ix.rows[i].sum)
	})
	out := make(map[string]tally, len(all))
	for folder, t := range all {
		out[folder] = *t
	}
	return out
}

// folder is a folder of the store with the time of its last write.
type folder struct {
	name    string
	written int64
}

func (s *Store) folders() ([]folder, error) {
	dirs, err := os.ReadDir(s.root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []folder
	for _, d := range dirs {
		if !d.IsDir() {
			continue
		}
		info, err := os.Stat(filepath.Join(s.root, d.Name()))
		if err != nil {
			return nil, err
		}
		out = append(out, folder{d.Name(), info.ModTime().UnixNano()})
	}
	return out, nil
}

// names hands out the keys of the files of a folder that are named as logs are.
func (s *Store) names(folder string, visit func(key []byte)) error {
	d, err := os.Open(filepath.Join(s.root, folder))
	if err != nil {
		return err
	}
	defer d.Close()
	key := append([]byte(escaper.Replace(folder)), '\t')
	prefix := len(key)
	for {
		names, err := d.Readdirnames(4096)
		for _, n := range names {
			if name, ok := strings.CutSuffix(n, ".jsonl"); ok {
				if strings.ContainsAny(name, "\\\t\n") {
					name = escaper.Replace(name)
				}
				key = append(key[:prefix], name...)
				visit(key)
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// batchSize is how many logs are read before what they say is written to the index, so
// that a rebuild that is broken off is not begun anew.
const batchSize = 1024

// reread reads files of the store, several at a time, and hands out their lines.
func (s *Store) reread(keys []string, use func(lines string)) {
	for len(keys) > 0 {
		batch := keys[:min(len(keys), batchSize)]
		keys = keys[len(batch):]
		lines := make([]string, len(batch))
		var group sync.WaitGroup
		workers := min(runtime.GOMAXPROCS(0), len(batch))
		for w := range workers {
			group.Go(func() {
				for i := w; i < len(batch); i += workers {
					lines[i], _ = s.lineOf(batch[i])
				}
			})
		}
		group.Wait()
		use(strings.Join(lines, ""))
	}
}

// lineOf reads a file of the store whole and returns its line.
func (s *Store) lineOf(key string) (string, error) {
	path := s.pathOf(key)
	info, err := os.Lstat(path)
	if err != nil {
		return goneLine(key), err
	}
	e, err := listed(path, info)
	if err != nil {
		return badLine(key, stampOf(info)), err
	}
	return logLine(key, e.Header, stampOf(info), s.Summarise(e)), nil
}

// Len is the number of rows, those that are no sessions included.
func (l *Listing) Len() int { return len(l.ix.rows) }

// Rows are the sessions, those that were created last first.
func (l *Listing) Rows() iter.Seq[Row] {
	order := l.sorted()
	return func(yield func(Row) bool) {
		var raw, cwd string
		for _, i := range order {
			r := &l.ix.rows[i]
			if r.gone || r.bad {
				continue // since the order was made
			}
			if r.cwd != raw {
				raw, cwd = r.cwd, unescape(r.cwd)
			}
			if !yield(Row{At: int(i), ID: r.id(), Cwd: cwd, CreatedAt: r.created}) {
				return
			}
		}
	}
}

// sorted is the order of the rows. It stays while they do.
func (l *Listing) sorted() []int32 {
	rows := l.ix.rows
	if l.order != nil {
		return l.order
	}
	l.order = make([]int32, 0, len(rows))
	for i := len(rows) - 1; i >= 0; i-- {
		if !rows[i].gone && !rows[i].bad {
			l.order = append(l.order, int32(i))
		}
	}
	slices.SortFunc(l.order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(rows[b].created, rows[a].created), cmp.Compare(b, a))
	})
	return l.order
}

// Summary is what the index knows a session by.
func (l *Listing) Summary(at int) Summary { return l.ix.rows[at].summary() }

// Empty reports whether the index knows of nothing that a person said in a session.
func (l *Listing) Empty(at int) bool { return strings.HasSuffix(l.ix.rows[at].rest, "\t\t") }

// Check holds rows to their logs, nil for all of them, and reports whether one of them
// says something else than its log. The listing and the index are right about these
// then.
func (l *Listing) Check(at []int) bool {
	if at == nil {
		at = make([]int, len(l.ix.rows))
		for i := range at {
			at[i] = i
		}
	}
	var stale []string
	said := map[string]known{}
	for _, i := range at {
		r := &l.ix.rows[i]
		if r.gone {
			continue
		}
		k, ok := r.read()
		info, err := os.Lstat(l.s.pathOf(r.key))
		if ok && err == nil && stampOf(info) == k.stamp && (r.bad || info.Mode().IsRegular()) {
			continue
		}
		stale = append(stale, r.key)
		if ok {
			said[r.key] = k
		}
	}
	l.reread(stale)
	changed := false
	for _, i := range at {
		// A second row of one file would be stale for ever.
		if r := &l.ix.rows[i]; !r.gone && r.key != "" && l.ix.find([]byte(r.key)) != i {
			*r, l.ix.suspect, changed = row{gone: true}, true, true
		}
	}
	for _, key := range stale {
		r := l.ix.rows[l.ix.find([]byte(key))]
		before, ok := said[key]
		now, _ := r.read()
		changed = changed || !ok || r.gone || before.header != now.header || before.sum != now.sum
	}
	return changed
}

// reread reads files anew and notes what they say.
func (l *Listing) reread(keys []string) { l.s.reread(keys, l.keep) }

// Summaries returns all sessions with their summaries, the most recently written
// first, and the files that are left out, and why. Each row of the index is held to its
// log first.
func (s *Store) Summaries() ([]Listed, []*UnreadableError, error) {
	l, err := s.Listing()
	if err != nil {
		return nil, nil, err
	}
	l.Check(nil)
	var out []Listed
	var left []*UnreadableError
	for i := range l.ix.rows {
		r := &l.ix.rows[i]
		if r.gone {
			continue
		}
		path := s.pathOf(r.key)
		k, _ := r.read()
		if !r.bad {
			out = append(out, Listed{Entry{path, k.header, time.Unix(0, k.stamp.written), k.stamp.size}, k.sum})
			continue
		}
		// Why it cannot be read is asked again: permissions leave no trace everywhere.
		e, err := s.entry(l.ix, r.key)
		switch {
		case err == nil:
			out = append(out, Listed{e, s.Summarise(e)})
		case !errors.Is(err, fs.ErrNotExist):
			left = append(left, &UnreadableError{path, err})
		}
	}
	sort.Slice(out, func(i, j int) bool { return newer(out[i].Entry, out[j].Entry) })
	sort.Slice(left, func(i, j int) bool { return left[i].Path < left[j].Path })
	return out, left, nil
}

// newer is the order of lists: the most recently written first.
func newer(a, b Entry) bool {
	if !a.Updated.Equal(b.Updated) {
		return a.Updated.After(b.Updated)
	}
	return a.Header.ID > b.Header.ID
}

// noter keeps the row of a session that is written up to date.
type noter struct {
	s       *Store
	log     *eventlog.Log
	sum     Summary
	listed  bool // there is a row by now
	pending bool // the row is not the last word
	due     bool // it is to be soon
	held    bool // rows wait
}

// event is told each event after it was written. A row says that it knows the file as
// it is, so it is written when all events of one write are known.
func (n *noter) event(e event.Event) {
	n.sum.add(e)
	n.pending = true
	n.due = n.due || !n.listed || e.Type == "turn/end" || e.Type == "session/title"
	if n.due && !n.held && e.Seq+1 == n.log.Next() {
		n.write()
	}
}

// write notes the session as its log stands. Whoever writes a log never fails for the
// index.
func (n *noter) write() {
	if !n.s.indexed() {
		return
	}
	path := n.log.Path()
	if info, err := os.Lstat(path); err == nil && filepath.Dir(filepath.Dir(path)) == n.s.root {
		_ = n.s.note(logLine(n.s.keyAt(path), n.log.Header(), stampOf(info), n.sum))
		n.listed, n.pending, n.due = true, false, false
	}
}

// keyAt is the key of a file of the store.
func (s *Store) keyAt(path string) string {
	return keyOf(filepath.Base(filepath.Dir(path)), strings.TrimSuffix(filepath.Base(path), ".jsonl"))
}

// flush notes what no row says yet.
func (n *noter) flush() {
	n.held = false
	if n.pending {
		n.write()
	}
}
