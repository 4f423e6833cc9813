package schema

// Language is the language of a configuration: the files dsh.hcl and *.dsh.hcl.
func Language() *Block {
	return &Block{
		Doc: "A configuration is a folder. Its direct children `dsh.hcl`, `*.dsh.hcl` and `*.dsh.hcl.json` are read, `dsh.hcl` first, then the others in byte order of their names; " +
			"files whose names begin with a dot are not. `dsh.hcl.json` counts as `dsh.hcl`. Without `--config` the nearest folder that holds one of these two is taken, up to the root of the repository. All files together are one configuration, and a name is declared once. " +
			"`*.dsh.hcl.json` is the same in JSON syntax: a block is an object below its type and its names, `{\"model\": {\"chat\": {...}}}`, several without names are a list; " +
			"what stands in `system` and `prefix` is a list of objects with one member each, since its order has a meaning; a text is a template, `\"${var.team}\"`; " +
			"the address of a declaration and a type are texts, `\"model.chat\"`; a member `\"//\"` of a block is a comment.",
		Blocks: []Child{
			{Block: dsh(), Max: 1},
			{Block: variable()},
			{Block: locals()},
			{Block: provider()},
			{Block: model()},
			{Block: agent()},
			{Block: group()},
			{Block: hook()},
			{Block: tool()},
		},
	}
}

// Script is the language of a scripted model, the file that a provider's script
// names.
func Script() *Block {
	return &Block{
		Doc: "A scripted model answers from a file, over the protocol of a real one. Its replies are used in order, one for each request. " +
			"Expressions are constants and functions; there are no variables.",
		Blocks: []Child{
			{Block: reply()},
			{Block: defaultReply(), Max: 1},
			{Block: cache(), Max: 1},
		},
	}
}
