// Package builtin is the tools that the program has: they read, search and change
// the files of one workspace, and run commands in it. It promises that no path and
// no symbolic link leads a file tool out of the workspace, that a pipe or a device
// makes none wait, that every result is bounded, and that a file which changed since
// the model read it is not written over. What each does is in docs/agent-tools.md.
package builtin

import (
	"context"
	"path/filepath"
	"time"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/permit"
	"github.com/dsh-hcl/dsh/engine/proc"
	"github.com/dsh-hcl/dsh/engine/tool"
)

// Options are what the tools work on.
type Options struct {
	// Workspace is the absolute path of the folder they are confined to.
	Workspace string
	// Hidden reports a file, by its path in the workspace, that may not be read: grep
	// does not search it. May be nil.
	Hidden func(path string) bool
	// Clean takes what must not be seen out of what read and grep show of a file, before
	// any of it is left out. May be nil.
	Clean func(text string) string
	// Shell runs a line in the workspace, with a bound on its output in bytes and, when
	// timeout is not 0, on its time. It returns when ctx is done. What must not be seen
	// was taken out of the outputs. Only the tool shell needs it.
	Shell func(ctx context.Context, line string, timeout time.Duration, maxOutput int) proc.Result
}

// Tools makes the tools of that name, in that order, for one instance: what it has
// read is known to all of them. A name that is no builtin tool is left out. The
// workspace is opened by the first call, and close gives it back.
func Tools(names []string, o Options) (tools []tool.Tool, close func() error) {
	w := &workspace{path: filepath.Clean(o.Workspace), hidden: o.Hidden, clean: o.Clean, seen: map[string]digest{}}
	for _, name := range names {
		switch name {
		case "read":
			tools = append(tools, w.read())
		case "list":
			tools = append(tools, w.list())
		case "glob":
			tools = append(tools, w.glob())
		case "grep":
			tools = append(tools, w.grep())
		case "write":
			tools = append(tools, w.write())
		case "edit":
			tools = append(tools, w.edit())
		case "shell":
			tools = append(tools, shell(o.Shell))
		case "todo":
			tools = append(tools, todo())
		}
	}
	return tools, w.close
}

// Free are the tools that change nothing and reach nothing outside the workspace, so
// that they run without being asked about where no rule says otherwise.
func Free() []string { return []string{"read", "list", "glob", "grep", "todo"} }

// schema is a tool as the model sees it. properties and required are
// canonical JSON.
func schema(name, description, properties, required string) msg.Tool {
	if required != "" {
		required = `,"required":[` + required + `]`
	}
	return msg.Tool{Name: name, Description: description,
		Parameters: `{"type":"object","properties":` + properties + required + `,"additionalProperties":false}`}
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

// onPath is a file tool: what it does with the path that a call names.
func (w *workspace) onPath(s msg.Tool, run func(ctx context.Context, path string, args canon.Value) (string, error)) tool.Tool {
	return tool.Tool{
		Schema: s,
		About:  func(args canon.Value) (permit.Kind, []string) { return permit.Path, w.subjects(text(args, "path")) },
		Run: func(ctx context.Context, args canon.Value) tool.Outcome {
			path, err := w.local(text(args, "path"))
			if err != nil {
				return failed(err)
			}
			out, err := run(ctx, path, args)
			if err == nil && ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			if err != nil {
				return failed(err)
			}
			return tool.Text(out)
		},
	}
}
