// Package mention is the @ of hosts where a person types: which token stands at the
// cursor, which files and sessions it may mean, the rows of the menu, and what each
// puts into the text. It serves hosts only: to the engine a file is ordinary text, and
// a session the canonical mention that package ref writes and reads
// (spec/references.md section 10).
package mention
