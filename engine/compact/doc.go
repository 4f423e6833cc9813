// Package compact decides what a compaction does to a surface: whether one is due,
// which nodes it is about, how a tool's result is shortened, what the model is asked
// for and how its summary is put in (spec/loop.md section 6, decision 0051). It is
// arithmetic over values; asking the model and writing the log are the engine's.
package compact
