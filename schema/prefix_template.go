package schema

func prefixTemplate() *Block {
	return &Block{
		Type: "template",
		Doc: "One message from an HCL template, with `${...}` and `%{ if }` or `%{ for }`. A template file sees `vars`, `workspace`, `agent` and `model`, and every function except `file`; " +
			"it has no `env`. Its text is Unicode NFC with LF line endings.",
		Example: `template "workspace" {
  path = "prompts/workspace.md.tmpl"
  vars = { team = var.team }
}`,
		OneOf: [][]string{{"path", "content"}},
		Attributes: []Attribute{
			{Name: "path", Type: Path, Doc: "The file that holds the template."},
			{Name: "content", Type: Text, Doc: "The template in the configuration itself. It sees `vars` besides everything that expressions see."},
			{Name: "vars", Type: Values, Absence: "an empty object", Doc: "The values that the template reads as `vars.NAME`."},
		},
	}
}
