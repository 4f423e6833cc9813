package ref

import (
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
type Catalogue struct {
	List   func(ctx context.Context) ([]Record, error)
	Titles func(ctx context.Context, ids []string) (map[string]string, error)
}

// SortListing puts records in the order of a listing: the newest first, those of one
// moment by their ids, as people sort names.
func SortListing(records []Record) {
	c := collate.New(language.Und)
	slices.SortStableFunc(records, func(a, b Record) int {
		if n := cmp.Compare(b.CreatedAt, a.CreatedAt); n != 0 {
			return n
		}
		return c.CompareString(a.SessionID, b.SessionID)
	})
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
	var found []Candidate
	for _, r := range listed {
		if r.SessionID != target.SessionID {
			found = append(found, Candidate{r, r.SessionID})
		}
	}
	rank := func(c Candidate) int {
		here, known := target.Cwd.Get()
		cwd, any := c.Cwd.Get()
		switch {
		case !any:
			return 1
		case known && cwd == here:
			return 0
		}
		return 2
	}
	ranked := func() {
		slices.SortStableFunc(found, func(a, b Candidate) int { return rank(a) - rank(b) })
		found = found[:min(int64(len(found)), limit)]
	}
	if query == "" {
		ranked()
	}
	ids := make([]string, len(found))
	for i, c := range found {
		ids[i] = c.SessionID
	}
	titles, err := from.Titles(ctx, ids)
	if ctx.Err() != nil {
		return nil, cancelled(ctx)
	}
	if err != nil {
		return nil, err
	}
	for i := range found {
		if title, ok := titles[found[i].SessionID]; ok {
			found[i].Label = title
		}
	}
	if query != "" {
		wanted := Lower(query)
		found = slices.DeleteFunc(found, func(c Candidate) bool {
			return !strings.Contains(Lower(c.SessionID), wanted) && !strings.Contains(Lower(c.Cwd.Or("")), wanted) && !strings.Contains(Lower(c.Label), wanted)
		})
		ranked()
	}
	return found, nil
}
