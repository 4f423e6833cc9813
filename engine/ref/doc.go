// Package ref is the reference from one session to another: its address and how a
// text cites it, what is read of the session that is cited, how that is held to a
// byte budget, and how it is put in front of a model. Everything in it is a function
// of its arguments; reading sessions is the caller's.
//
// It implements spec/references.md with the decisions at its top.
package ref
