package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dsh-hcl/dsh/config/settings"
	"github.com/dsh-hcl/dsh/engine/canon"
)

func (c *command) settingsCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "settings [--json]",
		Short: "Show the settings of this machine and where each comes from",
		Long: "Prints what belongs to this machine and not to an agent, each setting with its\n" +
			"value and its origin: flag, a variable of the environment, the settings file, or\n" +
			"default. It reads no configuration.",
		Args: argCount(0, 0),
		RunE: func(*cobra.Command, []string) error {
			if c.flags.workspace != "" || c.flags.config != "" {
				return usageErrorf("dsh settings reads no configuration and no workspace, so --config and --workspace have no meaning here")
			}
			set, problems := c.loadSettings()
			if err := problems.Err(); err != nil {
				return err
			}
			if len(problems) > 0 {
				c.printDiagnostics(problems, nil)
			}
			if asJSON {
				return c.settingsJSON(set)
			}
			var b strings.Builder
			name, value := 0, 0
			for _, e := range set.Entries() {
				name = max(name, len(e.Name))
				if w := len(settingValue(e)); w <= wide {
					value = max(value, w)
				}
			}
			for _, e := range set.Entries() {
				fmt.Fprintf(&b, "%-*s = %-*s # %s\n", name, e.Name, value, settingValue(e), inLine(e.Origin))
			}
			_, err := fmt.Fprint(c.env.Stdout, b.String())
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object")
	return cmd
}

// settingValue is the value of a setting as JSON text, and so as TOML has it.
func settingValue(e settings.Entry) string {
	quoted := make([]string, len(e.Values))
	for i, v := range e.Values {
		quoted[i] = canon.Quote(strings.ToValidUTF8(v, "\uFFFD"))
	}
	switch {
	case e.List:
		return canon.Array(quoted...)
	case len(quoted) == 0:
		return "null"
	}
	return quoted[0]
}

// settingsJSON writes one object: the settings, each with name, value and origin.
func (c *command) settingsJSON(set settings.Settings) error {
	var list []string
	for _, e := range set.Entries() {
		var o canon.Object
		o.String("name", e.Name)
		o.Raw("value", settingValue(e))
		o.String("origin", e.Origin)
		list = append(list, o.End())
	}
	var o canon.Object
	o.String("format_version", "1.0")
	o.Raw("settings", canon.Array(list...))
	_, err := fmt.Fprintln(c.env.Stdout, o.End())
	return err
}
