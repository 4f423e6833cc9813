// Package golden renders what a scenario pins, compares it with a file and
// rewrites the file when asked to. A rendering replaces what varies from run to
// run and what would make one edit touch every golden by stable tokens, keeps
// counts, and is the same text however often it is made. The goldens of this
// project's own scenarios lie in folders below this one.
// Design: design/04-scenarios.md.
package golden
