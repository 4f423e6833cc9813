// Package engine compiles a declared agent, freezes its prefix once, and runs
// sessions: the composition of the parts below it. It promises that a request is
// computed from the log and the frozen header alone, that it is logged and synced
// before it leaves, and that nothing a contributor, a provider or a tool does
// takes down the loop instead of ending the turn.
//
// Read Compile, then Freeze, then Instance. What decides the order of things is
// package loop; this package carries its actions out. Behaviour: spec/loop.md
// section 4, design/03-engine.md.
package engine
