package ref

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"

	"github.com/dsh-hcl/dsh/engine/msg"
)

// Record is a session as a store lists it.
type Record struct {
	SessionID string
	Cwd       msg.Opt[string]
	CreatedAt int64 // Unix milliseconds
}

// Candidate is a session that is offered for a reference.
type Candidate struct {
	Record
	Label string
}

// Catalogue is where candidates come from. Titles returns the titles of some
// sessions, by id; one without a title, or whose title cannot be read, is left out.
// Check, which may be nil, belongs to a catalogue that answers from what it noted: it
// holds what was said of some sessions to the sessions themselves, and reports whether
// something was not so; the catalogue is right about these from then on.
type Catalogue struct {
	List   func(ctx context.Context) ([]Record, error)
	Titles func(ctx context.Context, ids []string) (map[string]string, error)
	Check  func(ctx context.Context, ids []string) (changed bool, err error)
}

// SortListing puts records in the order of a listing: the newest first, those of one
// moment by their ids, as people sort names.
func SortListing(records []Record) {
	newest := func(a, b Record) int { return cmp.Compare(b.CreatedAt, a.CreatedAt) }
	if !slices.IsSortedFunc(records, newest) {
		slices.SortStableFunc(records, newest)
	}
	var c *collate.Collator // it is dear, and seldom asked
	for i := 0; i < len(records); {
		n := i + 1
		for n < len(records) && records[n].CreatedAt == records[i].CreatedAt {
			n++
		}
		if n-i > 1 {
			if c == nil {
				c = collate.New(language.Und)
			}
			slices.SortStableFunc(records[i:n], func(a, b Record) int { return c.CompareString(a.SessionID, b.SessionID) })
		}
		i = n
	}
}

// ListCandidates offers sessions for a reference from target, at most limit: those of
// the same folder first, then those without one, then the others, each in the order
// of the listing. A query has to stand in the id, the folder or the label, whatever
// the case. Errors: *Error with CodeInvalidReference for a limit that is not
// positive, with CodeCancelled; those of the catalogue as they are
// (spec/references.md section 9.1).
func ListCandidates(ctx context.Context, target Record, query string, limit int64, from Catalogue) ([]Candidate, error) {
	if limit < 1 || limit > mostSafe {
		return nil, &Error{Code: CodeInvalidReference, Message: fmt.Sprintf("the limit of candidates is %d and must be positive", limit)}
	}
	// Who writes all the while is listed as it was a moment ago.
	const rounds = 100
	for round := 0; ; round++ {
		found, err := candidates(ctx, target, query, limit, from)
		if err != nil || from.Check == nil || len(found) == 0 || round == rounds {
			return found, err
		}
		changed, err := from.Check(ctx, ids(found))
		if ctx.Err() != nil {
			return nil, cancelled(ctx)
		}
		if err != nil || !changed {
			return found, err
		}
	}
}

// candidates is ListCandidates that takes the catalogue at its word.
func candidates(ctx context.Context, target Record, query string, limit int64, from Catalogue) ([]Candidate, error) {
	if ctx.Err() != nil {
		return nil, cancelled(ctx)
	}
	listed, err := from.List(ctx)
	if ctx.Err() != nil {
		return nil, cancelled(ctx)
	}
	if err != nil {
		return nil, err
	}
	offered := func(Record) bool { return true }
	var asked []string
	var found []Candidate
	if query == "" {
		// The titles of those that are offered are enough.
		found = first(listed, target, limit, offered)
		asked = ids(found)
	} else {
		for _, r := range listed {
			if r.SessionID != target.SessionID {
				asked = append(asked, r.SessionID)
			}
		}
	}
	titles, err := from.Titles(ctx, asked)
	if ctx.Err() != nil {
		return nil, cancelled(ctx)
	}
	if err != nil {
		return nil, err
	}
	if query != "" {
		wanted := Lower(query)
		found = first(listed, target, limit, func(r Record) bool {
			return contains(r.SessionID, wanted) || contains(titles[r.SessionID], wanted) || contains(r.Cwd.Or(""), wanted)
		})
	}
	for i := range found {
		if title, ok := titles[found[i].SessionID]; ok {
			found[i].Label = title
		}
	}
	return found, nil
}

// first are the first candidates by rank, in the order of the listing, of those that
// fit.
func first(listed []Record, target Record, limit int64, fits func(Record) bool) []Candidate {
	here, known := target.Cwd.Get()
	var ranks [3][]Candidate
	for _, r := range listed {
		cwd, any := r.Cwd.Get()
		rank := 2
		switch {
		case !any:
			rank = 1
		case known && cwd == here:
			rank = 0
		}
		if int64(len(ranks[rank])) < limit && r.SessionID != target.SessionID && fits(r) {
			ranks[rank] = append(ranks[rank], Candidate{r, r.SessionID})
		}
	}
	found := slices.Concat(ranks[:]...)
	return found[:min(int64(len(found)), limit)]
}

func ids(found []Candidate) []string {
	out := make([]string, len(found))
	for i, c := range found {
		out[i] = c.SessionID
	}
	return out
}

// contains reports whether a text in lower case has lower in it.
func contains(s, lower string) bool {
	if len(s) > 256 {
		return strings.Contains(Lower(s), lower)
	}
	var room [256]byte
	for i := range len(s) {
		c := s[i]
		switch {
		case c >= 0x80:
			return strings.Contains(Lower(s), lower)
		case c >= 'A' && c <= 'Z':
			c |= 0x20
		}
		room[i] = c
	}
	return bytes.Contains(room[:len(s)], []byte(lower))
}
