// Package command is tools that are declared as commands: a call's arguments reach the
// command as one line of canonical JSON on standard input, and what it writes is the
// result. It starts nothing itself.
package command

import (
	"context"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/proc"
	"github.com/dsh-hcl/dsh/engine/tool"
)

// Declared is a tool block. Input is a JSON Schema of an object, canonical JSON.
type Declared struct {
	Name, Description, Input string
	Bounds                   tool.Bounds
	// Run runs the command with that input, within the bounds. It returns when ctx is
	// done. What must not be seen was taken out of the outputs.
	Run func(ctx context.Context, input []byte) proc.Result
}

// Tool is the tool that a declaration makes.
func Tool(d Declared) tool.Tool {
	return tool.Tool{
		Schema: msg.Tool{Name: d.Name, Description: d.Description, Parameters: d.Input},
		Run: func(ctx context.Context, args canon.Value) tool.Outcome {
			return tool.Report(d.Run(ctx, []byte(args.Raw()+"\n")), d.Bounds, false)
		},
	}
}
