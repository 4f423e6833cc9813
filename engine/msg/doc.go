// Package msg holds the values a model sees and says: messages and their blocks,
// tool schemas, call configuration, stream chunks, usage. A message is encoded to
// canonical JSON once, when it comes into being, and that text is its identity
// from then on: for equality, digests, goldens, the log and the wire.
//
// Everything here is a value. Nothing opens a file, reads a clock or changes
// after it was made. Behaviour: spec/loop.md section 0.
package msg
