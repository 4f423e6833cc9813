package scenarios

import (
	"fmt"
	"io"
	"strings"

	"github.com/dsh-hcl/dsh/config/diag"
)

// GitHubReport writes a workflow command for each scenario that fails, which GitHub
// shows beside the line.
type GitHubReport struct {
	Silent
	Out io.Writer
	// Path is how GitHub names a file: relative to the repository.
	Path func(file string) string
}

// End implements Reporter.
func (g GitHubReport) End(o Outcome) {
	if o.State != Failed {
		return
	}
	var where []string
	title := "scenario " + o.Name
	switch {
	case o.File != "":
		where = append(where, "file="+property(g.Path(o.File)))
		line := 1
		if o.Broken != nil {
			line = o.Broken.Line
		}
		where = append(where, fmt.Sprintf("line=%d", line))
	case o.Name == "":
		title = "scenarios"
	default:
		title = o.Name
	}
	message := o.summary()
	if o.File == "" {
		message = strings.TrimRight(o.Log, "\n")
	}
	where = append(where, "title="+property(title))
	fmt.Fprintf(g.Out, "::error %s::%s\n", strings.Join(where, ","), escaped(message))
}

// escaped is the text of a workflow command.
func escaped(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(diag.Printable(strings.ReplaceAll(s, "\r\n", "\n")))
}

// property is the value of a property of one.
func property(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(escaped(s))
}
