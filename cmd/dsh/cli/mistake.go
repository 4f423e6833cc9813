package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// unknownCommand is the mistake of a command that does not exist.
func unknownCommand(cmd *cobra.Command, name string) error {
	var names []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	advice := fmt.Sprintf(". Run '%s --help' for the commands.", cmd.CommandPath())
	if near := nearest(name, names); near != "" {
		advice = fmt.Sprintf("; did you mean %q?", near)
	}
	return usageErrorf("unknown command %q for %q%s", name, cmd.CommandPath(), advice)
}

// flagMistake words what is wrong with a flag. One dash may begin a long flag, so
// an unknown group of short ones is taken for the name of one.
func flagMistake(cmd *cobra.Command, err error) error {
	text := err.Error()
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		name := unknown.GetSpecifiedName()
		if group, _, _ := strings.Cut(unknown.GetSpecifiedShortnames(), "="); len(group) > 1 {
			name = group
		}
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		text = "unknown flag " + dashed(name)
		if near := nearest(name, names); near != "" {
			text += "; did you mean " + dashed(near) + "?"
		}
	}
	return usageErrorf("%s\nRun '%s --help' for its usage.", text, cmd.CommandPath())
}

// dashed is a flag as it is written.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// nearest returns the name that was probably meant: one that begins like it, else
// the one that differs in the fewest letters; "" for none.
func nearest(name string, names []string) string {
	// The measure is cobra's, which knows commands only.
	probe := &cobra.Command{}
	for _, n := range names {
		probe.AddCommand(&cobra.Command{Use: n, Run: func(*cobra.Command, []string) {}})
	}
	for d := 1; d <= max(1, min(len(name)/2, 3)); d++ {
		probe.SuggestionsMinimumDistance = d
		if near := probe.SuggestionsFor(name); len(near) > 0 {
			return near[0]
		}
	}
	return ""
}
