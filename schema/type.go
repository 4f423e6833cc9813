package schema

// Type is what an attribute's value is. The language converts nothing silently:
// "12" is no number and 12 is no text.
type Type int

// The attribute types.
const (
	Text        Type = iota // text
	Bool                    // true or false
	Whole                   // a whole number
	Number                  // a number
	Amount                  // a number of units of a currency
	Duration                // text such as "30s" or "1m30s"
	Size                    // a whole number of bytes, or text such as "64KiB"
	Texts                   // a list of texts
	TextOrTexts             // a text, or a list of at least one
	Command                 // a list of texts: a program and its arguments
	Values                  // an object of any values
	Any                     // any value
	Path                    // text that names a file
	Reference               // the address of a declaration, without quotes
	References              // a list of such addresses
	TypeName                // a type: string, list(string), object({...})
	Secret                  // text that is kept unevaluated
	Secrets                 // an object of texts, each kept unevaluated
)

// TypeNames are the types that a TypeName may be, as they are written.
func TypeNames() []string {
	return []string{"string", "number", "bool", "any", "list(TYPE)", "set(TYPE)", "map(TYPE)", "object({ NAME = TYPE })", "tuple([TYPE])"}
}

// String is how the documentation calls the type.
func (t Type) String() string {
	switch t {
	case Bool:
		return "true or false"
	case Whole:
		return "whole number"
	case Number:
		return "number"
	case Amount:
		return "amount"
	case Duration:
		return "duration"
	case Size:
		return "size"
	case Texts:
		return "list of texts"
	case TextOrTexts:
		return "text or list of texts"
	case Command:
		return "command"
	case Values:
		return "object"
	case Any:
		return "any value"
	case Path:
		return "path"
	case Reference:
		return "reference"
	case References:
		return "list of references"
	case TypeName:
		return "type"
	case Secret:
		return "secret text"
	case Secrets:
		return "object of secret texts"
	}
	return "text"
}

// Written says how a value of the type is written, as advice to someone who wrote
// something else.
func (t Type) Written() string {
	switch t {
	case Bool:
		return "write true or false, without quotes"
	case Whole:
		return "write a whole number without quotes, such as 4096"
	case Number:
		return "write a number without quotes, such as 0.2"
	case Amount:
		return "write a number without quotes that has at most nine digits behind the point, such as 0.27"
	case Duration:
		return `write a text with units, such as "30s" or "1m30s"; the units are h, m, s and ms`
	case Size:
		return `write a whole number of bytes, or a text with a unit, such as "64KiB"; the units are B, kB, KiB, MB and MiB`
	case Texts:
		return `write a list of texts, such as ["a", "b"]`
	case TextOrTexts:
		return `write a text such as "a", or a list such as ["a", "b"]`
	case Command:
		return `write a list, the program first and then its arguments, such as ["lint", "--fix"]; no shell reads it`
	case Values:
		return "write an object, such as { team = var.team }"
	case Path:
		return `write a path in quotes; a relative one starts at the folder of this file`
	case TypeName:
		return "write a type without quotes, such as string, number, bool or list(string)"
	case Secrets:
		return `write an object, such as { "X-Team" = env.TEAM_TOKEN }`
	case Any, Reference, References:
		return ""
	}
	return "write a text in quotes"
}
