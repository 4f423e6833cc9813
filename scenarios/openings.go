package scenarios

import (
	"bytes"
	"os"
	"path/filepath"
	"sync"

	"github.com/dsh-hcl/dsh/engine/store"
)

// openings are the sessions that a scenario opened, each with whether what was loaded
// for it is the project's own configuration, byte for byte: only a header of such a one
// says what the project says. nil is for a project without configuration, which has
// none. It may be used by several goroutines.
type openings struct {
	base []File // of the project, Host.Reads
	work string // the scenario's folder

	mu sync.Mutex
	of map[string][]opening // by session, in the order of their events
}

// opening is the time from one event of a session until it is opened again.
type opening struct {
	from int64 // seq of the first event
	own  bool
}

func newOpenings(base []File, work string) *openings {
	return &openings{base: base, work: work, of: map[string][]opening{}}
}

// add is told a session that is being opened.
func (o *openings) add(s *store.Session, reads []File) {
	if o == nil {
		return
	}
	own := o.untouched() && o.lists(reads)
	o.mu.Lock()
	defer o.mu.Unlock()
	id := s.Log.Header().ID
	o.of[id] = append(o.of[id], opening{from: s.State.Next(), own: own})
}

// composed is told that the prefix of an open session is there: what it was made of may
// have been replaced since the session was opened.
func (o *openings) composed(session string) {
	if o == nil || o.untouched() {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if all := o.of[session]; len(all) > 0 {
		all[len(all)-1].own = false
	}
}

// own reports whether an event of a session was logged under the project's own
// configuration.
func (o *openings) own(session string, seq int64) bool {
	if o == nil {
		return false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	own := false
	for _, one := range o.of[session] {
		if one.from <= seq {
			own = one.own
		}
	}
	return own
}

// lists reports whether a configuration reads the project's files where they were put,
// and no others.
func (o *openings) lists(reads []File) bool {
	own := map[string]bool{}
	for _, f := range o.base {
		own[filepath.Join(o.work, filepath.FromSlash(f.Name))] = true
	}
	for _, f := range reads {
		if !own[f.Path] {
			return false
		}
	}
	return true
}

// untouched reports whether the project's files are in the scenario's folder as they are
// in the project. The scripted model may be another one.
func (o *openings) untouched() bool {
	for _, f := range o.base {
		if f.Answers {
			continue
		}
		want, err := os.ReadFile(f.Path)
		if err != nil {
			return false
		}
		got, err := os.ReadFile(filepath.Join(o.work, filepath.FromSlash(f.Name)))
		if err != nil || !bytes.Equal(got, want) {
			return false
		}
	}
	return true
}
