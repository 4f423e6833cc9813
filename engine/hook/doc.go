// Package hook turns commands at interception points into typed decisions: what a
// command reads on standard input, and what its exit code and output mean, in the
// shape that Claude Code's hooks use. It decides nothing about the loop; package
// engine asks it and acts. Design: design/03-engine.md, "The loop".
package hook
