package schema

import "github.com/zclconf/go-cty/cty"

func reply() *Block {
	return &Block{
		Type: "reply",
		Doc:  "One answer.",
		Example: `reply {
  text = "Looks good."
  usage {
    input  = 120
    output = 4
  }
}`,
		Attributes: []Attribute{
			{Name: "text", Type: Text, Doc: "What the model says."},
			{Name: "reasoning", Type: Text, Doc: "What the model thinks before it speaks."},
			{
				Name: "finish", Type: Text, Constraint: Constraint{OneOf: []string{"stop", "tool-calls", "max-tokens"}},
				Absence: "`tool-calls` when there is a tool call, else `stop`",
				Doc:     "Why the answer ends.",
			},
			{Name: "delay", Type: Duration, Constraint: Constraint{Range: atLeast(0)}, Absence: "no delay", Doc: "Time before the answer begins."},
			{Name: "cut", Type: Bool, Default: cty.False, Doc: "The answer breaks off, as when a connection is lost."},
		},
		Blocks: []Child{
			{Block: replyExpect(), Max: 1},
			{Block: replyTool()},
			{Block: replyUsage(), Max: 1},
			{Block: replyError(), Max: 1},
		},
	}
}

func defaultReply() *Block {
	b := reply()
	b.Type = "default"
	b.Doc = "The answer when the replies are used up. Without it, one request too many is an error of the provider."
	b.Example = `default {
  text = "ok"
}`
	for _, c := range b.Blocks {
		c.Block.Like = "reply"
	}
	return b
}
