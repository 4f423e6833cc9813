// Package header holds what a request carries besides history: call
// configuration, system text, tools, the frozen prefix and the wire settings. A
// Header is a value; its parts cannot be written to after it was made.
// Format: docs/format/header.md; behaviour: spec/loop.md section 3.
package header
