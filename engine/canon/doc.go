// Package canon is canonical JSON: the one writer of bytes that are hashed,
// logged or sent, and a strict reader that hands out substrings of what it read.
//
// Canonical means: no white space between tokens, members in the order the
// writer stated, no member twice, and strings escaped only where JSON demands it
// (quotation mark, backslash and characters below U+0020, with the short forms
// \b \t \n \f \r, everything else as \u00xx in lower case). HTML characters,
// U+2028 and U+2029 stand for themselves. Text is valid UTF-8. This is the text
// that JavaScript's JSON.stringify writes, so logs of the reference
// implementation and of this one agree byte for byte.
//
// Values are Go strings: immutable, shared freely, cut without copying. The
// package imports only the standard library's text conversions and promises not
// to depend on encoding/json, whose output differs between toolchains.
package canon
