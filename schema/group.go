package schema

// group is a prefix block outside of agents: contributors that several agents share.
func group() *Block {
	b := &Block{
		Type:   "prefix",
		Labels: []Label{{Name: "NAME"}},
		Doc: "A group of contributors that agents share. An `include` block puts them, in the order written here, in its own place; there they have the address `GROUP.KIND.NAME`. " +
			"Relative paths start at the folder of the file that holds the group; `agent` and `model` are those of the agent that includes it. The name `system` is taken.",
		Example: `prefix "house_rules" {
  text "style" { content = "Short sentences. No exclamation marks." }
  text "git" { content = "Never push." }
}`,
	}
	for _, name := range []string{"max_tokens", "on_resume", "on_fork"} {
		b.Absent = append(b.Absent, Absent{Name: name, Why: "It stands in the prefix block of an agent."})
	}
	for _, c := range contributors() {
		c.Like = "agent / prefix"
		b.Blocks = append(b.Blocks, Child{Block: c})
	}
	return b
}

// include is the block that stands for a group of contributors.
func include() *Block {
	return &Block{
		Type:    "include",
		Doc:     "The contributors of a top-level `prefix` block, in this place. A group is included once in a block, directly or through others.",
		Example: `include { prefix = prefix.house_rules }`,
		Attributes: []Attribute{
			{Name: "prefix", Type: Reference, Refers: "prefix", Required: true, Doc: "The group."},
		},
	}
}
