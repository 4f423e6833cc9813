// Package trust remembers which configurations a person allowed to start
// processes, to reach an endpoint or to read the environment. The record is the
// configuration's folder and a digest of exactly these declarations, so a changed
// one asks again. The package decides nothing about what needs trust; that is
// config.Config.Starts. It promises that a record is whole on disk or absent, and
// that a damaged file is an error and never an empty one.
package trust

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dsh-hcl/dsh/config/confine"
)

// version of the file. A file of another version is refused, not guessed at.
const version = 1

// Store is the file of records. Several processes may use one file: each write
// reads it anew and replaces it whole, so that of two writes at the same moment
// one may be lost, which asks again; none is torn. A Store is not safe for
// concurrent use by goroutines.
type Store struct {
	path    string
	records []record
}

// record is one allowed folder, its current digest and when it was allowed.
type record struct {
	Folder  string    `json:"folder"`
	Digest  string    `json:"digest"`
	Allowed time.Time `json:"allowed"`
}

type file struct {
	Version int      `json:"version"`
	Folders []record `json:"folders"`
}

// DamagedError is a file of records that cannot be read as one. Nothing is
// trusted until a person repaired or removed it.
type DamagedError struct {
	Path   string
	Reason string
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("the record of trusted folders %s is damaged: %s; remove it to start anew", e.Path, e.Reason)
}

// Open reads the records at path. An absent file holds none. Errors:
// *DamagedError, what the file system says.
func Open(path string) (*Store, error) {
	s := &Store{path: path}
	if err := s.load(); err != nil {
		return nil, err
	}
	return s, nil
}

// Allowed reports whether a person allowed this digest for the folder, given as an
// absolute path. The digest of no starts is allowed everywhere: there is nothing
// to trust.
func (s *Store) Allowed(dir, digest string) bool {
	if digest == Digest(nil) {
		return true
	}
	dir = filepath.Clean(dir)
	return slices.ContainsFunc(s.records, func(r record) bool { return r.Folder == dir && r.Digest == digest })
}

// Allow records the digest for the folder, given as an absolute path, in place of
// the folder's earlier one, and returns when the record is on disk. The file gets
// mode 0600, a folder that has to be made 0700. Errors: *DamagedError, what the
// file system says; the records are then as they were.
func (s *Store) Allow(dir, digest string, when time.Time) error {
	if !filepath.IsAbs(dir) {
		return fmt.Errorf("trusted folder %q is not an absolute path", dir)
	}
	if !utf8.ValidString(dir) {
		return fmt.Errorf("trusted folder %q is not UTF-8", dir) // JSON would blend it with others
	}
	if err := s.load(); err != nil {
		return err
	}
	dir = filepath.Clean(dir)
	records := slices.DeleteFunc(slices.Clone(s.records), func(r record) bool { return r.Folder == dir })
	records = append(records, record{Folder: dir, Digest: digest, Allowed: when.UTC().Truncate(time.Second)})
	slices.SortFunc(records, func(a, b record) int { return strings.Compare(a.Folder, b.Folder) })
	return s.write(records)
}

// Revoke removes the records of the folders, given as absolute paths, and reports
// whether there was one. It returns when that is on disk. Errors are those of Allow;
// the records are then as they were.
func (s *Store) Revoke(dirs ...string) (bool, error) {
	if err := s.load(); err != nil {
		return false, err
	}
	records := slices.DeleteFunc(slices.Clone(s.records), func(r record) bool {
		return slices.ContainsFunc(dirs, func(dir string) bool { return r.Folder == filepath.Clean(dir) })
	})
	if len(records) == len(s.records) {
		return false, nil
	}
	return true, s.write(records)
}

// write puts the records on disk.
func (s *Store) write(records []record) error {
	data, err := json.MarshalIndent(file{Version: version, Folders: records}, "", "  ")
	if err != nil {
		return fmt.Errorf("the record of trusted folders: %w", err)
	}
	if err := replace(s.path, append(data, '\n')); err != nil {
		return fmt.Errorf("the record of trusted folders: %w", err)
	}
	s.records = records
	return nil
}

func (s *Store) load() error {
	data, err := confine.ReadFile(s.path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		s.records = nil
		return nil
	}
	if err != nil {
		return fmt.Errorf("the record of trusted folders: %w", err)
	}
	records, err := parse(data)
	if err != nil {
		return &DamagedError{Path: s.path, Reason: err.Error()}
	}
	s.records = records
	return nil
}

// maxFile bounds the file, in bytes: far more records than a person makes.
const maxFile = 16 << 20

// parse accepts what Allow writes and nothing looser: whoever edits the file by
// hand must learn of a slip, since a record that is overlooked is trust that
// seems to be given and is not, or the reverse.
func parse(data []byte) ([]record, error) {
	var f file
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&f); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("something follows the records")
	}
	if f.Version != version {
		return nil, fmt.Errorf("version %d, this program reads version %d", f.Version, version)
	}
	for i, r := range f.Folders {
		switch {
		case !filepath.IsAbs(r.Folder) || filepath.Clean(r.Folder) != r.Folder:
			return nil, fmt.Errorf("folder %q is not a clean absolute path", r.Folder)
		case len(r.Digest) != len(Digest(nil)):
			return nil, fmt.Errorf("folder %q has no digest", r.Folder)
		case i > 0 && f.Folders[i-1].Folder >= r.Folder:
			return nil, fmt.Errorf("folder %q is repeated or out of order", r.Folder)
		}
	}
	return f.Folders, nil
}
