package schema

import "github.com/zclconf/go-cty/cty"

func agentLog() *Block {
	return &Block{
		Type: "log",
		Doc:  "What the session's log records besides what is needed to rebuild every request.",
		Example: `log {
  chunks = true
}`,
		Attributes: []Attribute{
			{Name: "chunks", Type: Bool, Default: cty.False, Doc: "Record every piece of an answer as it arrives."},
			{
				Name: "title", Type: Text, Default: cty.StringVal("none"), Constraint: Constraint{OneOf: []string{"none", "prompt"}},
				Doc: "Where a session's title comes from when nobody gives it one: `prompt` takes the beginning of the first prompt and writes it into the log.",
			},
		},
	}
}
