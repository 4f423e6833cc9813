// Package scenarios is the scenario runner: testscript with the verbs that drive
// an agent and hold it to what a configuration promises. Each scenario has its
// own folder, store, clock, ids and scripted model; the command line, the engine
// and the wire are the real ones. The specifications of this project itself are
// the *.txtar files in the folders below this one.
//
// verbs.go lists the verbs; each has a file of its own. The program around the
// runner comes in as a Host, so that the command line can import this package.
// Design: design/04-scenarios.md.
package scenarios
