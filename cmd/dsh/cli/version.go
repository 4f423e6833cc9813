package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/dsh-hcl/dsh/engine/eventlog"
)

func (c *command) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  argCount(0, 0),
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprint(c.env.Stdout, versionText())
			return err
		},
	}
}

func versionText() string {
	return fmt.Sprintf("dsh %s, log format %d, %s %s/%s\n", Version, eventlog.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
