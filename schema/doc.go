// Package schema is the configuration language as data: what may be written,
// with the type, default, constraint and documentation of every block and
// attribute, and the names, functions and warning rules besides them.
//
// Decoding, checking, docs/language.md and whatever else has to know the
// language read this one table; nothing about the language is written down
// twice. One file describes one block, and a block's file has the same name here,
// in config/hclfile and in contrib.
//
// Every function returns a table of its own, and nobody changes one.
package schema
