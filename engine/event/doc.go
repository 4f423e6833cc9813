// Package event is the vocabulary of the session log: the envelope, the payloads
// by family, and the projection of an event to a message. An event is a value
// over the text of its line. Format: docs/format/log.md; behaviour: spec/loop.md
// section 1.
package event
