package cli

import "github.com/spf13/cobra"

// completeFirst completes the first argument of a command from a list, and nothing
// behind it.
func completeFirst(list func(begun string) []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return list(begun), cobra.ShellCompDirectiveNoFileComp
	}
}
