package ref_test

import (
	"fmt"
	"testing"

	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/ref"
)

func TestSurfaceVectors(t *testing.T) {
	type stats struct {
		Compacted, Truncated                                              bool
		OriginalMessages, RetainedMessages, OmittedMessages, OmittedBytes int
	}
	vectors(t, "surface", func(t *testing.T, c struct {
		Cwd string
		Ops []struct {
			Op, Text, Plugin string
			Replace          []int64
		}
		Expect struct {
			CapturedThroughSeq *int64
			Data               struct {
				Conversation []struct{ Role, Text string }
			}
			Reference stats
		}
	}) {
		capture := ref.NewCapture("source", c.Cwd)
		for i, op := range c.Ops {
			text, err := msg.TextContent(op.Text)
			if err != nil {
				t.Fatal(err)
			}
			var e event.Entry
			switch op.Op {
			case "user":
				e.Payload = event.UserMessage{Content: text, Source: event.UserSource()}
			case "checkpoint":
				e.Payload = event.UserMessage{Content: text, Source: event.PluginSource("compact")}
			case "plugin":
				e.Payload = event.UserMessage{Content: text, Source: event.PluginSource(op.Plugin)}
			case "assistant":
				e.Payload = event.AssistantMessage{Turn: 1, Step: 1, Content: text, Finish: msg.FinishStop}
			case "tool":
				e.Payload = event.ToolResult{Turn: 1, Step: 1, CallID: "c", Content: text}
			case "chunk":
				e.Payload = event.AssistantChunk{Turn: 1, Step: 1, Chunk: msg.TextDelta{Text: op.Text}}
			case "title":
				e.Payload = event.SessionTitle{Title: op.Text}
			case "turn-start":
				e.Payload = event.TurnStart{Turn: 1, Trigger: "message", Source: event.UserSource()}
			default:
				t.Fatalf("no event for %q", op.Op)
			}
			if event.IsSurfaceType(e.Payload.Type()) {
				e.Op = event.Op{Kind: event.OpAppend}
			}
			if op.Replace != nil {
				e.Op = event.Op{Kind: event.OpReplace, Start: op.Replace[0], End: op.Replace[1]}
			}
			if err := capture.Add(event.New(int64(i), 0, e)); err != nil {
				t.Fatal(err)
			}
		}
		x, ok, err := capture.Snapshot().Retain("L", ref.DefaultMaxReferenceBytes)
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		through, any := x.Through.Get()
		if any != (c.Expect.CapturedThroughSeq != nil) || any && through != *c.Expect.CapturedThroughSeq {
			t.Errorf("captured through %d, %v", through, any)
		}
		var got, want []string
		for _, i := range x.Conversation {
			got = append(got, i.Role+": "+i.Text)
		}
		for _, i := range c.Expect.Data.Conversation {
			want = append(want, i.Role+": "+i.Text)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("got %q, want %q", got, want)
		}
		if s := stats(struct {
			Compacted, Truncated                                              bool
			OriginalMessages, RetainedMessages, OmittedMessages, OmittedBytes int
		}{x.Stats.Compacted, x.Stats.Truncated, x.Stats.OriginalMessages, x.Stats.RetainedMessages, x.Stats.OmittedMessages, x.Stats.OmittedBytes}); s != c.Expect.Reference {
			t.Errorf("got %+v, want %+v", s, c.Expect.Reference)
		}
	})
}
