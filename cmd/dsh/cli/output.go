package cli

import (
	"fmt"
	"strings"

	"github.com/dsh-hcl/dsh/config/diag"
)

// printable makes text safe for a terminal.
func printable(s string) string { return diag.Printable(s) }

// inLine is printable for what has to stay in its line: line feeds are shown, too.
func inLine(s string) string { return strings.ReplaceAll(printable(s), "\n", `\n`) }

// indent puts a prefix in front of every line.
func indent(s, prefix string) string {
	return prefix + strings.ReplaceAll(strings.TrimSuffix(s, "\n"), "\n", "\n"+prefix)
}

// shortDigest is enough of a digest to recognise it.
func shortDigest(hex string) string {
	if len(hex) > 12 {
		return hex[:12]
	}
	return hex
}

func plural(n int, one, many string) string {
	if n == 1 {
		return fmt.Sprintf("%d %s", n, one)
	}
	return fmt.Sprintf("%d %s", n, many)
}

// printDiagnostics renders problems for a person.
func (c *command) printDiagnostics(list diag.List, sources diag.Sources) {
	list.Sort()
	color := c.env.StderrTerminal
	if set, err := c.settings(); err == nil {
		switch set.Color.V {
		case "always":
			color = true
		case "never":
			color = false
		default:
			if v, ok := c.env.Getenv("NO_COLOR"); ok && v != "" {
				color = false
			}
			if v, _ := c.env.Getenv("TERM"); v == "dumb" {
				color = false
			}
		}
	}
	diag.Text(c.env.Stderr, list, sources, diag.TextOptions{Color: color, Width: c.env.Width})
}
