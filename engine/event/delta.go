package event

import (
	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/header"
)

// RequestHeaderDelta says how the header of the next request differs from the one
// in force (spec/loop.md section 3.2).
type RequestHeaderDelta struct{ Delta header.Delta }

// Type implements Payload.
func (RequestHeaderDelta) Type() string { return "request/header-delta" }

// Raw implements Payload.
func (p RequestHeaderDelta) Raw() string { return p.Delta.Raw() }

// ParseRequestHeaderDelta takes the payload from the data of a
// request/header-delta.
func ParseRequestHeaderDelta(v canon.Value) (RequestHeaderDelta, error) {
	d, err := header.ParseDelta(v)
	return RequestHeaderDelta{d}, err
}
