package schema

import "github.com/hashicorp/hcl/v2"

// BodySchema derives what HCL needs to read the body of such a block. No
// attribute is required there: a missing one is reported by who knows the place
// and the reason.
func (b *Block) BodySchema() *hcl.BodySchema {
	s := &hcl.BodySchema{
		Attributes: make([]hcl.AttributeSchema, len(b.Attributes)),
		Blocks:     make([]hcl.BlockHeaderSchema, len(b.Blocks)),
	}
	for i, a := range b.Attributes {
		s.Attributes[i] = hcl.AttributeSchema{Name: a.Name}
	}
	for i, c := range b.Blocks {
		header := hcl.BlockHeaderSchema{Type: c.Block.Type}
		for _, l := range c.Block.Labels {
			header.LabelNames = append(header.LabelNames, l.Name)
		}
		s.Blocks[i] = header
	}
	return s
}
