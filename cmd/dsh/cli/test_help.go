package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dsh-hcl/dsh/scenarios"
)

// helpOnVerbs lets the help of a command take the name of a verb.
func (c *command) helpOnVerbs(cmd *cobra.Command) {
	help := cmd.HelpFunc()
	cmd.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		// Cobra takes help for something that cannot fail.
		if names := cmd.Flags().Args(); len(names) > 0 {
			c.mistake = c.explainVerbs(names)
			return
		}
		help(cmd, args)
	})
}

// explainVerbs prints the help of verbs of the scenario language.
func (c *command) explainVerbs(names []string) error {
	for i, name := range names {
		text, ok := scenarios.VerbHelp(name)
		if !ok {
			advice := ". Run 'dsh test --help' for the verbs."
			if near := nearest(name, scenarios.Verbs()); near != "" {
				advice = fmt.Sprintf("; did you mean %q?", near)
			}
			return usageErrorf("there is no verb %q%s", name, advice)
		}
		if i > 0 {
			fmt.Fprintln(c.env.Stdout)
		}
		fmt.Fprint(c.env.Stdout, text)
	}
	return nil
}

// helpCommand lets "help test VERB" say what "test --help VERB" says.
func (c *command) helpCommand(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	help, _, err := root.Find([]string{"help"})
	if err != nil {
		return
	}
	topic := help.Run
	help.Run, help.RunE = nil, func(cmd *cobra.Command, args []string) error {
		if len(args) > 1 && args[0] == "test" {
			return c.explainVerbs(args[1:])
		}
		if named, rest, err := root.Find(args); err != nil || len(rest) > 0 {
			if named == nil {
				named = root
			}
			return unknownCommand(named, args[len(args)-max(1, len(rest))])
		}
		topic(cmd, args)
		return nil
	}
}

// verbNames are the verbs, indented and broken into lines.
func verbNames() string {
	var lines []string
	line := " "
	for _, name := range scenarios.Verbs() {
		if len(line)+1+len(name) > 78 {
			lines = append(lines, line)
			line = " "
		}
		line += " " + name
	}
	return strings.Join(append(lines, line), "\n")
}
