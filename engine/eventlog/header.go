package eventlog

import (
	"fmt"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/event"
)

// Version is the version of the format that this program writes.
const Version = 1

// Header is the first line of a log. Agent and ConfigDigest are empty in version
// 0.
type Header struct {
	Version      int64
	ID           string
	CreatedAt    int64  // Unix milliseconds
	Cwd          string // absolute path of the workspace, "" for none
	Parent       string // a fork's parent, "" for none
	SeedLength   int64  // leading events copied from the parent
	Agent        string
	ConfigDigest string
	Redacted     int64 // texts that an export replaced, 0 in every log that was written
}

// Raw returns the canonical JSON of the line, without the line feed.
func (h Header) Raw() string {
	var o canon.Object
	o.String("type", "session")
	o.Int("version", h.Version)
	o.String("id", h.ID)
	o.Int("createdAt", h.CreatedAt)
	if h.Cwd != "" {
		o.String("cwd", h.Cwd)
	}
	if h.Parent != "" {
		o.String("parentSession", h.Parent)
	}
	if h.SeedLength > 0 {
		o.Int("seedLength", h.SeedLength)
	}
	o.String("agent", h.Agent)
	o.String("configDigest", h.ConfigDigest)
	if h.Redacted > 0 {
		o.Int("redacted", h.Redacted)
	}
	return o.End()
}

// ParseHeader reads the first line of a log of version 0 or 1. Errors:
// *canon.SyntaxError, *event.ShapeError, *VersionError.
func ParseHeader(line string) (Header, error) {
	v, err := canon.Parse(canon.ValidText(line))
	if err != nil {
		// Its offset is to count bytes of the file.
		if _, exact := canon.Parse(line); exact != nil {
			err = exact
		}
		return Header{}, err
	}
	if t, _ := v.Get("type").Text(); t != "session" {
		return Header{}, &event.ShapeError{Reason: "the first line is not a session header"}
	}
	version, ok := v.Get("version").Float()
	if !ok {
		return Header{}, &event.ShapeError{Reason: "the session header has no version"}
	}
	switch version {
	case 0:
		return parseVersion0(canon.ValidText(line))
	case Version:
		return parseVersion1(line)
	}
	unknown := &VersionError{Got: int64(min(max(version, -1<<53), 1<<53))}
	if float64(unknown.Got) != version {
		unknown.Text, _ = canon.FormatFloat(version)
	}
	return Header{}, unknown
}

func parseVersion1(line string) (Header, error) {
	v, err := canon.ParseCanonical(line)
	if err != nil {
		return Header{}, err
	}
	var h Header
	ok := true
	text := func(dst *string, v canon.Value) { *dst, ok = v.Text() }
	number := func(dst *int64, v canon.Value) { *dst, ok = v.Int() }
	for name, m := range v.Members() {
		switch name {
		case "version":
			number(&h.Version, m)
		case "id":
			text(&h.ID, m)
		case "createdAt":
			number(&h.CreatedAt, m)
		case "cwd":
			text(&h.Cwd, m)
		case "parentSession":
			text(&h.Parent, m)
		case "seedLength":
			number(&h.SeedLength, m)
		case "agent":
			text(&h.Agent, m)
		case "configDigest":
			text(&h.ConfigDigest, m)
		case "redacted":
			number(&h.Redacted, m)
		}
		if !ok {
			return Header{}, &event.ShapeError{Reason: fmt.Sprintf("session header member %q has the wrong type", name)}
		}
	}
	for _, name := range [...]string{"id", "createdAt", "agent", "configDigest"} {
		if !v.Get(name).Exists() || h.ID == "" {
			return Header{}, &event.ShapeError{Reason: "the session header has no " + name}
		}
	}
	return h, nil
}

// parseVersion0 reads the header as the reference does: members that nobody knows
// or that have the wrong type are left out, all but the two that every log has.
func parseVersion0(line string) (Header, error) {
	v, err := canon.ParseJavaScript(line)
	if err != nil {
		return Header{}, &event.ShapeError{Reason: err.Error()}
	}
	var h Header
	h.ID, _ = v.Get("id").Text()
	if h.ID == "" {
		return Header{}, &event.ShapeError{Reason: "the session header has no id"}
	}
	created, ok := v.Get("createdAt").Float()
	if !ok {
		return Header{}, &event.ShapeError{Reason: "the session header has no createdAt"}
	}
	h.CreatedAt = int64(min(max(created, -1<<53), 1<<53))
	h.Cwd, _ = v.Get("cwd").Text()
	h.Parent, _ = v.Get("parentSession").Text()
	if n, ok := v.Get("seedLength").Int(); ok && n > 0 {
		h.SeedLength = n
	}
	return h, nil
}
