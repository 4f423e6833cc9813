package ref_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/ref"
)

// source is a session as a vector gives it: what reading it comes to, and when.
type source struct {
	ID        string
	Snapshot  *snapshot
	FailError *string
	FailValue *string
	Delay     int // milliseconds
	Abort     string
}

// reader reads the sources of a case and keeps the order of the reads.
type reader struct {
	t       *testing.T
	sources []source
	abort   func()
	over    chan struct{} // closed when the case is over, for reads that hang
	mu      sync.Mutex
	reads   []string
}

func (r *reader) read(ctx context.Context, id string) (ref.Snapshot, error) {
	r.mu.Lock()
	r.reads = append(r.reads, id)
	r.mu.Unlock()
	i := slices.IndexFunc(r.sources, func(s source) bool { return s.ID == id })
	if i < 0 {
		return ref.Snapshot{}, fmt.Errorf("session %q not found", id)
	}
	s := r.sources[i]
	if s.Delay > 0 {
		select {
		case <-time.After(time.Duration(s.Delay) * time.Millisecond):
		case <-r.over:
		}
	}
	if s.Abort != "" {
		r.abort()
	}
	switch {
	case s.Abort == "then-hang":
		<-r.over
	case s.Abort == "then-reject":
		return ref.Snapshot{}, errors.New("after the abort")
	case s.FailError != nil:
		return ref.Snapshot{}, errors.New(*s.FailError)
	case s.FailValue != nil:
		return ref.Snapshot{}, errors.New(*s.FailValue)
	}
	return s.Snapshot.read(r.t), nil
}

// limits is a configuration as the vectors write it.
type limits map[string]json.RawMessage

func (l limits) config() (ref.Config, error) {
	var c ref.Config
	for name, field := range map[string]*int64{"maxReferences": &c.MaxReferences, "candidateLimit": &c.CandidateLimit, "maxReferenceBytes": &c.MaxReferenceBytes} {
		raw, ok := l[name]
		if !ok {
			continue
		}
		if err := json.Unmarshal(raw, field); err != nil {
			return c, err
		}
		if *field == 0 {
			*field = -1 // a zero that was given is none that was left out
		}
	}
	c = c.Default()
	return c, c.Check()
}

// context is the context of a case: how it is cancelled, and by whom.
func signal(t *testing.T, how string) (context.Context, func()) {
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	if how == "aborted-before" {
		cancel()
	}
	return ctx, cancel
}

// frame is how a snapshot is compared: the data between the tags.
func framed(t *testing.T, p ref.Prepared) string {
	t.Helper()
	_, rest, ok := strings.Cut(p.Content.Text(), "<referenced-sessions>\n")
	data, after, ok2 := strings.Cut(rest, "\n</referenced-sessions>")
	if !ok || !ok2 || after != "" {
		t.Fatalf("the snapshot is %q", p.Content.Text())
	}
	return data
}

type wantContext struct {
	Source json.RawMessage
	Text   struct{ FramedJSON string }
}

func TestPrepareVectors(t *testing.T) {
	divergent := 0
	vectors(t, "prepare", func(t *testing.T, c struct {
		Op, Target, Signal string
		Config             limits
		References         json.RawMessage
		Sources            []source
		Expect             struct {
			Direct            struct{ Error string }
			Error             string
			AdditionalContext *wantContext
		}
		Reads []string
	}) {
		config, err := c.Config.config()
		if c.Op == "config" {
			if config.MaxReferences > 3 && err == nil && c.Expect.Direct.Error != "" {
				divergent++ // up to 16 here
				return
			}
			if (err != nil) != (c.Expect.Direct.Error != "") {
				t.Errorf("%v, not %q", err, c.Expect.Direct.Error)
			}
			return
		}
		synctest.Test(t, func(t *testing.T) {
			ctx, abort := signal(t, c.Signal)
			r := &reader{t: t, sources: c.Sources, abort: abort, over: make(chan struct{})}
			defer func() { close(r.over); synctest.Wait() }()
			v, perr := canon.Parse(string(c.References))
			if perr != nil {
				t.Fatal(perr)
			}
			cites, ok := ref.ParseCites(v)
			if !ok {
				t.Fatal("no list of references")
			}
			var got ref.Prepared
			any := false
			err := func() error {
				refs, err := ref.Distinct(c.Target, cites, config)
				if err == nil {
					got, any, err = ref.Prepare(ctx, refs, config, r.read)
				}
				return err
			}()
			if code(err) != c.Expect.Error || any != (c.Expect.AdditionalContext != nil) {
				t.Fatalf("%v, %v; want %q", any, err, c.Expect.Error)
			}
			if any {
				compare(t, got, *c.Expect.AdditionalContext)
			}
			synctest.Wait() // all reads have begun
			r.mu.Lock()
			reads := slices.Clone(r.reads)
			r.mu.Unlock()
			slices.Sort(reads)
			want := slices.Sorted(slices.Values(c.Reads))
			if fmt.Sprint(reads) != fmt.Sprint(want) {
				t.Errorf("read %v, not %v", reads, want)
			}
		})
	})
	t.Logf("%d configurations are allowed here and not there", divergent)
}

func compare(t *testing.T, got ref.Prepared, want wantContext) {
	t.Helper()
	if data := framed(t, got); data != want.Text.FramedJSON {
		t.Errorf("data\n%s\nwant\n%s", data, want.Text.FramedJSON)
	}
	v, err := canon.Parse(string(want.Source))
	if err != nil {
		t.Fatal(err)
	}
	if s, err := canon.Canonical(v); err != nil || got.Source.Raw() != s {
		t.Errorf("source\n%s\nwant\n%s", got.Source.Raw(), s)
	}
}

func TestPrestepVectors(t *testing.T) {
	vectors(t, "prestep", func(t *testing.T, c struct {
		Target, Decision string
		Config           limits
		Messages         []json.RawMessage
		Accepted         []json.RawMessage
		Sources          []source
		Expect           struct {
			Error    string
			Messages []struct {
				Unchanged *int
				Context   *wantContext
				Content   json.RawMessage
			}
		}
	}) {
		if c.Decision == "reject" {
			return // nothing is asked of this package then
		}
		config, err := c.Config.config()
		if err != nil {
			t.Fatal(err)
		}
		accepted := c.Accepted
		if accepted == nil {
			accepted = c.Messages
		}
		type message struct {
			Source  struct{ Kind string }
			Content json.RawMessage
		}
		var direct []ref.Cited
		var isDirect []bool
		for _, raw := range accepted {
			var index int
			if json.Unmarshal(raw, &index) == nil {
				raw = c.Messages[index]
			}
			var m message
			if err := json.Unmarshal(raw, &m); err != nil {
				t.Fatal(err)
			}
			isDirect = append(isDirect, m.Source.Kind == "user")
			if m.Source.Kind != "user" {
				continue
			}
			direct = append(direct, ref.Cited{Content: content(t, m.Content)})
		}
		synctest.Test(t, func(t *testing.T) {
			r := &reader{t: t, sources: c.Sources, abort: func() {}, over: make(chan struct{})}
			defer func() { close(r.over); synctest.Wait() }()
			entered, err := ref.Enter(t.Context(), c.Target, direct, config, r.read)
			if code(err) != c.Expect.Error {
				t.Fatalf("%v, not %q", err, c.Expect.Error)
			}
			if err != nil {
				return
			}
			next, at := 0, 0
			for _, is := range isDirect {
				want := c.Expect.Messages[next]
				next++
				if !is {
					if want.Unchanged == nil {
						t.Errorf("message %d is not unchanged", next)
					}
					continue
				}
				e := entered[at]
				before := direct[at].Content
				at++
				if want.Unchanged != nil && e.Content.Raw() != before.Raw() {
					t.Errorf("message %d changed: %s", next, e.Content.Raw())
				}
				if want.Unchanged == nil && e.Content.Raw() != content(t, want.Content).Raw() {
					t.Errorf("message %d is %s, not %s", next, e.Content.Raw(), want.Content)
				}
				snapshot, any := e.Snapshot.Get()
				if next < len(c.Expect.Messages) && c.Expect.Messages[next].Context != nil {
					if !any {
						t.Fatalf("no snapshot behind message %d", next)
					}
					compare(t, snapshot, *c.Expect.Messages[next].Context)
					next++
				} else if any {
					t.Errorf("a snapshot behind message %d", next)
				}
			}
			if next != len(c.Expect.Messages) {
				t.Errorf("%d messages, not %d", next, len(c.Expect.Messages))
			}
		})
	})
}

func content(t *testing.T, raw json.RawMessage) msg.Content {
	t.Helper()
	v, err := canon.Parse(string(raw))
	if err != nil {
		t.Fatal(err)
	}
	s, err := canon.Canonical(v)
	if err != nil {
		t.Fatal(err)
	}
	v, err = canon.ParseCanonical(s)
	if err != nil {
		t.Fatal(err)
	}
	c, err := msg.ParseContent(v)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCandidatesVectors(t *testing.T) {
	type record struct {
		ID         string
		Cwd        *string
		CreatedAt  int64
		Title      *string
		Titles     []string
		TitleError *string
	}
	as := func(r record) ref.Record {
		out := ref.Record{SessionID: r.ID, CreatedAt: r.CreatedAt}
		if r.Cwd != nil {
			out.Cwd = msg.Some(*r.Cwd)
		}
		return out
	}
	vectors(t, "candidates", func(t *testing.T, c struct {
		Via, Query, Signal, TargetID string
		Target                       record
		Limit                        json.RawMessage
		CandidateLimit               int64
		ListError, TitlesError       *string
		TitlesRejectValue            *string
		Records, Sessions            []record
		Listing                      []string
		Expect                       struct {
			Error      *string
			Candidates []struct {
				SessionID, Label, Mention string
				Cwd                       *string
				CreatedAt                 int64
			}
		}
		Listed     *bool
		TitleReads []string
	}) {
		limit := int64(ref.DefaultCandidateLimit)
		if c.CandidateLimit != 0 {
			limit = c.CandidateLimit
		}
		if c.Limit != nil && c.Via != "remote" && json.Unmarshal(c.Limit, &limit) != nil {
			return // no whole number: it could not be given
		}
		all := append(slices.Clone(c.Records), c.Sessions...)
		target := as(c.Target)
		var listing []ref.Record
		for _, r := range all {
			listing = append(listing, as(r))
			if r.ID == c.TargetID {
				target = as(r)
			}
		}
		if c.Via == "engine" {
			ref.SortListing(listing)
			var ids []string
			for _, r := range listing {
				ids = append(ids, r.SessionID)
			}
			if fmt.Sprint(ids) != fmt.Sprint(c.Listing) {
				t.Errorf("listed as %v, not %v", ids, c.Listing)
			}
		}
		ctx, abort := signal(t, c.Signal)
		var reads []string
		listed := false
		got, err := ref.ListCandidates(ctx, target, c.Query, limit, ref.Catalogue{
			List: func(context.Context) ([]ref.Record, error) {
				listed = true
				if c.Signal == "during-list" {
					abort()
				}
				if c.ListError != nil {
					return nil, errors.New(*c.ListError)
				}
				return listing, nil
			},
			Titles: func(_ context.Context, ids []string) (map[string]string, error) {
				reads = append(reads, ids...)
				if c.Signal == "during-titles" {
					abort()
				}
				if c.TitlesError != nil || c.TitlesRejectValue != nil {
					return nil, errors.New("titles failed")
				}
				titles := map[string]string{}
				for _, r := range all {
					switch {
					case !slices.Contains(ids, r.ID) || r.TitleError != nil:
					case r.Title != nil:
						titles[r.ID] = *r.Title
					case len(r.Titles) > 0:
						titles[r.ID] = r.Titles[len(r.Titles)-1]
					}
				}
				return titles, nil
			},
		})
		wantError := c.Expect.Error != nil || c.Expect.Candidates == nil
		if (err != nil) != wantError || c.Expect.Error != nil && code(err) != *c.Expect.Error {
			t.Fatalf("%v, not %v", err, c.Expect.Error)
		}
		if c.Listed != nil && listed != *c.Listed || c.Via != "engine" && fmt.Sprint(reads) != fmt.Sprint(c.TitleReads) {
			t.Errorf("listed %v, titles of %v, not %v", listed, reads, c.TitleReads)
		}
		if len(got) != len(c.Expect.Candidates) {
			t.Fatalf("%d candidates, not %d", len(got), len(c.Expect.Candidates))
		}
		for i, want := range c.Expect.Candidates {
			mention, err := ref.Reference{SessionID: got[i].SessionID, Label: got[i].Label}.Mention()
			cwd, any := got[i].Cwd.Get()
			if err != nil || got[i].SessionID != want.SessionID || got[i].Label != want.Label || got[i].CreatedAt != want.CreatedAt ||
				mention != want.Mention || any != (want.Cwd != nil) || any && cwd != *want.Cwd {
				t.Errorf("candidate %d is %+v, %s; want %+v", i, got[i], mention, want)
			}
		}
	})
}
