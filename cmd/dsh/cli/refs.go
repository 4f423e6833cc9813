package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/dsh-hcl/dsh/engine"
	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/ref"
	"github.com/dsh-hcl/dsh/engine/store"
)

func (c *command) refsCommand() *cobra.Command {
	var agent string
	var limit int64
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "refs [QUERY]",
		Short: "List the sessions that a prompt can cite",
		Long: "Lists sessions with the mention that cites each in a prompt: those of this workspace\n" +
			"first, the newest of each first. QUERY has to stand in the id, the workspace or the\n" +
			"title, or in the first prompt of a session without one, whatever the case. The agent's references block says which sessions may be cited.",
		Args: argCount(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := c.load(loadOptions{quiet: true})
			if err != nil {
				return err
			}
			defer p.close()
			declared, err := pickAgent(p, agent)
			if err != nil {
				return err
			}
			a, err := c.compile(p, declared)
			if err != nil {
				return err
			}
			if a.References() == nil {
				return usageErrorf("agent %q may cite no sessions: it has no references block", declared.Name)
			}
			if err := needStore(p.settings); err != nil {
				return err
			}
			if limit < 0 {
				return usageErrorf("--limit wants at least 1, or 0 for the agent's candidate_limit")
			}
			if limit == 0 {
				limit = a.References().Config.CandidateLimit
			}
			found, err := ref.ListCandidates(cmd.Context(), ref.Record{Cwd: msg.Some(p.config.Workspace)}, first(args), limit,
				c.catalogue(c.storeAt(p.settings), a.References(), p.config.Workspace))
			if err != nil {
				return err
			}
			if len(found) == 0 && !asJSON {
				fmt.Fprintln(c.env.Stderr, "There is no session to cite here; allow and deny in the agent's references say which could be.")
			}
			return c.printCandidates(found, asJSON)
		},
	}
	f := cmd.Flags()
	f.StringVar(&agent, "agent", "", "`name` of the agent (default: the only one, or the setting agent)")
	f.Int64Var(&limit, "limit", 0, "list at most `N` (default: the agent's candidate_limit)")
	f.BoolVar(&asJSON, "json", false, "one JSON object a session and line")
	return cmd
}

func (c *command) printCandidates(found []ref.Candidate, asJSON bool) error {
	w := tabwriter.NewWriter(c.env.Stdout, 0, 0, 2, ' ', 0)
	if len(found) > 0 && !asJSON {
		fmt.Fprintln(w, "SESSION\tCREATED\tWORKSPACE\tLABEL\tMENTION")
	}
	for _, f := range found {
		mention, err := ref.Reference{SessionID: f.SessionID, Label: f.Label}.Mention()
		if err != nil {
			continue
		}
		if asJSON {
			var o canon.Object
			o.String("sessionId", f.SessionID)
			o.String("label", f.Label)
			if cwd, ok := f.Cwd.Get(); ok {
				o.String("cwd", cwd)
			}
			o.Int("createdAt", f.CreatedAt)
			o.String("mention", mention)
			if _, err := fmt.Fprintln(c.env.Stdout, o.End()); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", inLine(f.SessionID), stamp(time.UnixMilli(f.CreatedAt)), inLine(f.Cwd.Or("")), inLine(store.OneLine(f.Label)), inLine(strings.ReplaceAll(mention, "\t", " ")))
	}
	return w.Flush()
}

// catalogue lists the sessions of a store that may be cited in a workspace, from the
// store's index. A title is that of the session, or else the beginning of its first
// prompt.
func (c *command) catalogue(st *store.Store, allowed *engine.References, workspace string) ref.Catalogue {
	var known *store.Listing
	rounds := 0 // of holding one page to its logs
	return ref.Catalogue{
		List: func(context.Context) ([]ref.Record, error) {
			if rounds == 0 {
				l, err := st.Listing()
				if err != nil {
					return nil, err
				}
				known = l
				// Sessions in which nobody said anything are not offered, so nobody else
				// would find out that their rows are old.
				empty := []int{}
				for r := range known.Rows() {
					if known.Empty(r.At) {
						empty = append(empty, r.At)
					}
				}
				known.Check(empty)
			}
			out := make([]ref.Record, 0, known.Len())
			var last string
			any, may := false, false
			for r := range known.Rows() {
				if !any || r.Cwd != last {
					any, last, may = true, r.Cwd, allowed.Allows(r.Cwd, workspace)
				}
				if !may || known.Empty(r.At) {
					continue
				}
				record := ref.Record{SessionID: r.ID, CreatedAt: r.CreatedAt}
				if r.Cwd != "" {
					record.Cwd = msg.Some(r.Cwd)
				}
				out = append(out, record)
			}
			ref.SortListing(out)
			return out, nil
		},
		Titles: func(_ context.Context, ids []string) (map[string]string, error) {
			out := make(map[string]string, len(ids))
			sessionsOf(known, ids, func(r store.Row) {
				if title := titleOf(known.Summary(r.At)); title != "" {
					out[r.ID] = title
				}
			})
			return out, nil
		},
		Check: func(_ context.Context, ids []string) (bool, error) {
			at := []int{}
			sessionsOf(known, ids, func(r store.Row) { at = append(at, r.At) })
			if rounds++; rounds > 3 {
				at = nil // much is old; all of it at once is cheaper
			}
			changed := known.Check(at)
			if !changed {
				rounds = 0 // who asks next wants to know what is there then
			}
			return changed, nil
		},
	}
}

// sessionsOf finds the rows of sessions by their ids; of several with one id the first.
func sessionsOf(known *store.Listing, ids []string, visit func(store.Row)) {
	if len(ids) == 0 {
		return
	}
	// Most often they come in the order of the rows, and a map of many is dear.
	for r := range known.Rows() {
		if ids[0] == r.ID {
			visit(r)
			if ids = ids[1:]; len(ids) == 0 {
				return
			}
		}
	}
	asked := make(map[string]bool, len(ids))
	for _, id := range ids {
		asked[id] = true
	}
	for r := range known.Rows() {
		if len(asked) == 0 {
			return
		}
		if asked[r.ID] {
			visit(r)
			delete(asked, r.ID)
		}
	}
}

// titleOf is what a session is called: its title, or else the beginning of its first
// prompt.
func titleOf(sum store.Summary) string {
	if sum.Title != "" {
		return sum.Title
	}
	return sum.Prompt
}

// sources reads the sessions that prompts cite: those of a store, and logs that a
// person named by their paths.
type sources struct {
	store     *store.Store
	allowed   *engine.References
	workspace string
	self      string                 // the session that cites, which last does not mean
	paths     map[string]store.Entry // by id
	cited     map[string]string      // paths of the logs of all that were named, by id
}

// sources are those of an agent; without references nothing is read.
func (c *command) sources(p *project, agent *engine.Agent) *sources {
	return &sources{store: c.storeAt(p.settings), allowed: agent.References(), workspace: p.config.Workspace, paths: map[string]store.Entry{}, cited: map[string]string{}}
}

func (s *sources) read(ctx context.Context, id string) (ref.Snapshot, error) {
	entry, named := s.paths[id]
	if !named {
		var err error
		if entry, err = s.store.Find(id, s.workspace); err == nil && entry.Header.ID != id {
			err = fmt.Errorf("there is no session %q", id) // a beginning of an id is none
		}
		if err != nil {
			return ref.Snapshot{}, err
		}
	}
	if !s.permits(entry, named) {
		return ref.Snapshot{}, fmt.Errorf("sessions of %s may not be cited here (allow and deny in the agent's references)", entry.Header.Cwd)
	}
	capture := ref.NewCapture(entry.Header.ID, entry.Header.Cwd)
	_, err := s.store.WalkWritten(entry, func(e event.Event, _ int64) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return capture.Add(e)
	})
	return capture.Snapshot(), err
}

// cite takes the values of --ref: what names a session, each with =LABEL behind it where
// another label than its own is wanted.
func (s *sources) cite(c *command, values []string) ([]ref.Cite, error) {
	var out []ref.Cite
	for _, v := range values {
		name, label, err := s.labelled(c, v)
		if err != nil {
			return nil, err
		}
		one, err := s.one(c, name, label)
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

// labelled splits a value of --ref. A path may hold = itself: one that is there is whole.
func (s *sources) labelled(c *command, v string) (name, label string, err error) {
	name = v
	if i := strings.LastIndex(v, "="); i >= 0 && isLog(v[:i]) && !exists(c.abs(v)) {
		name, label = v[:i], v[i+1:]
	} else if i >= 0 && !isLog(v) {
		name, label, _ = strings.Cut(v, "=")
	}
	if label == "" && name != v {
		return "", "", usageErrorf("--ref %s has an empty label; leave out the = for the session's own", v)
	}
	return name, label, nil
}

// isLog reports whether what names a session is the path of its log.
func isLog(name string) bool {
	return strings.Contains(name, string(filepath.Separator)) || strings.HasSuffix(name, ".jsonl")
}

// one is the session that a person names: by its id, a unique beginning of one, last, or
// the path of a log. Its label is "" for its own.
func (s *sources) one(c *command, name, label string) (ref.Cite, error) {
	if name == "" {
		return ref.Cite{}, usageErrorf("--ref names no session; it wants an id, a unique beginning of one, last, or the path of a log")
	}
	named := isLog(name)
	var e store.Entry
	var err error
	if !named {
		if name == "last" {
			name = s.last()
		}
		e, err = s.store.Find(name, s.workspace)
	} else if e, err = store.EntryAt(c.abs(name)); errors.Is(err, fs.ErrNotExist) {
		err = usageErrorf("--ref %s: there is no such file", name)
	} else if err != nil {
		err = usageErrorf("--ref %s: it is not the log of a session: %v", name, err)
	}
	if err != nil {
		return ref.Cite{}, err
	}
	id := e.Header.ID
	if where, again := s.cited[id]; again && where != e.Path {
		return ref.Cite{}, usageErrorf("--ref %s: the session %s is also that of another --ref, in another file. Cite one of them.", name, inLine(id))
	}
	s.cited[id] = e.Path
	if named {
		s.paths[id] = e
	}
	out := ref.Cite{SessionID: id}
	if label == "" && s.permits(e, named) {
		label = titleOf(s.store.Summarise(e))
	}
	if label != "" {
		out.Label = msg.Some(label)
	}
	return out, nil
}

// last is the id of the session of the workspace that was written last and in which
// somebody said something: what else is called last has nothing to recall.
func (s *sources) last() string {
	all, _, err := s.store.Summaries()
	if err != nil {
		return "last"
	}
	for _, one := range all {
		if one.Header.ID != s.self && one.Header.Cwd == s.workspace && titleOf(one.Summary) != "" {
			return one.Header.ID
		}
	}
	return "last"
}

// permits reports whether a session may be cited; named is one that a person named by
// the path of its log.
func (s *sources) permits(e store.Entry, named bool) bool {
	return s.allowed.Allows(e.Header.Cwd, s.workspace) || named && s.allowed.AllowsNamed(e.Header.Cwd)
}
