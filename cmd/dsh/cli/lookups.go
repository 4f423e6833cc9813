package cli

import (
	"context"
	"os"

	"github.com/dsh-hcl/dsh/engine"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/ref"
	"github.com/dsh-hcl/dsh/engine/ref/mention"
)

// lookups are the files of the workspace, and the sessions that the agent may cite, if
// it may cite any. changed tells that there may be other files now; done gives the
// workspace back.
func (c *command) lookups(p *project, agent *engine.Agent, session string) (l mention.Lookups, changed, done func()) {
	changed, done = func() {}, func() {}
	if root, err := os.OpenRoot(p.config.Workspace); err == nil {
		if files, err := mention.NewFiles(root.FS(), mention.DefaultConfig()); err == nil {
			l.Files, changed = oneAtATime(files.Search), files.Forget
		}
		done = func() { _ = root.Close() }
	}
	if agent.References() != nil && needStore(p.settings) == nil {
		l.Sessions = oneAtATime(func(ctx context.Context, query string) ([]ref.Candidate, error) {
			return c.candidates(ctx, p, agent, session, query)
		})
	}
	return l, changed, done
}

// candidates are the sessions that an agent may cite in a session, "" for a new one.
func (c *command) candidates(ctx context.Context, p *project, agent *engine.Agent, session, query string) ([]ref.Candidate, error) {
	r := agent.References()
	return ref.ListCandidates(ctx, ref.Record{SessionID: session, Cwd: msg.Some(p.config.Workspace)}, query, r.Config.CandidateLimit,
		c.catalogue(c.storeAt(p.settings), r, p.config.Workspace))
}

// oneAtATime lets a lookup begin when the one before has ended, so that fast typing
// does not start many. One that nobody waits for any more does not begin.
func oneAtATime[T any](look func(ctx context.Context, query string) ([]T, error)) func(context.Context, string) ([]T, error) {
	free := make(chan struct{}, 1)
	return func(ctx context.Context, query string) ([]T, error) {
		select {
		case free <- struct{}{}:
			defer func() { <-free }()
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return look(ctx, query)
	}
}
