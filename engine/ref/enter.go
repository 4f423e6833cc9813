package ref

import (
	"context"
	"slices"

	"github.com/dsh-hcl/dsh/engine/msg"
)

// Cited is a message's content with its mentions as plain text, and what they cite.
type Cited struct {
	Content msg.Content
	Cites   []Cite
}

// Rewrite takes the mentions out of a content's text blocks, block by block; other
// blocks stay. Without a mention the content is returned as it is. Errors: those of
// Parse (spec/references.md section 9.2).
func Rewrite(content msg.Content) (Cited, error) {
	var blocks []msg.Block
	var cites []Cite
	for b := range content.Blocks() {
		if t, ok := b.(msg.Text); ok {
			text, refs, err := Parse(t.Text)
			if err != nil {
				return Cited{}, err
			}
			for _, r := range refs {
				cites = append(cites, Cite{SessionID: r.SessionID, Label: msg.Some(r.Label)})
			}
			b = msg.Text{Text: text}
		}
		blocks = append(blocks, b)
	}
	if len(cites) == 0 {
		return Cited{Content: content}, nil
	}
	rewritten, err := msg.NewContent(blocks...)
	return Cited{rewritten, cites}, err
}

// Entered is a message as it enters a session, with the snapshot that follows it.
type Entered struct {
	Content  msg.Content
	Snapshot msg.Opt[Prepared]
}

// Enter rewrites messages and prepares what they cite, each by itself, with the
// references that a host handed in beside the text before those in it. What is wrong
// with any message comes before a failing read. Errors: those of Parse, Distinct and
// Prepare.
func Enter(ctx context.Context, target string, messages []Cited, c Config, read Read) ([]Entered, error) {
	out := make([]Entered, len(messages))
	refs := make([][]Reference, len(messages))
	for i, m := range messages {
		cited, err := Rewrite(m.Content)
		if err != nil {
			return nil, err
		}
		out[i].Content = cited.Content
		if refs[i], err = Distinct(target, slices.Concat(m.Cites, cited.Cites), c); err != nil {
			return nil, err
		}
	}
	type result struct {
		i   int
		p   Prepared
		any bool
		err error
	}
	run, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	results := make(chan result, len(messages))
	for i := range messages {
		go func() {
			p, any, err := Prepare(run, refs[i], c, read)
			results <- result{i, p, any, err}
		}()
	}
	for range messages {
		r := <-results
		if r.err != nil {
			return nil, r.err
		}
		if r.any {
			out[r.i].Snapshot = msg.Some(r.p)
		}
	}
	return out, nil
}
