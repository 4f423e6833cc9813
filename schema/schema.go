package schema

import "github.com/zclconf/go-cty/cty"

// Block describes one kind of block. The root of a language is a Block without
// Type. Attributes and Blocks are in the order of documentation.
type Block struct {
	Type       string
	Labels     []Label
	Doc        string // sentences
	Example    string // HCL that shows the block, "" when its parent's example does
	Attributes []Attribute
	Blocks     []Child
	Names      *Attribute // attributes whose names the author chooses look like this one
	OneOf      [][]string // of each group exactly one attribute is written
	AtMostOne  [][]string // of each group one attribute is written or none; a default holds where none is
	Enables    bool       // what it describes happens only where it is written, so no default holds without it
	Absent     []Absent   // attributes that a person may expect, and why there are none
	Like       string     // type of the parent in which the same block is documented
	Stability  Stability
}

// Label describes a label of a block. Free labels may be any text; others are
// identifiers, so that an expression can refer to them.
type Label struct {
	Name string
	Free bool
}

// Child is a block inside a block. Max is how often it may occur there, 0 for any
// number. Blocks of one parent keep the order they are written in.
type Child struct {
	Block *Block
	Max   int
}

// Absent names an attribute that a block does not have, with the reason.
type Absent struct{ Name, Why string }

// Attribute describes one attribute. Default is the value of an attribute that
// is not written, cty.NilVal when there is none; Absence says in words what holds
// then. Refers is the type of the top-level block that a Reference names; Provided
// are names of the program that it may name as well.
type Attribute struct {
	Name       string
	Type       Type
	Required   bool
	Default    cty.Value
	Absence    string
	Constraint Constraint
	Refers     string
	Provided   *Provided
	Doc        string // sentences
	Sensitive  bool   // the value is kept unevaluated and is never shown
	Stability  Stability
	Former     []Former // names that it had before
}

// Provided are things that the program has and nobody declares, and the root that
// their addresses begin with: builtin.read.
type Provided struct {
	Root  string
	Names []string
}

// Former is a name that an attribute had. It is still read, with a warning.
type Former struct{ Name, Why string }

// Stability says what an author may rely on.
type Stability int

// Stable declarations keep their meaning within a major version; experimental
// ones may change with any version.
const (
	Stable Stability = iota
	Experimental
)

// Attribute returns the attribute of that name.
func (b *Block) Attribute(name string) (*Attribute, bool) {
	for i := range b.Attributes {
		if b.Attributes[i].Name == name {
			return &b.Attributes[i], true
		}
	}
	return nil, false
}

// Renamed returns the attribute that had a name before, and why it has another one.
func (b *Block) Renamed(name string) (a *Attribute, why string, ok bool) {
	for i := range b.Attributes {
		for _, f := range b.Attributes[i].Former {
			if f.Name == name {
				return &b.Attributes[i], f.Why, true
			}
		}
	}
	return nil, "", false
}

// Child returns the nested block of that type.
func (b *Block) Child(blockType string) (*Child, bool) {
	for i := range b.Blocks {
		if b.Blocks[i].Block.Type == blockType {
			return &b.Blocks[i], true
		}
	}
	return nil, false
}

// AttributeNames returns the names of all attributes, in order.
func (b *Block) AttributeNames() []string {
	out := make([]string, len(b.Attributes))
	for i, a := range b.Attributes {
		out[i] = a.Name
	}
	return out
}

// BlockTypes returns the types of all nested blocks, in order.
func (b *Block) BlockTypes() []string {
	out := make([]string, len(b.Blocks))
	for i, c := range b.Blocks {
		out[i] = c.Block.Type
	}
	return out
}
