package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dsh-hcl/dsh/config/diag"
)

func (c *command) checkCommand() *cobra.Command {
	var asJSON, strict bool
	cmd := &cobra.Command{
		Use:   "check [DIR]",
		Short: "Report every problem in the configuration",
		Long: "Loads and validates a configuration: every problem at once, each with its place,\n" +
			"the source line and advice. It opens no connection and starts nothing.\n\nExits with 2 when there is an error.",
		Args: argCount(0, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := c.tryLoad(loadOptions{dir: first(args)})
			if err != nil {
				return err
			}
			defer p.close()
			p.problems.Sort()
			errors, warnings := p.problems.Counts()
			if asJSON {
				if err := diag.JSON(c.env.Stdout, p.problems, p.sources); err != nil {
					return err
				}
			} else {
				c.printDiagnostics(p.problems, p.sources)
				switch {
				case errors > 0:
					fmt.Fprintf(c.env.Stderr, "\n%s, %s.\n", plural(errors, "error", "errors"), plural(warnings, "warning", "warnings"))
				case warnings > 0 && strict:
					fmt.Fprintf(c.env.Stderr, "\n%s, which counts as an error.\n", plural(warnings, "warning", "warnings"))
				case warnings > 0:
					fmt.Fprintf(c.env.Stdout, "The configuration is valid, with %s.\n", plural(warnings, "warning", "warnings"))
				default:
					fmt.Fprintln(c.env.Stdout, "The configuration is valid.")
				}
			}
			if errors > 0 || strict && warnings > 0 {
				return &silentError{exitUsage}
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.BoolVar(&asJSON, "json", false, "problems as JSON, in the shape of terraform validate -json")
	f.BoolVar(&strict, "warnings-as-errors", false, "exit with 2 when there is a warning")
	return cmd
}
