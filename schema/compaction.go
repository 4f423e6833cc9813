package schema

import "github.com/zclconf/go-cty/cty"

// MarkerRoom is the room, in characters, for the line in the place of what is left
// out of a result.
const MarkerRoom = 64

// between bounds a share; an open end is not itself allowed.
func between(min float64, minOpen bool, max float64, maxOpen bool) Range {
	return Range{Min: Bound{Set: true, Value: min, Open: minOpen}, Max: Bound{Set: true, Value: max, Open: maxOpen}}
}

func compaction() *Block {
	b := &Block{
		Type: "compaction",
		Doc: "How the conversation is kept within the context window of the model. Before each request everything in it is counted: system prompt, tools, prefix and history. " +
			"From the threshold on, older messages of the history are replaced by a summary of them, and the newest stay as they are. System prompt and prefix are never touched. " +
			"A threshold and what is retained are shares of the model's `context_window`, rounded down, or tokens. What can be proved without a request is an error of the configuration: " +
			"what is retained is below the threshold, an answer has room above it, and a request for a summary fits. Without this block nothing is compacted.",
		Example: `compaction {
  threshold_ratio = 0.8
  retain_ratio    = 0.16

  summary {
    model      = model.small
    max_tokens = 8192
  }

  prune {
    threshold_chars = 8192
    head_chars      = 4096
    tail_chars      = 1024
  }

  policy "small" {
    threshold_tokens = 12000
    retain_tokens    = 2000
  }
}`,
		Enables: true,
		Attributes: []Attribute{
			{
				Name: "auto", Type: Bool, Default: cty.True,
				Doc: "Whether it compacts by itself. With false only `dsh compact`, `/compact` and a request that was too long do.",
			},
			{
				Name: "retries", Type: Whole, Default: cty.NumberIntVal(1), Constraint: Constraint{Range: atLeast(0)},
				Doc: "Further passes when one leaves the request at the threshold.",
			},
			{
				Name: "max_overflow_retries", Type: Whole, Default: cty.NumberIntVal(1), Constraint: Constraint{Range: atLeast(0)},
				Doc: "How many requests in a row may be sent again, each after a compaction, when the provider says that they are longer than the model reads.",
			},
			{
				Name: "min_gain", Type: Number, Default: cty.NumberFloatVal(0.1), Constraint: Constraint{Range: between(0, true, 1, true)},
				Doc: "Share of the request that a pass has to free. Two passes in a row that free less end the turn. Code `COMPACTION_NO_PROGRESS`.",
			},
		},
		Blocks: []Child{
			{Block: summary(), Max: 1},
			{Block: prune(), Max: 1},
			{Block: policy()},
		},
	}
	limits := compactionLimits()
	limits[0].Default, limits[2].Default = cty.NumberFloatVal(0.8), cty.NumberFloatVal(0.16)
	limits[1].Absence, limits[3].Absence = "that of `threshold_ratio`", "that of `retain_ratio`"
	b.Attributes = append(limits, b.Attributes...)
	b.AtMostOne = [][]string{{"threshold_ratio", "threshold_tokens"}, {"retain_ratio", "retain_tokens"}}
	return b
}

// compactionLimits are when a request is compacted and what stays.
func compactionLimits() []Attribute {
	return []Attribute{
		{
			Name: "threshold_ratio", Type: Number, Constraint: Constraint{Range: between(0, true, 1, false)},
			Doc: "From which share of the model's context window on a request is compacted.",
		},
		{
			Name: "threshold_tokens", Type: Whole, Constraint: Constraint{Range: atLeast(1)},
			Doc: "From how many tokens on a request is compacted.",
		},
		{
			Name: "retain_ratio", Type: Number, Constraint: Constraint{Range: between(0, false, 1, true)},
			Doc: "Which share of the model's context window the newest messages have at least that stay as they are; the newest one always does.",
		},
		{
			Name: "retain_tokens", Type: Whole, Constraint: Constraint{Range: atLeast(0)},
			Doc: "How many tokens those messages have at least.",
		},
	}
}

func summary() *Block {
	return &Block{
		Type: "summary",
		Doc:  "How a summary is made: the model is sent the last request once more, up to where it is cut, with an instruction behind it.",
		Attributes: []Attribute{
			{
				Name: "model", Type: Reference, Refers: "model", Absence: "the agent's model",
				Doc: "The model that writes summaries. That of the agent has most of the request in its cache; another reads it at its full price, and its provider sees the conversation.",
			},
			{
				Name: "max_tokens", Type: Whole, Constraint: Constraint{Range: atLeast(1)}, Absence: "the limit of the model",
				Doc: "How many tokens a summary may have. A value of its own does not change what is cached.",
			},
			{
				Name: "retries", Type: Whole, Default: cty.NumberIntVal(1), Constraint: Constraint{Range: atLeast(0)},
				Doc: "How often a request for a summary that failed is sent again.",
			},
			{
				Name: "prompt", Type: Text, Constraint: Constraint{NotEmpty: true}, Absence: "the program's own, with eight sections",
				Doc: "The instruction.",
			},
		},
	}
}

func prune() *Block {
	return &Block{
		Type: "prune",
		Doc: "Results of tools that are longer keep only their beginning and their end, when that alone frees enough, before a summary is asked for. " +
			"The line that stands for what is left out has up to 64 characters, so `head_chars`, `tail_chars` and 64 are at most `threshold_chars` together. Without this block no result is shortened.",
		Enables: true,
		Attributes: []Attribute{
			{
				Name: "threshold_chars", Type: Whole, Default: cty.NumberIntVal(8192), Constraint: Constraint{Range: atLeast(1)},
				Doc: "Characters above which a result is shortened.",
			},
			{
				Name: "head_chars", Type: Whole, Default: cty.NumberIntVal(4096), Constraint: Constraint{Range: atLeast(0)},
				Doc: "Characters that are kept of its beginning.",
			},
			{
				Name: "tail_chars", Type: Whole, Default: cty.NumberIntVal(1024), Constraint: Constraint{Range: atLeast(0)},
				Doc: "Characters that are kept of its end.",
			},
		},
	}
}

func policy() *Block {
	b := &Block{
		Type:   "policy",
		Labels: []Label{{Name: "MODEL"}},
		Doc: "What holds instead while the agent's model is the `model` of that name, so that the agent may change its model. " +
			"What it says of the threshold takes the place of either form around it, and so does what it says of what is retained.",
		Attributes: compactionLimits(),
		AtMostOne:  [][]string{{"threshold_ratio", "threshold_tokens"}, {"retain_ratio", "retain_tokens"}},
	}
	for i := range b.Attributes {
		b.Attributes[i].Absence = "as in `compaction`"
	}
	return b
}
