package ref_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/ref"
)

// Every id has one address, and what is written as a mention is read as it was meant.
func FuzzMention(f *testing.F) {
	f.Add("a", "label", "before", "after")
	f.Add("é\n\"", `a]b\c`, "@[x](", ")")
	f.Fuzz(func(t *testing.T, id, label, before, after string) {
		uri, err := ref.EncodeURI(id)
		if (err == nil) != utf8.ValidString(id) {
			t.Fatalf("%q: %v", id, err)
		}
		// Nothing that is read panics.
		_, _, _ = ref.Parse(before + id + label + after)
		if err != nil {
			return
		}
		if got, err := ref.DecodeURI(uri); err != nil || got != id {
			t.Fatalf("%q is %q, which is %q, %v", id, uri, got, err)
		}
		mention, err := ref.Reference{SessionID: id, Label: label}.Mention()
		if err != nil {
			return
		}
		text, refs, err := ref.Parse(mention)
		if err != nil || len(refs) != 1 || refs[0] != (ref.Reference{SessionID: id, Label: label}) || text != "@"+label {
			t.Fatalf("%q is %q, %+v, %v", mention, text, refs, err)
		}
	})
}

// An excerpt never exceeds its budget, is never cut inside a character, and keeps its
// checkpoints and its newest message.
func FuzzRetain(f *testing.F) {
	f.Add("hello", "wörld\u2028<tag>", "😀😀😀", 120)
	f.Fuzz(func(t *testing.T, a, b, c string, budget int) {
		if !utf8.ValidString(a) || !utf8.ValidString(b) || !utf8.ValidString(c) || budget > 1<<16 {
			t.Skip()
		}
		value := func(raw string) canon.Value {
			v, err := canon.Parse(raw)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		text := func(s string) canon.Value { return value(`[{"type":"text","text":` + canon.Quote(s) + `}]`) }
		s := ref.Snapshot{SessionID: "s", Surface: []ref.Surface{
			{Type: "user/message", Source: value(`{"kind":"user"}`), Content: text(a)},
			{Type: "user/message", Source: value(`{"kind":"plugin","plugin":"compact"}`), Content: text(b)},
			{Type: "assistant/message", Content: text(c)},
		}}
		x, ok, err := s.Retain("label", budget)
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			return
		}
		if len(x.JSON) > budget || strings.Contains(x.JSON, "<") || !utf8.ValidString(x.JSON) {
			t.Fatalf("%d bytes of %d: %q", len(x.JSON), budget, x.JSON)
		}
		want := 0
		for _, kept := range []string{b, c} {
			if kept != "" {
				want++
			}
		}
		if len(x.Conversation) < want {
			t.Fatalf("a message that stays is gone: %q", x.JSON)
		}
	})
}
