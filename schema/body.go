package schema

import "github.com/hashicorp/hcl/v2"

// BodySchema derives what HCL needs to read the body of such a block. No
// attribute is required there: a missing one is reported by who knows the place
// and the reason.
func (b *Block) BodySchema() *hcl.BodySchema {
	s := &hcl.BodySchema{
		Attributes: make([]hcl.AttributeSchema, 0, len(b.Attributes)),
		Blocks:     make([]hcl.BlockHeaderSchema, len(b.Blocks)),
	}
	for _, a := range b.Attributes {
		s.Attributes = append(s.Attributes, hcl.AttributeSchema{Name: a.Name})
		for _, f := range a.Former {
			s.Attributes = append(s.Attributes, hcl.AttributeSchema{Name: f.Name})
		}
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
