package cli

import (
	"fmt"
	"path/filepath"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/eventlog"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/provider/replay"
	"github.com/dsh-hcl/dsh/engine/provider/script"
	"github.com/dsh-hcl/dsh/engine/verify"
)

// replayed makes the transport of a provider whose model is a recorded session, of which
// the first exchanges are used up.
func replayed(p *config.Provider, used int) (*replay.Transport, error) {
	source := filepath.Base(p.Log.V)
	report, err := verify.Log(p.Log.V, p.Recording)
	if err != nil {
		return nil, err
	}
	scan, err := eventlog.ScanText(p.Log.V, p.Recording)
	if err != nil {
		return nil, err
	}
	if !report.OK() {
		return nil, fmt.Errorf("the log %s cannot be replayed, since it is not what was written: dsh verify %s says more", source, source)
	}
	if len(report.Requests) == 0 {
		return nil, fmt.Errorf("the log %s cannot be replayed: it records no request", source)
	}
	answers := answersOf(scan.Events)
	var list []replay.Exchange
	for i, r := range report.Requests {
		list = append(list, replay.Exchange{Request: r.Body, Reply: answers[i]})
	}
	return replay.New(list, used, source), nil
}

// answersOf are the answers to the requests of a log, in their order. One that was not
// answered failed.
func answersOf(events []event.Event) []script.Reply {
	var out []script.Reply
	for _, e := range events {
		last := len(out) - 1
		switch e.Type {
		case "request/sent":
			if e.Version() > 0 {
				out = append(out, script.Reply{Error: &script.Error{Code: "REPLAY_UNANSWERED", Message: "the recorded request was not answered"}})
			}
		case "assistant/message":
			if last >= 0 {
				content, _ := e.Message()
				finish, _ := e.Data.Get("finish").Text()
				out[last] = replyOf(content.Content, e, finish)
			}
		case "compact/summary":
			if last >= 0 && e.Compaction() {
				out[last] = replyOf(event.ParseCompactSummary(e.Data).Content, e, string(msg.FinishStop))
			}
		case "turn/end":
			if r := event.ParseEndReason(e.Data.Get("reason")); last >= 0 && r.Kind == event.EndError && out[last].Error != nil && out[last].Error.Code == "REPLAY_UNANSWERED" {
				out[last].Error = &script.Error{Status: 500, Code: r.Code, Message: r.Message}
			}
		}
	}
	return out
}

// replyOf is an answer as a script gives it.
func replyOf(content msg.Content, e event.Event, finish string) script.Reply {
	r := script.Reply{Finish: finish}
	for b := range content.Blocks() {
		switch b := b.(type) {
		case msg.Text:
			r.Text += b.Text
		case msg.Reasoning:
			r.Reasoning += b.Text
		case msg.ToolCall:
			r.Tools = append(r.Tools, script.Call{ID: b.ID, Name: b.Name, Arguments: b.Arguments})
		}
	}
	if v := e.Data.Get("usage"); v.Exists() {
		u := msg.ParseUsage(v)
		r.Usage = &script.Usage{Input: int(u.Input), CachedInput: int(u.CacheRead.Or(0)), CacheWrite: int(u.CacheWrite.Or(0)), Output: int(u.Output), Reasoning: int(u.Reasoning.Or(0))}
	}
	if e.Data.Get("interrupted").IsTrue() {
		r.Finish, r.Cut = "", true
	}
	return r
}
