// Package chat is the conversation at a terminal: lines in, a streamed answer out,
// commands that begin with a slash, one Ctrl-C to cancel and two to quit. What it
// understands stops here: the engine sees prompts and steering. The terminal is a
// Console, so that a pipe or a test can stand in for it.
package chat
