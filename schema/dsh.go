package schema

func dsh() *Block {
	return &Block{
		Type: "dsh",
		Doc:  "What the configuration asks of the program that reads it.",
		Example: `dsh {
  required_version = ">= 0.1, < 2.0"
  disable_rules    = ["unused-declaration"]
}`,
		Attributes: []Attribute{
			{
				Name: "required_version", Type: Text, Constraint: Constraint{Format: Versions, NotEmpty: true},
				Absence: "any version",
				Doc:     "Versions of `dsh` that may read this configuration. A condition is an operator (`=`, `!=`, `>`, `>=`, `<`, `<=`, `~>`) and a version; `~> 1.2` allows 1.2 and later below 2.0. Without an operator it is `=`. Numbers that are not written are 0, and a suffix such as `-dev` does not count.",
			},
			{
				Name: "disable_rules", Type: Texts, Constraint: Constraint{Format: RuleName},
				Absence: "every rule warns",
				Doc:     "Names of warning rules that stay silent. Errors cannot be turned off.",
			},
		},
	}
}
