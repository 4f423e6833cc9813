package msg_test

import (
	"fmt"
	"testing"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/msg"
)

func TestMessageBytes(t *testing.T) {
	for _, c := range []struct {
		role   msg.Role
		blocks []msg.Block
		want   string
	}{
		{msg.RoleUser, nil, `{"role":"user","content":[]}`},
		{msg.RoleAssistant, []msg.Block{msg.Text{Text: "hé"}}, `{"role":"assistant","content":[{"type":"text","text":"hé"}]}`},
		{msg.RoleSystem, []msg.Block{msg.Unknown{Raw: widget}}, `{"role":"system","content":[` + widget + `]}`},
	} {
		m, err := msg.NewMessage(c.role, c.blocks...)
		if err != nil || m.Raw() != c.want {
			t.Errorf("got  %s, %v\nwant %s", m.Raw(), err, c.want)
		}
		if m.Bytes() != len(c.want) {
			t.Errorf("%s: Bytes is %d, the text has %d", c.want, m.Bytes(), len(c.want))
		}
		parsed, err := msg.ParseMessage(value(t, c.want))
		if err != nil || parsed != m {
			t.Errorf("%s was parsed as %s, %v", c.want, parsed.Raw(), err)
		}
	}
}

// Two messages are equal when their bytes are.
func TestMessageEquality(t *testing.T) {
	parse := func(s string) msg.Message {
		m, err := msg.ParseMessage(value(t, s))
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	a := parse(`{"role":"user","content":[{"type":"widget","n":1}]}`)
	for _, c := range []struct {
		in   string
		same bool
	}{
		{`{"role":"user","content":[{"type":"widget","n":1}]}`, true},
		{`{"role":"assistant","content":[{"type":"widget","n":1}]}`, false},
		{`{"role":"user","content":[{"n":1,"type":"widget"}]}`, false},
		{`{"role":"user","content":[{"type":"widget","n":1.0}]}`, false},
		{`{"role":"user","content":[]}`, false},
	} {
		if (parse(c.in) == a) != c.same {
			t.Errorf("%s equal to %s: %v", c.in, a.Raw(), !c.same)
		}
	}
	if made, err := msg.NewMessage(msg.RoleUser); err != nil || made != parse(`{"role":"user","content":[]}`) {
		t.Error("an empty message that was made differs from one that was read")
	}
}

func TestMessageRefuses(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`[]`, "message is not an object"},
		{`null`, "message is not an object"},
		{`{"content":[]}`, `unknown role ""`},
		{`{"role":"tool","content":[]}`, `unknown role "tool"`},
		{`{"role":1,"content":[]}`, `unknown role ""`},
		{`{"role":"User","content":[]}`, `unknown role "User"`},
		{`{"role":"user"}`, "content is not an array"},
		{`{"role":"user","content":"text"}`, "content is not an array"},
		{`{"role":"user","content":[{"type":"text"}]}`, `block 0: text block without string "text"`},
	} {
		m, err := msg.ParseMessage(value(t, c.in))
		if fmt.Sprint(err) != c.want {
			t.Errorf("%s: error %v, want %s", c.in, err, c.want)
		}
		if m != (msg.Message{}) {
			t.Errorf("%s: a message beside the error", c.in)
		}
	}
	if _, err := msg.NewMessage("tool", msg.Text{Text: "x"}); err == nil || err.Error() != `unknown role "tool"` {
		t.Errorf("role tool: %v", err)
	}
	if _, err := msg.NewMessage(msg.RoleUser, msg.Text{Text: "\xff"}); err == nil || err.Error() != "block 0: text block: invalid UTF-8 at byte 0" {
		t.Errorf("not UTF-8: %v", err)
	}
	if _, err := msg.ParseMessage(canon.Value{}); err == nil {
		t.Error("the absent value is a message")
	}
}

func TestEnclose(t *testing.T) {
	for _, c := range []struct {
		name    string
		content msg.Content
		want    string
	}{
		{"nothing", msg.Content{}, `{"role":"user","content":[{"type":"text","text":"<a \"b\">"},{"type":"text","text":"</a>"}]}`},
		{"text", content(t, msg.Text{Text: "x\n"}),
			`{"role":"user","content":[{"type":"text","text":"<a \"b\">"},{"type":"text","text":"x\n"},{"type":"text","text":"</a>"}]}`},
		{"blocks of any type", content(t, msg.Unknown{Raw: widget}, msg.Reasoning{Text: "r"}),
			`{"role":"user","content":[{"type":"text","text":"<a \"b\">"},` + widget + `,{"type":"reasoning","text":"r"},{"type":"text","text":"</a>"}]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := msg.Enclose(msg.RoleUser, `<a "b">`, c.content, "</a>")
			if err != nil || m.Raw() != c.want {
				t.Errorf("got  %s, %v\nwant %s", m.Raw(), err, c.want)
			}
			if again, err := msg.ParseMessage(value(t, m.Raw())); err != nil || again != m {
				t.Errorf("parsed as %s, %v", again.Raw(), err)
			}
		})
	}
	for _, tags := range [][2]string{{"\xff", "</a>"}, {"<a>", "\xff"}} {
		if m, err := msg.Enclose(msg.RoleUser, tags[0], msg.Content{}, tags[1]); err == nil || m != (msg.Message{}) {
			t.Errorf("tags %q: %v", tags, err)
		}
	}
}
