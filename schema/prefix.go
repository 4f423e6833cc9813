package schema

import "github.com/zclconf/go-cty/cty"

func prefix() *Block {
	b := &Block{
		Type: "prefix",
		Doc: "The messages in front of the conversation, in the order of the contributors written here. They are composed once, when a session starts or resumes, and frozen. " +
			"A contributor that renders to nothing yields no message.",
		Example: `prefix {
  on_resume = "reuse"

  file "rules" {
    path      = "AGENTS.md"
    on_change = "notice"
  }
}`,
		Attributes: []Attribute{
			{
				Name: "max_tokens", Type: Whole, Constraint: Constraint{Range: atLeast(1)}, Absence: "no limit",
				Doc: "How many tokens the messages may have together, with 4 for each message and 4 for its content, counted or estimated as `tokenizer` of the model says. More is an error that lists the contributors by size: of `dsh check` where no contributor runs a command, else of the turn that composes. Code `INVALID_PREFIX`.",
			},
			{
				Name: "on_resume", Type: Text, Default: cty.StringVal("recompose"), Constraint: Constraint{OneOf: []string{"recompose", "reuse"}},
				Doc: "What a resumed session is sent: `recompose` composes anew and records what drifted, `reuse` takes what the session's log last recorded, byte for byte, so that the provider's cache holds, and records the drift that it left out. It concerns `system` too.",
			},
			{
				Name: "on_fork", Type: Text, Default: cty.StringVal("recompose"), Constraint: Constraint{OneOf: []string{"recompose", "reuse"}},
				Doc: "The same for the first instance of a forked session.",
			},
		},
	}
	for _, c := range contributors() {
		b.Blocks = append(b.Blocks, Child{Block: c})
	}
	return b
}

// contributors are the kinds of contributor, each with the attributes that all
// have after its own, and the block that includes a group of them.
func contributors() []*Block {
	kinds := []*Block{prefixText(), prefixFile(), prefixTemplate(), prefixMessages(), prefixFiles(), prefixInstructions(), prefixCommand(), prefixSkills()}
	for _, k := range kinds {
		k.Labels = []Label{{Name: "NAME"}}
		common := contributorAttributes()
		for _, a := range k.Absent {
			common = without(common, a.Name)
		}
		k.Attributes = append(k.Attributes, common...)
	}
	return append(kinds, include())
}

func contributorAttributes() []Attribute {
	return []Attribute{
		{
			Name: "role", Type: Text, Default: cty.StringVal("user"), Constraint: Constraint{OneOf: []string{"user", "assistant"}},
			Doc: "Who speaks the message; `assistant` for primers.",
		},
		{
			Name: "envelope", Type: Text, Constraint: Constraint{Format: Tag}, Absence: "no envelope",
			Doc: "The name of a tag that wraps the content: `<NAME>`, a line break, the content, a line break unless it ends with one, `</NAME>`. Content of white space only counts as nothing, with or without a tag.",
		},
		{
			Name: "when", Type: Bool, Default: cty.True,
			Doc: "Whether the contributor takes part.",
		},
		{
			Name: "on_error", Type: Text, Default: cty.StringVal("fail"), Constraint: Constraint{OneOf: []string{"fail", "skip"}},
			Doc: "What a failure at composition does: `fail` ends the turn, `skip` leaves the contributor out and records that.",
		},
		{
			Name: "on_change", Type: Text, Default: cty.StringVal("ignore"), Constraint: Constraint{OneOf: []string{"ignore", "notice"}},
			Doc: "What happens when the source changes while a session runs. What is frozen stays either way; `notice` adds one message with the new content before the next turn.",
		},
		{
			Name: "max_bytes", Type: Size, Constraint: Constraint{Range: atLeast(1)}, Absence: "no limit",
			Doc: "How many bytes of content are allowed, the envelope not counted.",
		},
		{
			Name: "oversize", Type: Text, Default: cty.StringVal("error"), Constraint: Constraint{OneOf: []string{"error", "head", "tail", "middle"}},
			Doc: "What happens to content above `max_bytes`: an error, or only its beginning, its end, or both without the middle is kept. Where something was left out stands a line of its own, `[... N bytes omitted ...]`, which counts; a limit too small for that line leaves it out. Characters are never split.",
		},
	}
}
