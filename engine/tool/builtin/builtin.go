// Package builtin is the tools that the program has: they read, search and change
// the files of one workspace, and run commands in it. It promises that no path and
// no symbolic link leads a file tool out of the workspace, that a pipe or a device
// makes none wait, that every result is bounded, and that a file which changed since
// the model read it is not written over. What each does is in docs/agent-tools.md.
package builtin

import (
	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/tool"
)

// Options are what the tools work on.
type Options struct {
	// Workspace is the absolute path of the folder they are confined to.
	Workspace string
}

// Tools makes the tools of that name, in that order, for one instance: what it has
// read is known to all of them. A name that is no builtin tool is left out. The
// workspace is opened by the first call, and close gives it back.
func Tools(names []string, o Options) (tools []tool.Tool, close func() error) {
	w := &workspace{path: o.Workspace, seen: map[string]digest{}}
	for _, name := range names {
		switch name {
		case "read":
			tools = append(tools, w.read())
		}
	}
	return tools, w.close
}

// schema is a tool as the model sees it. parameters is canonical JSON.
func schema(name, description, properties, required string) msg.Tool {
	return msg.Tool{Name: name, Description: description,
		Parameters: `{"type":"object","properties":` + properties + `,"required":[` + required + `],"additionalProperties":false}`}
}

// whole is an argument that is a whole number, or what it is when not given.
func whole(args canon.Value, name string, absent int) int {
	f, ok := args.Get(name).Float()
	if !ok {
		return absent
	}
	return int(f) // the schema bounds it
}

// text is an argument that is a text, "" when not given.
func text(args canon.Value, name string) string {
	s, _ := args.Get(name).Text()
	return s
}
