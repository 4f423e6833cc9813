package cli

import (
	"context"
	"io"
	"path/filepath"
	"regexp"
	"time"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/provider/script"
	"github.com/dsh-hcl/dsh/engine/store"
	"github.com/dsh-hcl/dsh/engine/verify"
)

// ScriptedOptions are what a scripted model depends on besides its file.
type ScriptedOptions struct {
	Used    int              // replies that have been given
	Earlier []script.Earlier // requests that were answered in earlier runs
	Now     func() time.Time // nil for the real clock
	Sleep   func(ctx context.Context, d time.Duration) error
}

// mostEarlier bounds how many requests are rebuilt for a cache. They mostly extend
// each other, so that the newest ones hold what there is to find.
const mostEarlier = 100

// earlier are the newest answered requests of the session that a run goes on from,
// for a prompt cache outlives a process. What cannot be rebuilt is left out: it is only
// what the model reports, and dsh verify tells of it.
func earlier(st *store.Store, from store.Entry) []script.Earlier {
	if from.Path == "" {
		return nil
	}
	type step struct{ turn, step int64 }
	stepOf := func(e event.Event) step {
		var s step
		s.turn, _ = e.Data.Get("turn").Int()
		s.step, _ = e.Data.Get("step").Int()
		return s
	}
	sent, answered := map[step]time.Time{}, map[step]bool{}
	scan, text, err := st.Read(from)
	if err != nil {
		return nil
	}
	for _, e := range scan.Events {
		switch e.Type {
		case "request/sent":
			sent[stepOf(e)] = time.UnixMilli(e.Time)
		case "assistant/message", "compact/summary":
			answered[stepOf(e)] = true
		}
	}
	report, err := verify.Log(from.Path, text)
	if err != nil {
		return nil
	}
	var out []script.Earlier
	for _, r := range report.Requests[max(len(report.Requests)-mostEarlier, 0):] {
		at := step{r.Turn, r.Step}
		if !r.Identical() || !answered[at] {
			continue
		}
		if body, err := io.ReadAll(r.Body.Reader()); err == nil {
			out = append(out, script.Earlier{Body: body, At: sent[at]})
		}
	}
	return out
}

// Scripted makes the scripted model of a decoded model file; nil makes one that
// answers ok to everything.
func Scripted(s *config.Script, with ScriptedOptions) *script.Transport {
	if s == nil {
		s = &config.Script{Cache: config.ScriptCache{Rules: "deepseek"}, Default: &config.Reply{Text: "ok"}}
	}
	o := script.Options{Cache: cacheRules(s.Cache), Used: with.Used, Earlier: with.Earlier, Now: with.Now, Sleep: with.Sleep}
	if s.Path != "" {
		// The base name: the text of an error is logged, and a folder's path is nobody's
		// business there.
		o.Source = filepath.Base(s.Path)
	}
	for _, r := range s.Replies {
		o.Replies = append(o.Replies, scriptedReply(r))
	}
	if s.Default != nil {
		d := scriptedReply(*s.Default)
		o.Default = &d
	}
	return script.New(o)
}

// cacheRules are the rules of a provider with what a model file changes of them.
func cacheRules(c config.ScriptCache) script.Rules {
	r, _ := script.RulesOf(c.Rules)
	if c.Rules == "none" {
		return r
	}
	if c.Unit > 0 {
		r.Unit = c.Unit
	}
	if c.Minimum > 0 {
		r.Minimum = c.Minimum
	}
	if c.TTL > 0 {
		r.TTL = c.TTL
	}
	return r
}

func scriptedReply(r config.Reply) script.Reply {
	out := script.Reply{Text: r.Text, Reasoning: r.Reasoning, Finish: r.Finish, Delay: r.Delay, Cut: r.Cut}
	for _, t := range r.Tools {
		out.Tools = append(out.Tools, script.Call{ID: t.ID, Name: t.Name, Arguments: t.Arguments})
	}
	if u := r.Usage; u != nil {
		// In the language input holds the other two, as providers state it.
		out.Usage = &script.Usage{Input: u.Input - u.CachedInput - u.CacheWrite, CachedInput: u.CachedInput, CacheWrite: u.CacheWrite,
			Output: u.Output, Reasoning: u.Reasoning}
	}
	if e := r.Error; e != nil {
		out.Error = &script.Error{Status: e.Status, Code: e.Code, Message: e.Message, RetryAfter: e.RetryAfter}
	}
	if e := r.Expect; e != nil {
		out.Expect = &script.Expect{Contains: e.Contains}
		for _, m := range e.Matches {
			out.Expect.Matches = append(out.Expect.Matches, regexp.MustCompile(m)) // it was compiled at check
		}
	}
	return out
}
