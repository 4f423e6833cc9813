package store

import (
	"bytes"
	"cmp"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/dsh-hcl/dsh/engine/eventlog"
)

// The index is a cache of what lists of sessions show, in one file beside the folder of
// the sessions. Format and rules: docs/format/index.md.

// stamp is the state of a file when it was read.
type stamp struct {
	size, written, changed int64 // bytes; nanoseconds
	inode                  uint64
}

func stampOf(info fs.FileInfo) stamp {
	st := stamp{size: info.Size(), written: info.ModTime().UnixNano()}
	st.identify(info)
	return st
}

// row is a file of the store as the index has it. Its texts share the text of the
// index and are escaped as they are there.
type row struct {
	key     string // folder, tab and name of the file without .jsonl
	folder  int32  // length of the folder in the key
	sum     uint32 // checksum of the key
	created int64
	cwd     string
	rest    string // the fields behind these
	bad     bool   // it is no log that can be read
	gone    bool
}

// index is what a file of the index says.
type index struct {
	rows    []row
	at      map[string]int32     // by key, nil before somebody asks
	folders map[string]indexedAs // by name
	bytes   int                  // of the file
	suspect bool                 // a line was damaged or not understood
}

// indexedAs is a folder whose names the index had.
type indexedAs struct {
	written int64 // of the folder, nanoseconds
	names   tally
}

// tally is the number of names and the sum of their checksums, in whatever order.
type tally struct{ n, sum uint64 }

func (t *tally) add(sum uint32) {
	t.n++
	t.sum += uint64(sum)
}

func checksum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// indexVersion begins each line behind its checksum. A line of another version is
// nobody's, and what it stood for is read anew.
const indexVersion = "1"

// line is a line of the index: checksum, version and fields.
func line(fields ...string) string {
	body := indexVersion + "\t" + strings.Join(fields, "\t")
	sum := strconv.FormatUint(uint64(checksum([]byte(body))), 16)
	return "00000000"[len(sum):] + sum + "\t" + body + "\n"
}

var (
	escaper   = strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`)
	unescaper = strings.NewReplacer(`\\`, `\`, `\t`, "\t", `\n`, "\n")
)

func unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	return unescaper.Replace(s)
}

// keyOf is the key of a file by its folder and its name without .jsonl.
func keyOf(folder, name string) string { return escaper.Replace(folder) + "\t" + escaper.Replace(name) }

// split is the folder and the name of a key.
func split(key string) (folder, name string) {
	folder, name, _ = strings.Cut(key, "\t")
	return unescape(folder), unescape(name)
}

func number(n int64) string { return strconv.FormatInt(n, 10) }

// fields are the state of a file; the time of its last change counts from its last
// write, which is shorter.
func (st stamp) fields() []string {
	return []string{number(st.size), number(st.written), number(st.changed - st.written), strconv.FormatUint(st.inode, 10)}
}

// logLine is the line of a log. The id is left out where it is the name.
func logLine(key string, h eventlog.Header, st stamp, sum Summary) string {
	id := h.ID
	if _, name := split(key); name == id {
		id = ""
	}
	fields := append([]string{"log", key, number(h.CreatedAt), escaper.Replace(h.Cwd), escaper.Replace(id)}, st.fields()...)
	for _, text := range [...]string{number(h.Version), h.Agent, h.Parent, number(h.SeedLength), number(h.Redacted), sum.Title, sum.Prompt} {
		fields = append(fields, escaper.Replace(text))
	}
	return line(fields...)
}

// badLine is the line of a file that is no log that can be read.
func badLine(key string, st stamp) string {
	return line(append([]string{"file", key, "0", "", ""}, st.fields()...)...)
}

func goneLine(key string) string { return line("gone", key) }

func folderLine(folder string, as indexedAs) string {
	return line("folder", escaper.Replace(folder), number(as.written), strconv.FormatUint(as.names.n, 10), strconv.FormatUint(as.names.sum, 10))
}

// known is a row with all its fields read.
type known struct {
	header eventlog.Header
	stamp  stamp
	sum    Summary
}

// read reads the fields of a row. ok is false for one that is not as it is written.
func (r *row) read() (k known, ok bool) {
	f := strings.Split(r.rest, "\t")
	ok = true
	integer := func(s string) int64 {
		n, err := strconv.ParseInt(s, 10, 64)
		ok = ok && err == nil
		return n
	}
	if len(f) < 5 {
		return known{}, false
	}
	f = f[1:] // the id
	k.stamp = stamp{size: integer(f[0]), written: integer(f[1])}
	k.stamp.changed = k.stamp.written + integer(f[2])
	inode, err := strconv.ParseUint(f[3], 10, 64)
	k.stamp.inode = inode
	ok = ok && err == nil
	if r.bad {
		return k, ok && len(f) == 4
	}
	if len(f) != 11 {
		return known{}, false
	}
	k.header = eventlog.Header{Version: integer(f[4]), ID: r.id(), CreatedAt: r.created, Cwd: unescape(r.cwd), Agent: unescape(f[5]),
		Parent: unescape(f[6]), SeedLength: integer(f[7]), Redacted: integer(f[8])}
	k.sum = Summary{Title: unescape(f[9]), Prompt: unescape(f[10])}
	// A file is named for its session, so a row that says otherwise says nothing.
	_, name := split(r.key)
	return k, ok && fileName(k.header) == name+".jsonl"
}

// id is the id of the session of a row.
func (r *row) id() string {
	if id := r.rest[:max(strings.IndexByte(r.rest, '\t'), 0)]; id != "" {
		return unescape(id)
	}
	return unescape(r.key[r.folder+1:])
}

// summary is what the session of a row is known by.
func (r *row) summary() Summary {
	end := strings.LastIndexByte(r.rest, '\t')
	if end < 0 {
		return Summary{}
	}
	return Summary{Title: unescape(r.rest[strings.LastIndexByte(r.rest[:end], '\t')+1 : end]), Prompt: unescape(r.rest[end+1:])}
}

// parseIndex reads an index, which it keeps. What it does not understand makes it
// suspect.
func parseIndex(raw []byte) *index {
	ix := &index{bytes: len(raw), folders: map[string]indexedAs{}}
	// A line is seldom shorter; room that is not needed costs nothing.
	ix.rows = make([]row, 0, len(raw)/200)
	// Nobody writes to raw from here on, and a copy of it would be dear.
	text := unsafe.String(unsafe.SliceData(raw), len(raw))
	later := map[string]int32{} // the rows behind the base, by key
	base, left := 0, 0          // rows of the base; lines of it that are to come
	for start := 0; start < len(raw); {
		n := bytes.IndexByte(raw[start:], '\n')
		if n < 0 {
			ix.suspect = true // a crash cut it
			break
		}
		line, checked := text[start:start+n], raw[start:start+n]
		start += n + 1
		kind, fields, ok := intact(line, checked)
		var r row
		switch {
		case !ok:
		case kind == "base":
			n, err := strconv.Atoi(fields)
			left, ok = n, err == nil && len(ix.rows) == 0
			ix.suspect = ix.suspect || !ok
			continue
		case kind == "folder":
			ok = ix.folder(fields)
		default:
			if r, ok = parseRow(kind, fields); ok {
				at := len(line) - len(fields)
				r.sum = checksum(checked[at : at+len(r.key)])
			}
		}
		if left--; left >= 0 {
			// No file has two rows in the base.
			if ok && r.key != "" {
				ix.rows = append(ix.rows, r)
				base = len(ix.rows)
			}
		} else if ok && r.key != "" {
			if i, again := later[r.key]; again {
				ix.rows[i] = r
			} else {
				later[r.key] = int32(len(ix.rows))
				ix.rows = append(ix.rows, r)
			}
		}
		ix.suspect = ix.suspect || !ok
	}
	switch {
	case ix.suspect:
		// Nothing is known of the base either.
		rows := ix.rows
		ix.rows, ix.at = nil, make(map[string]int32, len(rows))
		for _, r := range rows {
			ix.put(r)
		}
	case len(later) > 0:
		for i := range ix.rows[:base] {
			if j, ok := later[ix.rows[i].key]; ok {
				ix.rows[i], ix.rows[j] = ix.rows[j], row{gone: true}
			}
		}
	}
	return ix
}

// intact takes a line apart whose checksum fits and whose version is known.
func intact(line string, raw []byte) (kind, fields string, ok bool) {
	const body = len("00000000\t")
	if len(line) < body || line[body-1] != '\t' {
		return "", "", false
	}
	sum, ok := hex32(line[:body-1])
	if !ok || sum != checksum(raw[body:]) {
		return "", "", false
	}
	if line, ok = strings.CutPrefix(line[body:], indexVersion+"\t"); !ok {
		return "", "", false
	}
	return strings.Cut(line, "\t")
}

// parseRow reads the fields of a row.
func parseRow(kind, s string) (r row, ok bool) {
	// The key is two fields.
	folder := strings.IndexByte(s, '\t')
	if folder < 0 {
		return row{}, false
	}
	r.folder = int32(folder)
	if strings.ContainsAny(s[:folder], "/\x00") || s[:folder] == ".." || s[:folder] == "." {
		return row{}, false // no folder of this store
	}
	end := strings.IndexByte(s[folder+1:], '\t')
	if end < 0 {
		r.key, r.gone = s, true
		return r, kind == "gone" && !strings.ContainsAny(s[folder+1:], "/\x00")
	}
	r.key, r.bad = s[:folder+1+end], kind == "file"
	if kind != "log" && !r.bad || strings.ContainsAny(r.key[folder+1:], "/\x00") {
		return row{}, false
	}
	created, rest, ok := strings.Cut(s[len(r.key)+1:], "\t")
	if !ok {
		return row{}, false
	}
	var err error
	if r.created, err = strconv.ParseInt(created, 10, 64); err != nil {
		return row{}, false
	}
	r.cwd, r.rest, ok = strings.Cut(rest, "\t")
	return r, ok
}

func (ix *index) folder(s string) bool {
	f := strings.Split(s, "\t")
	if len(f) != 4 {
		return false
	}
	written, err := strconv.ParseInt(f[1], 10, 64)
	n, nerr := strconv.ParseUint(f[2], 10, 64)
	sum, serr := strconv.ParseUint(f[3], 10, 64)
	if errors.Join(err, nerr, serr) != nil {
		return false
	}
	ix.folders[unescape(f[0])] = indexedAs{written, tally{n, sum}}
	return true
}

// hex32 reads eight hexadecimal digits in lower case.
func hex32(s string) (n uint32, ok bool) {
	for i := range len(s) {
		c := s[i]
		switch {
		case c >= '0' && c <= '9':
			n = n<<4 | uint32(c-'0')
		case c >= 'a' && c <= 'f':
			n = n<<4 | uint32(c-'a'+10)
		default:
			return 0, false
		}
	}
	return n, true
}

// find is the place of the row of a file, -1 for none.
func (ix *index) find(key []byte) int {
	if ix.at == nil {
		ix.at = make(map[string]int32, len(ix.rows))
		for i, r := range ix.rows {
			if r.key != "" {
				ix.at[r.key] = int32(i)
			}
		}
	}
	if i, ok := ix.at[string(key)]; ok {
		return int(i)
	}
	return -1
}

// put makes a row the last word on its file.
func (ix *index) put(r row) {
	if i := ix.find([]byte(r.key)); i >= 0 {
		ix.rows[i] = r
		return
	}
	ix.at[r.key] = int32(len(ix.rows))
	ix.rows = append(ix.rows, r)
}

// take makes lines that were just written the last word.
func (ix *index) take(lines string) {
	for _, r := range parseIndex([]byte(lines)).rows {
		ix.put(r)
	}
	ix.bytes += len(lines)
}

// indexPath is where the index lies, beside the folder of the sessions.
func (s *Store) indexPath() string { return s.root + ".index" }

// indexed reports whether this store keeps an index: one whose logs lie on the disk.
func (s *Store) indexed() bool {
	_, ok := s.log.Files.(eventlog.Disk)
	return ok
}

// loadIndex reads the index. One that is missing or cannot be read is empty.
func (s *Store) loadIndex() *index {
	var raw []byte
	err := plain(s.indexPath())
	if err == nil {
		raw, err = eventlog.Disk{}.Read(s.indexPath())
	}
	if err != nil {
		raw = nil
	}
	return parseIndex(raw)
}

// note appends lines to the index, in one write and without waiting for the disk. An
// index that cannot be written is one that lists heal, so nobody has to know.
func (s *Store) note(lines string) error {
	if lines == "" || !s.indexed() {
		return nil
	}
	path := s.indexPath()
	if err := plain(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for range 3 {
		f, err := eventlog.Disk{}.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			f, err = os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
			if errors.Is(err, fs.ErrExist) {
				continue
			}
		}
		if err != nil {
			return err
		}
		_, err = io.WriteString(f, lines)
		kept := replaced(f, path) == nil
		if err = errors.Join(err, f.Close()); err != nil || kept {
			return err
		}
		// It was compacted meanwhile, and what was written is in the old file.
	}
	return nil
}

// plain refuses an index that is a link, or anything else that is no file: it would be
// written where nobody expects it.
func plain(path string) error {
	info, err := os.Lstat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = &eventlog.SpecialFileError{Path: path, Mode: info.Mode().Type()}
	}
	return err
}

var errCompacted = errors.New("the index was replaced")

// replaced reports whether a path leads to another file than the open one.
func replaced(f eventlog.File, path string) error {
	open, ok := f.(interface{ Stat() (os.FileInfo, error) })
	if !ok {
		return nil
	}
	a, err := open.Stat()
	if err != nil {
		return err
	}
	b, err := os.Stat(path)
	if err == nil && !os.SameFile(a, b) {
		err = errCompacted
	}
	return err
}

// slack is how much an index may hold besides what counts, in bytes.
const slack = 64 << 10

// compact rewrites the index when it is more than twice what it holds, or holds what
// nobody understands, or when it was just rebuilt: the rows by the time of their
// creation. Lines that come meanwhile are carried over.
func (s *Store) compact(ix *index, rebuilt bool) error {
	live := 0
	for i := range ix.rows {
		if r := &ix.rows[i]; !r.gone {
			live += len("00000000\t1\tlog\t\t\t\t\n") + len(r.key) + len("1700000000000") + len(r.cwd) + len(r.rest)
		}
	}
	if !s.indexed() || !ix.suspect && !rebuilt && ix.bytes <= 2*live+slack {
		return nil
	}
	path := s.indexPath()
	lock, err := eventlog.Acquire(path, s.holder())
	if err != nil {
		return err // somebody else does it
	}
	defer func() { _ = lock.Release() }()
	old, err := eventlog.OpenRegular(path)
	if err != nil {
		return err
	}
	defer old.Close()
	// Read again: what came since counts.
	raw, err := io.ReadAll(old)
	if err != nil {
		return err
	}
	if err := plain(path); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = tmp.WriteString(parseIndex(raw).text())
	if err = errors.Join(err, tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	late, err := io.ReadAll(old)
	if err != nil {
		return err
	}
	return s.note(string(late))
}

// text is the index as it is written anew.
func (ix *index) text() string {
	rows := slices.DeleteFunc(slices.Clone(ix.rows), func(r row) bool { return r.gone })
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(a.created, b.created) })
	var out strings.Builder
	out.WriteString(line("base", strconv.Itoa(len(rows))))
	for _, r := range rows {
		kind := "log"
		if r.bad {
			kind = "file"
		}
		out.WriteString(line(kind, r.key, number(r.created), r.cwd, r.rest))
	}
	for name, as := range ix.folders {
		out.WriteString(folderLine(name, as))
	}
	return out.String()
}

// pathOf is where the file of a key lies.
func (s *Store) pathOf(key string) string {
	folder, name := split(key)
	return filepath.Join(s.root, folder, name+".jsonl")
}
