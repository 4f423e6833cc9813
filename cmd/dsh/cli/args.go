package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// normalizeArgs gives long flags their second dash, so that -update and --update
// are one flag. Only names that some command declares are touched, and nothing
// behind a bare "--".
func normalizeArgs(root *cobra.Command, args []string) []string {
	known := map[string]bool{"help": true}
	collect := func(f *pflag.Flag) { known[f.Name] = true }
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(collect)
		cmd.PersistentFlags().VisitAll(collect)
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(root)
	out := make([]string, len(args))
	copy(out, args)
	for i, a := range out {
		if a == "--" {
			break
		}
		if len(a) < 3 || a[0] != '-' || a[1] == '-' {
			continue
		}
		if name, _, _ := strings.Cut(a[1:], "="); known[name] {
			out[i] = "-" + a
		}
	}
	return out
}
