// Package session is the state of a session, folded from its events one by one:
// surface, history, header in force, open turn and step, unanswered tool calls.
// Folding costs what is new; it opens no file and reads no clock. Behaviour:
// spec/loop.md sections 1.3, 2, 3.4 and 5.4.
package session
