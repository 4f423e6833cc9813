package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dsh-hcl/dsh/config/diag"
	"github.com/dsh-hcl/dsh/schema"
)

func (c *command) checkCommand() *cobra.Command {
	var o checkOptions
	cmd := &cobra.Command{
		Use:   "check [DIR]",
		Short: "Report every problem in the configuration",
		Long: "Loads and validates a configuration: every problem at once, each with its place,\n" +
			"the source line and advice. It opens no connection and starts nothing.\n\n" +
			"With --compose every agent's system and prefix are composed as a session would, twice,\n" +
			"which runs the commands of contributors: what fails is told, and what differs.\n\nExits with 2 when there is an error, and with --warnings-as-errors when there is a\nwarning.",
		Args: argCount(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.json && o.sarif {
				return usageErrorf("--json and --sarif are two forms of one report: use one")
			}
			dir, err := c.folderArg(args)
			if err != nil {
				return err
			}
			if o.trust && !o.compose {
				return usageErrorf("--trust is for --compose: check alone starts nothing")
			}
			p, err := c.tryLoad(loadOptions{dir: dir})
			if err != nil {
				return err
			}
			defer p.close()
			var made []composed
			if o.compose && !p.problems.HasErrors() {
				if made, err = c.composeAll(cmd.Context(), p, o.trust); err != nil {
					return err
				}
			}
			if !o.compose && !p.problems.HasErrors() {
				if err := c.checkPrefixes(cmd.Context(), p); err != nil {
					return err
				}
			}
			if !p.problems.HasErrors() {
				c.checkBudgets(cmd.Context(), p, made)
			}
			p.problems.Sort()
			if !o.json && !o.sarif {
				c.printComposed(made)
			}
			return c.checked(p, o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.compose, "compose", false, "compose every agent's system and prefix, twice, and show them")
	f.BoolVar(&o.trust, "trust", false, "with --compose, trust the commands of contributors for this run")
	f.BoolVar(&o.json, "json", false, "problems as JSON, in the shape of terraform validate -json")
	f.BoolVar(&o.sarif, "sarif", false, "problems as SARIF 2.1.0, for code scanning")
	f.BoolVar(&o.strict, "warnings-as-errors", false, "exit with 2 when there is a warning")
	return cmd
}

type checkOptions struct{ json, sarif, strict, compose, trust bool }

// checked reports the problems of a configuration, and fails when there is one that
// counts.
func (c *command) checked(p *project, o checkOptions) error {
	errors, warnings := p.problems.Counts()
	forProgram := o.json || o.sarif
	var err error
	switch {
	case o.json:
		err = diag.JSON(c.env.Stdout, p.problems, p.sources)
	case o.sarif:
		err = diag.SARIF(c.env.Stdout, inFiles(p.problems), p.sources, c.sarifOptions(p))
	default:
		c.printDiagnostics(p.problems, p.sources)
	}
	if err != nil {
		return err
	}
	switch {
	case errors > 0 && !forProgram:
		fmt.Fprintf(c.env.Stderr, "\n%s, %s.\n", plural(errors, "error", "errors"), plural(warnings, "warning", "warnings"))
	case errors > 0:
	case warnings > 0 && o.strict:
		if !forProgram {
			fmt.Fprintln(c.env.Stderr)
		}
		fmt.Fprintf(c.env.Stderr, "%s with --warnings-as-errors.\n", plural(warnings, "warning, which counts as an error", "warnings, which count as errors"))
	case forProgram:
	case warnings > 0:
		fmt.Fprintf(c.env.Stdout, "The configuration is valid, with %s.\n", plural(warnings, "warning", "warnings"))
	default:
		fmt.Fprintln(c.env.Stdout, "The configuration is valid.")
	}
	if errors > 0 || o.strict && warnings > 0 {
		return &silentError{exitUsage}
	}
	return nil
}

// inFiles are the problems without the places that are in no file: what --var or a
// variable of the environment gives.
func inFiles(list diag.List) diag.List {
	out := slices.Clone(list)
	for i, d := range out {
		if strings.HasPrefix(d.Subject.File, "--var ") || strings.HasPrefix(d.Subject.File, "DSH_VAR_") {
			out[i].Subject, out[i].Context = diag.Range{}, diag.Range{}
		}
	}
	return out
}

func (c *command) sarifOptions(p *project) diag.SARIFOptions {
	o := diag.SARIFOptions{Version: Version, Rules: map[string]string{}}
	for _, r := range schema.Rules() {
		o.Rules[r.Name] = r.Doc
	}
	if p.dir != "" {
		o.Main = c.shown(filepath.Join(p.dir, "dsh.hcl"))
	}
	return o
}
