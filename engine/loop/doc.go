// Package loop is the machine that decides what a session does next: state in,
// next action out. It has no clock, no file, no network and no goroutine, so a
// test is a transcript of actions and results. A driver (package engine) carries
// the actions out and feeds the results back.
//
// The order of a turn and of a step, and what a cancel or a disposal does in each
// window between two actions, are those of spec/loop.md section 4 with the
// decisions of design/03-engine.md: dispose always wins over cancel, and
// cancel over a limit of time; every tool call of a step gets a result; text that
// streamed before an interruption is kept.
package loop
