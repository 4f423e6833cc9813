package engine

import (
	"context"
	"regexp"
	"strings"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/loop"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/ref"
)

// References is what an agent's prompts may bring in from other sessions.
type References struct {
	Config ref.Config
	allow  []*regexp.Regexp // of workspaces; nil for the session's own
	deny   []*regexp.Regexp
}

func compileReferences(r *config.References) *References {
	if r == nil {
		return nil
	}
	out := &References{Config: ref.Config{
		MaxReferences: int64(r.MaxReferences.V), MaxReferenceBytes: int64(r.MaxReferenceBytes.V),
		MaxTotalBytes: int64(r.MaxTotalBytes.V), CandidateLimit: int64(r.CandidateLimit.V),
	}}
	if r.Allow.Set {
		out.allow = []*regexp.Regexp{}
	}
	for _, p := range r.Allow.V {
		out.allow = append(out.allow, pattern(p))
	}
	for _, p := range r.Deny.V {
		out.deny = append(out.deny, pattern(p))
	}
	return out
}

// pattern is a pattern of paths as an expression: * is anything but a slash, **
// anything.
func pattern(p string) *regexp.Regexp {
	parts := strings.Split(p, "**")
	for i, part := range parts {
		parts[i] = strings.ReplaceAll(regexp.QuoteMeta(part), `\*`, `[^/]*`)
	}
	return regexp.MustCompile(`^(?s:` + strings.Join(parts, `.*`) + `)$`)
}

// Allows reports whether sessions of the workspace cwd, "" for none, may be cited in
// one of the workspace here.
func (r *References) Allows(cwd, here string) bool {
	return r.permits(cwd, cwd == here)
}

// AllowsNamed is Allows for a log that a person named by its path: without an allow of
// the agent's own, it may be of any workspace, since whoever names it has it.
func (r *References) AllowsNamed(cwd string) bool { return r.permits(cwd, true) }

// permits reports whether deny and allow let sessions of a workspace be cited; unsaid is
// the answer where no allow is written.
func (r *References) permits(cwd string, unsaid bool) bool {
	fits := func(list []*regexp.Regexp) bool {
		for _, re := range list {
			if re.MatchString(cwd) {
				return true
			}
		}
		return false
	}
	if fits(r.deny) {
		return false
	}
	if r.allow == nil {
		return unsaid
	}
	return fits(r.allow)
}

// References returns what the agent's prompts may cite, nil when nothing.
func (a *Agent) References() *References { return a.references }

// Cite sends a prompt with references that a host has beside the text, those before
// the ones in it. Errors as for Send.
func (i *Instance) Cite(content msg.Content, cites []ref.Cite) error {
	return i.enqueue(content, func(m *loop.Machine, p loop.Prompt) {
		if len(cites) > 0 {
			if i.cites == nil {
				i.cites = map[string][]ref.Cite{}
			}
			i.cites[p.ID] = cites
		}
		m.Send(p)
	})
}

// recall puts in what a person's prompt cites, now that the turn takes it
// (spec/references.md section 9.2). Without references declared, a mention is text.
func (i *Instance) recall(ctx context.Context, p loop.Prompt, out *loop.Submitted) {
	i.mu.Lock()
	cites := i.cites[p.ID]
	delete(i.cites, p.ID)
	target := i.session.Log.Header().ID
	i.mu.Unlock()
	if i.agent.references == nil || p.Source.Kind() != "user" {
		return
	}
	read := i.opts.ReadSession
	if read == nil {
		read = func(context.Context, string) (ref.Snapshot, error) {
			return ref.Snapshot{}, &ref.Error{Code: ref.CodeReadFailed, Message: "there is nowhere to read sessions from"}
		}
	}
	entered, err := ref.Enter(ctx, target, []ref.Cited{{Content: out.Content.Or(p.Content), Cites: cites}}, i.agent.references.Config, read)
	if err != nil {
		*out = loop.Submitted{Err: err, Keep: true}
		return
	}
	out.Content = msg.Some(entered[0].Content)
	if s, ok := entered[0].Snapshot.Get(); ok {
		out.Snapshot = msg.Some(event.UserMessage{ID: i.opts.NewID(), Content: s.Content, Source: s.Source})
	}
}
