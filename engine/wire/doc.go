// Package wire holds the pure encoders of request bodies, one a protocol: header
// and message bytes in, body parts out. Providers send what they make, verify
// rebuilds with them. An Encoder grows with its instance: building the next body
// costs what is new, and parts are substrings of the canonical messages.
// Format: docs/format/wire.md and the marks of docs/format/log.md.
package wire
