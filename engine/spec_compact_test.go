package engine_test

// The cases of spec/loop.md section 9.11 to 9.13 that do not apply to this design,
// each with the reason; those about cuts and the retention walk are in
// engine/compact/spec_test.go, those about the configuration in config/hclfile.
//
//	L146 no gate looks at a step that is open: an unanswered call binds nobody
//	L159 compaction is no service: an agent has it or has it not
//	L160 and is no plugin
//	L163 the context of the turn is the only signal there is
//	L167 nobody but the gate chooses a range
//	L168 nobody but the gate chooses a range
//	L170 nobody but the gate chooses a range; L191 has the pairs
//	L171 nobody but the gate chooses a range
//	L172 nobody but the gate chooses a range
//	L174 the estimate is another one: engine/meter
//	L175 the estimate is another one: engine/meter
//	L176 the estimate is another one: engine/meter
//	L178 nobody but the gate chooses a range
//	L179 nobody but the gate chooses a range
//	L180 a log has one writer, and its passes follow each other
//	L182 the messages themselves are sent, not a transcript
//	L184 the messages themselves are sent, not a transcript
//	L198 a log has one writer, and its passes follow each other
//	L199 a crash's open pass is closed with its turn
//	L200 the estimate is another one: engine/meter
//	L202 the estimate is another one: engine/meter
//	L203 the estimate is another one: engine/meter
//	L204 the estimate is another one: engine/meter
//	L206 compaction is no service
//	L207 compaction is no service
//	L208 the configuration refuses it: config/hclfile/testdata
//	L210 the configuration refuses it: config/hclfile/testdata
//	L215 an agent has a model
//	L228 an agent has a model with a provider
//	L230 no seam rewrites a stream
//	L231 compaction is no plugin
//	L232 the messages themselves are sent, not a transcript
//	L234 the messages themselves are sent, not a transcript
//	L235 the estimate is another one: engine/meter
//	L238 there is no session without turns that is measured
//	L240 nobody but the gate chooses a range
//	L244 the messages themselves are sent, not a transcript
//	L247 the messages themselves are sent, not a transcript
//	L248 compaction is no service

import (
	"context"
	"strings"
	"testing"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/engine"
	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/provider"
)

// long is a text of some ninety tokens; a turn of two such has about two hundred.
var long = strings.Repeat(lorem, 5)

// talk runs n turns whose prompt and answer are long, without usage.
func (c *rig) talk(n int) {
	c.t.Helper()
	for i := range n {
		c.m.answers = []answer{quiet(long)}
		c.ends("turn "+string(rune('1'+i))+": "+long, "completed")
	}
}

// passes are the ends of passes, those that failed with their code.
func passes(events []event.Event) string {
	var out []string
	for _, e := range events {
		if e.Type == "compact/end" {
			word := "done"
			if f := event.ParseCompactEnd(e.Data).Failure; f != nil {
				word = f.Code
			}
			out = append(out, word)
		}
	}
	return strings.Join(out, " ")
}

func TestSpecCompaction(t *testing.T) {
	numbered(t, "L162 events of a pass take no part in the surface and are in order", func(c *rig) {
		c.change = compacting(550, 50)
		c.start()
		c.talk(3)
		c.m.answers = []answer{quiet("Short."), quiet("ok")}
		c.ends("go on", "completed")
		got := trace(c.events())
		if want := "compact/gate compact/start request/sent compact/summary user/message("; !strings.Contains(got, want) || !strings.Contains(got, "compact/end step/start") {
			c.t.Errorf("the events: %s", got)
		}
		for _, e := range c.events() {
			if e.Compaction() && e.Op.Kind != event.OpNone {
				c.t.Errorf("%s is on the surface", e.Type)
			}
		}
	})
	numbered(t, "L164 a runaway turn compacts its own closed steps", func(c *rig) {
		c.change = compacting(550, 50)
		c.tools = &tools{run: func(context.Context, msg.ToolCall) engine.ToolOutcome { return engine.ToolOutcome{Content: text(long)} }}
		step := 0
		c.m.answers = nil
		c.client = func() (provider.Client, error) {
			return &weighing{silent: true, answer: func(body string) []msg.Chunk {
				if isSummary(body) {
					return saying("Short.")
				}
				if step++; step > 8 {
					return saying("done")
				}
				return []msg.Chunk{msg.ToolCallDelta{ID: "c" + string(rune('0'+step)), Name: "ls", ArgumentsDelta: "{}"}, finish(msg.FinishToolCalls)}
			}}, nil
		}
		c.start()
		c.ends("look", "completed")
		if n := strings.Count(passes(c.events()), "done"); n == 0 {
			c.t.Error("no checkpoint")
		}
	})
	numbered(t, "L183 the summary is logged as it came, and framed where it stands", func(c *rig) {
		c.change = compacting(550, 50)
		c.start()
		c.talk(3)
		c.m.answers = []answer{chunks(msg.ReasoningDelta{Text: "hm"}, msg.BlockEnd{Index: 1, Block: msg.Text{Text: "STRUCTURED SUMMARY"}}, finish(msg.FinishStop)), quiet("ok")}
		c.ends("go on", "completed")
		c.has(5, `<compacted-summary>\nSTRUCTURED SUMMARY\n</compacted-summary>`)
		if s := ofType(c.events(), "compact/summary"); len(s) != 1 || len(s[0]["content"].([]any)) != 1 {
			c.t.Errorf("the summary: %v", s)
		}
	})
	numbered(t, "L187 the prefix of the request counts, and stays as it is", func(c *rig) {
		c.change = compacting(350, 5)
		c.prefix = []msg.Contributor{contributor("text.rules", long+long)}
		c.start()
		c.talk(1)
		c.m.answers = []answer{quiet("Short."), quiet("ok")}
		c.ends("go on", "completed")
		if got := passes(c.events()); got != "done" {
			c.t.Errorf("passes: %s", got)
		}
		c.has(3, long+long)
	})
	numbered(t, "L194 a second pass goes over the checkpoint of the first", func(c *rig) {
		c.change = compacting(750, 100)
		c.start()
		c.talk(4)
		c.m.answers = []answer{quiet(strings.Repeat(lorem, 36)), quiet("Short."), quiet("ok")}
		c.ends("go on "+strings.Repeat(lorem, 6), "completed")
		if got := passes(c.events()); got != "done done" {
			c.t.Errorf("passes: %s", got)
		}
	})
	numbered(t, "L195 passes that leave the request at the threshold are told, and what they did stays", func(c *rig) {
		c.change = compacting(750, 100, func(p *config.Compaction) { p.MinGain = set("0.01") })
		c.start()
		c.talk(4)
		c.m.answers = []answer{quiet(strings.Repeat(lorem, 36)), quiet(strings.Repeat(lorem, 34)), quiet("ok")}
		c.ends("go on "+strings.Repeat(lorem, 6), "completed")
		if got := passes(c.events()); got != "done done" {
			c.t.Errorf("passes: %s", got)
		}
		if len(c.reports) != 1 || !strings.Contains(c.reports[0], "still above threshold after 2 compaction attempts") {
			c.t.Errorf("reports: %q", c.reports)
		}
	})
	numbered(t, "L196 what a compacted log derives, it derives again", func(c *rig) {
		c.change = compacting(550, 50)
		c.start()
		c.talk(3)
		c.m.answers = []answer{quiet("Short."), quiet("ok")}
		c.ends("go on", "completed")
		c.again() // and the rig holds both derivations to each other
		c.m.answers = []answer{quiet("ok")}
		c.ends("and on", "completed")
		c.has(6, "Short.", "and on")
	})
	numbered(t, "L211 the request for a summary asks for its sections", func(c *rig) {
		c.change = compacting(550, 50, func(p *config.Compaction) { p.Summary.MaxTokens = set(512) })
		c.start()
		c.talk(3)
		c.m.answers = []answer{quiet("Short."), quiet("ok")}
		c.ends("go on", "completed")
		c.has(4, `"max_completion_tokens":512`, "## Request and intent", "## Critical context", "turn 1: ")
		c.lacks(5, `"max_completion_tokens":512`)
		if s := ofType(c.events(), "compact/summary"); s[0]["model"] != "model-1" {
			c.t.Errorf("the summary: %v", s[0])
		}
	})
	numbered(t, "L212 the limit of a summary is the declared one", func(c *rig) {
		c.change = compacting(550, 50, func(p *config.Compaction) { p.Summary.MaxTokens = set(50) })
		c.start()
		c.talk(3)
		c.m.answers = []answer{quiet("Short."), quiet("ok")}
		c.ends("go on", "completed")
		c.has(4, `"max_completion_tokens":50,`)
	})
	for name, a := range map[string]struct {
		answer answer
		code   string
	}{
		"L214 an answer of reasoning only is no summary": {chunks(msg.ReasoningDelta{Text: "hm"}, finish(msg.FinishStop)), "EMPTY_SUMMARY"},
		"L216 a provider's error keeps its code":         {fails(&provider.Error{Code: provider.CodeAuth, Message: "401"}), "AUTH"},
		"L218 an aborted answer is no summary":           {chunks(msg.TextDelta{Text: "They"}, finish(msg.FinishAborted)), "ABORTED"},
		"L219 a cut answer is no summary":                {chunks(msg.TextDelta{Text: "They"}, finish(msg.FinishMaxTokens)), "MAX_TOKENS"},
		"L220 and says that it was cut":                  {chunks(msg.TextDelta{Text: "They"}, finish(msg.FinishMaxTokens)), "MAX_TOKENS"},
		"L222 a summary as long as what it is of":        {quiet(strings.Repeat(long, 10)), "SUMMARY_NOT_SMALLER"},
		"L242 anything else that goes wrong":             {func(context.Context, func(msg.Chunk, error) bool) { panic("boom") }, "UNKNOWN"},
	} {
		numbered(t, name, func(c *rig) {
			c.change = compacting(550, 50)
			c.start()
			c.talk(3)
			before := len(c.s.State.Nodes())
			c.m.answers = []answer{a.answer, quiet("ok")}
			c.ends("go on", "completed")
			if got := passes(c.events()); got != a.code {
				c.t.Errorf("passes: %s", got)
			}
			if got := len(c.s.State.Nodes()); got != before+2 || c.count("compact/summary") != 0 {
				c.t.Errorf("%d nodes, %d before", got, before)
			}
			if len(c.reports) != 1 || !strings.Contains(c.reports[0], "compaction failed: ") {
				c.t.Errorf("reports: %q", c.reports)
			}
			if a.code == "MAX_TOKENS" && !strings.Contains(c.reports[0], "truncation") {
				c.t.Errorf("reports: %q", c.reports)
			}
		})
	}
	numbered(t, "L223 two tiny messages are not worth a checkpoint, and nobody is asked", func(c *rig) {
		c.change = compacting(40, 1)
		c.start()
		for _, said := range []string{"a", "b", "c", "d"} {
			c.m.answers = []answer{quiet("ok")}
			c.ends(said, "completed")
		}
		c.requests(4)
		if got := ofType(c.events(), "compact/gate"); !strings.Contains(got[2]["reason"].(string), "a checkpoint has") {
			c.t.Errorf("the gate: %v", got[2])
		}
	})
	numbered(t, "L224 the derived history begins with the summary", func(c *rig) {
		c.change = compacting(950, 50)
		c.start()
		c.talk(5)
		c.m.answers = []answer{quiet("SUMMARY"), quiet("ok")}
		c.ends("go on", "completed")
		c.events()
		if first := c.s.State.History().Messages[0]; !strings.Contains(first.Raw(), `"SUMMARY"`) {
			c.t.Errorf("the history begins with %s", first.Content.Text())
		}
	})
	numbered(t, "L226 a later step compacts as well", func(c *rig) {
		c.change = compacting(550, 50)
		c.tools = &tools{run: func(context.Context, msg.ToolCall) engine.ToolOutcome {
			return engine.ToolOutcome{Content: text(long + long)}
		}}
		c.start()
		c.talk(2)
		c.m.answers = []answer{callTools(msg.ToolCall{ID: "c1", Name: "ls", Arguments: "{}"}), quiet("Short."), quiet("ok")}
		c.ends("go on", "completed")
		if got := trace(c.events()); !strings.Contains(got, "step/end compact/gate compact/start") {
			c.t.Errorf("the events: %s", got)
		}
	})
	numbered(t, "L227 below the threshold nothing begins", func(c *rig) {
		c.change = compacting(6000, 50)
		c.start()
		c.talk(1)
		if c.count("compact/start") != 0 || c.count("compact/gate") != 1 {
			c.t.Error("a pass began")
		}
	})
	numbered(t, "L236 one pass that is not enough is committed, and told", func(c *rig) {
		c.change = compacting(250, 50, func(p *config.Compaction) { p.Retries = set(0) })
		c.start()
		c.talk(1)
		c.m.answers = []answer{quiet("Short, and of so many words that it is still a lot."), quiet("ok")}
		c.ends("go on "+strings.Repeat(lorem, 10), "completed")
		if got := passes(c.events()); got != "done" {
			c.t.Errorf("passes: %s", got)
		}
		if len(c.reports) != 1 || !strings.Contains(c.reports[0], "still above threshold after 1 compaction attempts") {
			c.t.Errorf("reports: %q", c.reports)
		}
	})
	numbered(t, "L243 below the retained there is nothing to compact, and nobody is asked", func(c *rig) {
		c.change = compacting(300, 5000)
		c.system = []msg.Contributor{contributor("system.text.rules", long+long+long)}
		c.start()
		c.talk(2)
		c.requests(2)
		if c.count("compact/start") != 0 {
			c.t.Error("a pass began")
		}
	})
	numbered(t, "L246 a checkpoint is taken in by the next one", func(c *rig) {
		c.change = compacting(550, 50)
		c.start()
		c.talk(3)
		c.m.answers = []answer{quiet("First summary."), quiet(long)}
		c.ends("go on", "completed")
		c.talk(1)
		c.m.answers = []answer{quiet("Second summary."), quiet("ok")}
		c.ends("and on "+long+long, "completed")
		last := c.m.bodies[len(c.m.bodies)-1]
		if strings.Contains(last, "First summary.") || strings.Count(last, "<compacted-summary>") != 1 || !strings.Contains(last, "Second summary.") {
			c.t.Errorf("the last request: %s", last)
		}
		var checkpoints []event.Event
		for _, e := range c.events() {
			if e.Op.Kind == event.OpReplace {
				checkpoints = append(checkpoints, e)
			}
		}
		if len(checkpoints) != 2 || checkpoints[1].Op.Start != checkpoints[0].Seq || checkpoints[1].Sources[2] != checkpoints[0].Seq {
			c.t.Errorf("checkpoints: %d, the second replaces %d to %d", len(checkpoints), checkpoints[1].Op.Start, checkpoints[1].Op.End)
		}
	})
	twice := func(c *rig) {
		c.change = compacting(550, 50)
		c.start()
		c.talk(3)
		c.m.answers = []answer{quiet("Short."), quiet(long)}
		c.ends("go on", "completed")
	}
	numbered(t, "L250 a pass breaks no invariant", twice) // to which the rig holds every log
	numbered(t, "L251 nor do two", func(c *rig) {
		twice(c)
		c.talk(1)
		c.m.answers = []answer{quiet("Shorter."), quiet("ok")}
		c.ends("and on "+long+long, "completed")
		if got := passes(c.events()); got != "done done" {
			c.t.Errorf("passes: %s", got)
		}
	})
	numbered(t, "X22 a cancel during the summary ends pass and turn, and no step begins", func(c *rig) {
		c.change = compacting(300, 50)
		c.start()
		c.talk(1)
		c.m.answers = []answer{func(ctx context.Context, yield func(msg.Chunk, error) bool) {
			go c.i.Cancel("enough")
			<-ctx.Done()
			yield(nil, context.Cause(ctx))
		}}
		c.ends("go on "+long+long, "aborted:enough")
		if got := trace(c.events()); !strings.HasSuffix(got, "compact/start request/sent compact/end turn/end=aborted:enough") {
			c.t.Errorf("the events: %s", got)
		}
	})
}
