package schema

// Rule is a warning with a stable name, by which dsh { disable_rules } turns it
// off.
type Rule struct{ Name, Doc string }

// The names of the warning rules.
const (
	RuleByteOrderMark = "bom"
	RuleFileName      = "file-name"
	RuleLiteralSecret = "literal-secret"
	RuleMissingImport = "missing-import"
	RuleNFC           = "nfc-changed"
	RuleNoAgent       = "no-agent"
	RuleNoEffect      = "no-effect"
	RuleRenamed       = "renamed"
	RuleSameSkill     = "same-skill"
	RuleSymlinkText   = "symlink-as-text"
	RuleNotATemplate  = "not-a-template"
	RuleUnknownWindow = "unknown-window"
	RuleUnpriced      = "unpriced-summaries"
	RuleUnused        = "unused-declaration"
	RuleVariableCase  = "variable-case"
	RuleTightBudget   = "tight-budget"
	RuleUnstable      = "unstable-contributor"
	RuleVolatile      = "volatile-contributor"
)

// Rules are all warning rules in byte order of their names.
func Rules() []Rule {
	return []Rule{
		{RuleByteOrderMark, "A prompt file begins with a byte order mark, which is dropped."},
		{RuleFileName, "A file has nearly the name of one that is read, so that it is passed over."},
		{RuleLiteralSecret, "A credential, or a header that carries one, is written into the configuration instead of being read from the environment, or comes by a variable that is not `sensitive`."},
		{RuleMissingImport, "A file of instructions seems to import one that does not exist, which leaves the text as it is."},
		{RuleNFC, "Text was not in Unicode NFC, so what the model sees differs from the bytes of the file. A `file` contributor is the exact way."},
		{RuleNoAgent, "The configuration declares no agent, so there is nothing to run."},
		{RuleNoEffect, "An attribute or a block is written where it changes nothing."},
		{RuleNotATemplate, "A `file` contributor holds what looks like an expression of a template, which it does not evaluate."},
		{RuleRenamed, "An attribute is written with a name that it had before. `dsh fmt -fix` writes the new one."},
		{RuleSameSkill, "Two skills of a catalogue have the same name."},
		{RuleSymlinkText, "The whole content of a file is the path of another one: a symbolic link that was checked out as text."},
		{RuleTightBudget, "What no compaction touches, and what is retained, reach the threshold of an agent's compaction as far as that can be estimated."},
		{RuleUnknownWindow, "An agent compacts at a number of tokens, and its model has no `context_window` that this could be held to."},
		{RuleUnpriced, "A model with a price has its summaries written by one without, so that what a session costs is told too low."},
		{RuleUnstable, "A contributor made something else when it was composed a second time at once, by `dsh check --compose`."},
		{RuleUnused, "A declaration that nothing uses."},
		{RuleVariableCase, "An environment variable `DSH_VAR_NAME` is set whose name is nearly that of a `variable`, or differs in the case of letters, or a `DSH_NAME` that is nearly that of a setting, so that it has no effect."},
		{RuleVolatile, "A `command` contributor makes the prefix depend on what a program writes, and with it whether the provider's cache holds."},
	}
}
