package builtin

import (
	"context"
	"strings"
	"time"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/permit"
	"github.com/dsh-hcl/dsh/engine/proc"
	"github.com/dsh-hcl/dsh/engine/tool"
)

func shell(run func(ctx context.Context, line string, timeout time.Duration, maxOutput int) proc.Result) tool.Tool {
	return tool.Tool{
		Schema: schema("shell", "Runs a command line with sh in the workspace and returns its output and exit code, at most 64 KiB of each output. Standard input is empty. What it starts is ended with it.",
			`{"command":{"type":"string","minLength":1,"maxLength":65536,"description":"The command line."},"timeout_seconds":{"type":"integer","minimum":1,"maximum":3600,"description":"End it after so many seconds."}}`, `"command"`),
		About: func(args canon.Value) (permit.Kind, []string) {
			return permit.Command, []string{text(args, "command")}
		},
		Run: func(ctx context.Context, args canon.Value) tool.Outcome {
			line := text(args, "command")
			if strings.ContainsRune(line, 0) {
				return tool.Fail(tool.CodeFailed, "a command line cannot hold a NUL character")
			}
			timeout := time.Duration(whole(args, "timeout_seconds", 0)) * time.Second
			return tool.Report(run(ctx, line, timeout, maxText), tool.Bounds{Timeout: timeout, MaxOutput: maxText}, true)
		},
	}
}
