// Package eventlog is the file of a session: create, open, scan, append, sync,
// lock. It promises that what Sync acknowledged survives, that a failed append
// leaves no partial line behind for the next one to be glued to, that one process
// writes at a time, and that damage is named by file, line and byte offset.
// Format: docs/format/log.md; behaviour: spec/loop.md section 5.
package eventlog
