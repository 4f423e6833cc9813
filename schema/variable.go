package schema

import "github.com/zclconf/go-cty/cty"

func variable() *Block {
	return &Block{
		Type:   "variable",
		Labels: []Label{{Name: "NAME"}},
		Doc: "An input of the configuration, read as `var.NAME`. Its value is the last that the command line gives by `--var NAME=VALUE` or in a file that `--var-file FILE` names, " +
			"else that of the last `*.auto.dshvars` file of the configuration folder that gives one, in byte order of their names, else that of the environment variable `DSH_VAR_NAME`, else `default`. " +
			"No shell exports a name with a dash, so a variable with one in its name gets its value in the other ways. " +
			"A variable file has a line `NAME = VALUE` for each, with constants and functions. " +
			"In `--var` and in the environment, for type `string` and for a variable without type, the given text is the value; for any other type it is an expression.",
		Example: `variable "team" {
  type        = string
  default     = "core"
  description = "Whose rules apply."

  validation {
    condition     = strlen(var.team) > 0
    error_message = "Name a team."
  }
}`,
		Attributes: []Attribute{
			{
				Name: "type", Type: TypeName, Absence: "any type",
				Doc: "The type of the value. A default or an input of another type is an error, as is an object with an attribute that its type does not have; a list that is written out becomes the set or the list that the type says.",
			},
			{
				Name: "default", Type: Any, Absence: "a value must be given",
				Doc: "The value when none is given: a constant.",
			},
			{Name: "description", Type: Text, Doc: "What the value is for."},
			{
				Name: "sensitive", Type: Bool, Default: cty.False,
				Doc: "The value must not be seen: where it could reach a model, a log or an error message, that is an error. It cannot be given by `--var`, which a process list shows; a file and the environment can.",
			},
			{
				Name: "nullable", Type: Bool, Default: cty.True,
				Doc: "The value may be null. With `false`, null means the default.",
			},
		},
		Blocks: []Child{{Block: validation()}},
	}
}

func validation() *Block {
	return &Block{
		Type: "validation",
		Doc:  "A condition on the value, checked when the configuration is loaded. All of them have to hold.",
		Attributes: []Attribute{
			{Name: "condition", Type: Bool, Required: true, Doc: "Whether the value may be used. It reads `var.NAME` of its own variable and nothing else."},
			{Name: "error_message", Type: Text, Constraint: Constraint{NotEmpty: true}, Required: true, Doc: "What to tell the person whose value is refused: a sentence."},
		},
	}
}
