// Package bpe counts the tokens of a text exactly, with byte pair encodings: those
// of o200k and cl100k, whose vocabularies are part of the program, and those that a
// tokenizer.json describes. It counts text alone: what a provider adds around a
// message it cannot know.
//
// Counting takes time nearly linear in the text, whatever the text is.
package bpe
