// Package store is the sessions as a collection: create, list, find, read,
// resume. It knows where a session's files lie and who may write them; what is in
// them is the business of eventlog and session. Lists come from an
// index, a cache of the logs. Formats: docs/format/log.md, docs/format/index.md.
package store
