package tool

import (
	"fmt"
	"strings"
	"time"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/proc"
)

// Bounds are what a process was held to. MaxOutput is bytes of each output.
type Bounds struct {
	Timeout   time.Duration
	MaxOutput int
}

// Report is what became of a process as the result of a call: its standard output, and
// how it ended when it did not end well. Its standard error is shown then, and always
// if stderr says so. The exit code is in the meta.
func Report(r proc.Result, held Bounds, stderr bool) Outcome {
	if r.Err != nil {
		return Fail(CodeFailed, "%s", r.Err)
	}
	var b strings.Builder
	line := func(text string) {
		if s := b.String(); s != "" && !strings.HasSuffix(s, "\n") {
			b.WriteByte('\n')
		}
		b.WriteString(text)
	}
	failed := r.TimedOut || r.ExitCode != 0
	b.Write(r.Stdout)
	if len(r.Stderr) > 0 && (failed || stderr) {
		line("[standard error]\n" + string(r.Stderr))
	}
	if r.Cut {
		line(fmt.Sprintf("[cut: an output is longer than %d bytes]", held.MaxOutput))
	}
	var meta canon.Object
	meta.Int("exitCode", int64(r.ExitCode))
	var out Outcome
	switch {
	case r.TimedOut:
		line(fmt.Sprintf("[it took longer than %s]", held.Timeout))
		out = Fail(msg.CodeTimeout, "the command was ended\n%s", b.String())
	case r.ExitCode < 0:
		line("[a signal ended it]")
		out = Fail(CodeExit, "the command failed\n%s", b.String())
	case r.ExitCode > 0:
		line(fmt.Sprintf("[exit code %d]", r.ExitCode))
		out = Fail(CodeExit, "the command failed\n%s", b.String())
	case b.Len() == 0:
		out = Text("[no output]")
	default:
		out = Text(b.String())
	}
	out.Meta = meta.End()
	return out
}
