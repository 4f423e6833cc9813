package cli

import (
	"context"

	"github.com/dsh-hcl/dsh/engine"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/ref"
	"github.com/dsh-hcl/dsh/engine/store"
)

// FirstPage is what dsh refs lists of a store in a workspace.
func FirstPage(ctx context.Context, st *store.Store, workspace, query string) ([]ref.Candidate, error) {
	return ref.ListCandidates(ctx, ref.Record{Cwd: msg.Some(workspace)}, query, ref.DefaultCandidateLimit,
		(&command{}).catalogue(st, &engine.References{}, workspace))
}

// Unguarded returns the environment of a dsh test that lets scenarios pass that assert
// nothing, for scripts that are not about an agent.
func Unguarded(e Env) Env {
	e.unguarded = true
	return e
}
