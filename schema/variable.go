package schema

import "github.com/zclconf/go-cty/cty"

func variable() *Block {
	return &Block{
		Type:   "variable",
		Labels: []Label{{Name: "NAME"}},
		Doc: "An input of the configuration, read as `var.NAME`. Its value is that of `--var NAME=VALUE`, else that of the environment variable `DSH_VAR_NAME`, else `default`. " +
			"For type `string` and for a variable without type the given text is the value; for any other type it is an expression.",
		Example: `variable "team" {
  type        = string
  default     = "core"
  description = "Whose rules apply."
}`,
		Attributes: []Attribute{
			{
				Name: "type", Type: TypeName, Absence: "any type",
				Doc: "The type of the value. A default or an input of another type is an error.",
			},
			{
				Name: "default", Type: Any, Absence: "a value must be given",
				Doc: "The value when none is given: a constant.",
			},
			{Name: "description", Type: Text, Doc: "What the value is for."},
			{
				Name: "sensitive", Type: Bool, Default: cty.False,
				Doc: "The value must not be seen: where it could reach a model, a log or an error message, that is an error. It cannot be given by `--var`, which a process list shows.",
			},
			{
				Name: "nullable", Type: Bool, Default: cty.True,
				Doc: "The value may be null. With `false`, null means the default.",
			},
		},
	}
}
