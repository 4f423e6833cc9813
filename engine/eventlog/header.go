package eventlog

import (
	"fmt"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/event"
)

// Version is the version of the format that this program writes.
const Version = 1

// Header is the first line of a log.
type Header struct {
	Version      int64
	ID           string
	CreatedAt    int64  // Unix milliseconds
	Cwd          string // absolute path of the workspace, "" for none
	Parent       string // a fork's parent, "" for none
	SeedLength   int64  // leading events copied from the parent
	Agent        string
	ConfigDigest string
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
	return o.End()
}

// ParseHeader reads the first line of a log. Errors: *canon.SyntaxError,
// *event.ShapeError, *VersionError.
func ParseHeader(line string) (Header, error) {
	v, err := canon.Parse(line)
	if err != nil {
		return Header{}, err
	}
	var h Header
	ok := true
	text := func(dst *string, v canon.Value) { *dst, ok = v.Text() }
	number := func(dst *int64, v canon.Value) { *dst, ok = v.Int() }
	if t, _ := v.Get("type").Text(); t != "session" {
		return Header{}, &event.ShapeError{Reason: "the first line is not a session header"}
	}
	if number(&h.Version, v.Get("version")); !ok {
		return Header{}, &event.ShapeError{Reason: "the session header has no version"}
	}
	if h.Version != Version {
		return Header{}, &VersionError{Got: h.Version}
	}
	if v, err = canon.ParseCanonical(line); err != nil {
		return Header{}, err
	}
	for name, m := range v.Members() {
		switch name {
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
		}
		if !ok {
			return Header{}, &event.ShapeError{Reason: fmt.Sprintf("session header member %q has the wrong type", name)}
		}
	}
	if h.ID == "" {
		return Header{}, &event.ShapeError{Reason: "the session header has no id"}
	}
	return h, nil
}
