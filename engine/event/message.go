package event

import (
	"fmt"
	"strings"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/msg"
)

// Source says who caused a message or a turn. The kinds are open: "user" is a
// person, "plugin" a part of the program, which it names. The zero Source is
// none.
type Source struct{ raw string }

// UserSource is the source of what a person sent.
func UserSource() Source { return Source{`{"kind":"user"}`} }

// PluginSource is the source of what a part of the program added.
func PluginSource(name string) Source {
	var o canon.Object
	o.String("kind", "plugin")
	o.String("plugin", name)
	return Source{o.End()}
}

// noticePlugin is the part of the program that tells of changed contributors.
const noticePlugin = "prefix"

// NoticeSource is the source of a message that tells what a contributor of the
// frozen prefix reads now. digest identifies what it was told.
func NoticeSource(address, digest string) Source {
	var o canon.Object
	o.String("kind", "plugin")
	o.String("plugin", noticePlugin)
	o.String("address", address)
	o.String("digest", digest)
	return Source{o.End()}
}

// Notice returns address and digest of a NoticeSource; it reports false for every
// other one.
func (s Source) Notice() (address, digest string, ok bool) {
	if !strings.Contains(s.raw, `"address"`) {
		return "", "", false
	}
	v, err := canon.ParseCanonical(s.raw)
	if err != nil {
		return "", "", false
	}
	plugin, _ := v.Get("plugin").Text()
	address, hasAddress := v.Get("address").Text()
	digest, hasDigest := v.Get("digest").Text()
	return address, digest, plugin == noticePlugin && hasAddress && hasDigest
}

// SourceOf takes a source from a canonical JSON value.
func SourceOf(v canon.Value) (Source, bool) {
	_, ok := v.Get("kind").Text()
	return Source{v.Raw()}, ok
}

// Raw returns the canonical JSON object.
func (s Source) Raw() string { return s.raw }

// Kind returns the kind of the source.
func (s Source) Kind() string {
	v, err := canon.ParseCanonical(s.raw)
	if err != nil {
		return ""
	}
	k, _ := v.Get("kind").Text()
	return k
}

// UserMessage is a prompt, or whatever else stands in the user's place.
type UserMessage struct {
	ID      string
	Content msg.Content
	Source  Source
}

// AssistantMessage is what the model said in a step. Interrupted marks text that
// streamed before a cancel or a failure.
type AssistantMessage struct {
	Turn, Step  int64
	Content     msg.Content
	Usage       msg.Opt[msg.Usage]
	Cost        msg.Opt[msg.Cost] // of the request, at the price that the model then had
	Finish      msg.FinishKind
	Interrupted bool
}

// ResultError is the stable identity of a failed tool call.
type ResultError struct{ Name, Code string }

// ToolResult answers one tool call. Meta is canonical JSON, "" for none; it never
// reaches the model.
type ToolResult struct {
	Turn, Step int64
	CallID     string
	Content    msg.Content
	IsError    bool
	Error      msg.Opt[ResultError]
	Meta       string
}

// ParseToolResult takes the payload from the data of a tool/result, without the
// content. What it returns shares no text with the data.
func ParseToolResult(v canon.Value) ToolResult {
	var p ToolResult
	p.Turn, _ = v.Get("turn").Int()
	p.Step, _ = v.Get("step").Int()
	id, _ := v.Get("callId").Text()
	p.CallID = strings.Clone(id)
	p.IsError = v.Get("isError").IsTrue()
	if e := v.Get("error"); e.Exists() {
		name, _ := e.Get("name").Text()
		code, _ := e.Get("code").Text()
		p.Error = msg.Some(ResultError{strings.Clone(name), strings.Clone(code)})
	}
	p.Meta = strings.Clone(v.Get("meta").Raw())
	return p
}

// ContextMessage is context that the program added.
type ContextMessage struct {
	Content msg.Content
	Source  Source
}

// SteeringMessage is what was said to a running turn.
type SteeringMessage struct {
	Turn    int64
	Content msg.Content
	Source  Source
}

// Type implements Payload.
func (UserMessage) Type() string { return "user/message" }

// Type implements Payload.
func (AssistantMessage) Type() string { return "assistant/message" }

// Type implements Payload.
func (ToolResult) Type() string { return "tool/result" }

// Type implements Payload.
func (ContextMessage) Type() string { return "context/message" }

// Type implements Payload.
func (SteeringMessage) Type() string { return "steering/message" }

// Raw implements Payload.
func (p UserMessage) Raw() string {
	var o canon.Object
	o.String("id", p.ID)
	o.Raw("content", p.Content.Raw())
	o.Raw("source", p.Source.raw)
	return o.End()
}

// Raw implements Payload.
func (p AssistantMessage) Raw() string {
	o := step(p.Turn, p.Step)
	o.Raw("content", p.Content.Raw())
	if u, ok := p.Usage.Get(); ok {
		o.Raw("usage", u.Raw())
	}
	if c, ok := p.Cost.Get(); ok {
		o.Raw("cost", c.Raw())
	}
	o.String("finish", string(p.Finish))
	if p.Interrupted {
		o.Bool("interrupted", true)
	}
	return o.End()
}

// Raw implements Payload.
func (p ToolResult) Raw() string {
	o := step(p.Turn, p.Step)
	o.String("callId", p.CallID)
	o.Raw("content", p.Content.Raw())
	o.Bool("isError", p.IsError)
	if e, ok := p.Error.Get(); ok {
		var eo canon.Object
		eo.String("name", e.Name)
		eo.String("code", e.Code)
		o.Raw("error", eo.End())
	}
	if p.Meta != "" {
		o.Raw("meta", p.Meta)
	}
	return o.End()
}

// Raw implements Payload.
func (p ContextMessage) Raw() string {
	var o canon.Object
	o.Raw("content", p.Content.Raw())
	o.Raw("source", p.Source.raw)
	return o.End()
}

// Raw implements Payload.
func (p SteeringMessage) Raw() string {
	var o canon.Object
	o.Int("turn", p.Turn)
	o.Raw("content", p.Content.Raw())
	o.Raw("source", p.Source.raw)
	return o.End()
}

func step(turn, step int64) canon.Object {
	var o canon.Object
	o.Int("turn", turn)
	o.Int("step", step)
	return o
}

// Message projects a surface event to its message (spec/loop.md section 2.1). It
// reports false for an assistant message without content, which exists only to
// carry usage, for an event with a Fault and for every other event. The message
// shares the event's text.
func (e Event) Message() (msg.Message, bool) {
	if e.fault != nil {
		return msg.Message{}, false
	}
	switch e.Type {
	case "user/message":
		return msg.Message{Role: msg.RoleUser, Content: e.content}, true
	case "assistant/message":
		if e.content.IsEmpty() {
			return msg.Message{}, false
		}
		return msg.Message{Role: msg.RoleAssistant, Content: e.content}, true
	case "tool/result":
		id, _ := e.Data.Get("callId").Text()
		m, err := msg.NewMessage(msg.RoleUser, msg.ToolResult{CallID: id, Content: e.content, IsError: e.Data.Get("isError").IsTrue()})
		return m, err == nil
	case "context/message", "steering/message":
		tag := "context"
		if e.Type == "steering/message" {
			tag = "steering"
		}
		m, err := msg.Enclose(msg.RoleUser, fmt.Sprintf("<%s source=%s>", tag, e.Data.Get("source").Get("kind").Raw()), e.content, "</"+tag+">")
		return m, err == nil
	}
	return msg.Message{}, false
}
