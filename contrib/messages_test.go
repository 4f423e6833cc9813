package contrib

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-hcl/dsh/config"
)

func TestMessages(t *testing.T) {
	inline := func(c *config.Contributor) {
		c.Newlines = attr("lf")
		c.Messages = []config.Message{{Role: "user", Content: "a\r\nb", Origin: "dsh.hcl:4"}, {Role: "assistant", Content: " ", Origin: "dsh.hcl:5"}, {Role: "assistant", Content: "c", Origin: "dsh.hcl:6"}}
	}
	lines := func(c *config.Contributor) {
		c.Newlines = attr("keep")
		c.Path, c.Origin = attr("/abs/primer.jsonl"), "primer.jsonl"
	}
	for _, tt := range []struct {
		name, file string
		edit       func(*config.Contributor)
		want       string // the composition, or the error
	}{
		{"inline", "", inline, "messages.m (dsh.hcl:4) user \"a\\nb\"\nmessages.m (dsh.hcl:6) assistant \"c\"\n"},
		{"file", "\ufeff{\"role\":\"user\",\"content\":\"a\\r\\ne\u0301\"}\r\n\n { \"content\" : \"b\\u00e9\", \"role\" : \"assistant\" } ", lines,
			"messages.m (primer.jsonl:1) user \"a\\r\\ne\u0301\"\nmessages.m (primer.jsonl:3) assistant \"b\u00e9\"\n"},
		{"empty file", "\n", lines, ""},
		{"envelope of each", `{"role":"user","content":"a"}` + "\n" + `{"role":"user","content":"b"}`, func(c *config.Contributor) { lines(c); c.Envelope = attr("x") },
			"messages.m (primer.jsonl:1) user \"<x>\\na\\n</x>\"\nmessages.m (primer.jsonl:2) user \"<x>\\nb\\n</x>\"\n"},
		{"one is too large", `{"role":"user","content":"a"}` + "\n" + `{"role":"user","content":"bcd"}`, func(c *config.Contributor) { lines(c); c.MaxBytes = attr(2) },
			"messages.m: content is 3 bytes, max_bytes is 2"},
		{"no JSON", "{\"role\":\"user\",\"content\":\"a\"}\n{'role'}\n", lines, `messages.m: primer.jsonl:2: Not JSON: The line cannot be read as JSON: ` +
			`expected a member name. Write each line as {"role": "user", "content": "..."}, with the role user or assistant`},
		{"role", `{"role":"system","content":"a"}`, lines, `messages.m: primer.jsonl:1: Invalid message: The role is "system", not user or assistant`},
		{"lone surrogate", `{"role":"user","content":"\ud800"}`, lines, `messages.m: primer.jsonl:1: Invalid message: The content is no text. Write each line as {"role": "user", "content": "..."}, with the role user or assistant`},
		{"not UTF-8", "{\"role\":\"user\",\"content\":\"\xff\"}", lines, `messages.m: primer.jsonl is not UTF-8: byte 26 belongs to no character`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := compose(t, disk{"/abs/primer.jsonl": tt.file}, contributor(config.KindMessages, "m", tt.edit))
			shown := show(got)
			if err != nil {
				shown = err.Error()
			}
			if diff := cmp.Diff(tt.want, shown); diff != "" {
				t.Error(diff)
			}
		})
	}
}
