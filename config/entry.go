package config

import "github.com/dsh-hcl/dsh/config/diag"

// Entry is one attribute of an evaluated configuration with its value and where the
// value comes from. Every attribute of every block is one, those that are not
// written too.
type Entry struct {
	Block string // address of the block: "agent.reviewer.prefix.text.rules", or "var", "local"
	// Group is the address of the block in the group that declares it, "" elsewhere:
	// the value is that for one of the agents which include the group.
	Group   string
	Name    string
	Value   string // JSON text, "null" when there is none; of a reference its address as JSON text
	Refers  bool   // the value is the address of a declaration, or a list of such
	Note    string // what holds when there is no value, in words; "" when there is nothing to say
	Hidden  bool   // there is a value, and it must not be seen
	Default bool   // nothing gives the value, so the default of the language holds
	Source  string // what outside of files gives the value: "--var team", "DSH_VAR_team"
	At      diag.Range
}

// Address is the address of the attribute: "model.chat.id", "var.team".
func (e Entry) Address() string { return e.Block + "." + e.Name }

// Origin says where the value comes from: a file with its line, "--var team", or
// "default".
func (e Entry) Origin() string {
	switch {
	case e.Default:
		return "default"
	case e.Source != "":
		return e.Source
	}
	return e.At.Line()
}
