package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dsh-hcl/dsh/config/trust"
)

func (c *command) trustCommand() *cobra.Command {
	var show bool
	var vars []string
	cmd := &cobra.Command{
		Use:   "trust [DIR]",
		Short: "Trust a configuration to reach endpoints and read the environment",
		Long: "Shows the declarations of a configuration that name an endpoint, start a process\n" +
			"or read the environment, and records that this machine trusts them. A changed one\n" +
			"has to be trusted again.",
		Args: argCount(0, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := c.load(loadOptions{dir: first(args), vars: vars})
			if err != nil {
				return err
			}
			defer p.close()
			fmt.Fprint(c.env.Stdout, startList(p))
			if len(p.config.Starts) == 0 {
				fmt.Fprintf(c.env.Stdout, "%s needs no trust: it starts nothing, reaches no endpoint and reads no environment.\n", p.config.Dir)
				return nil
			}
			s, err := trust.Open(trustFile(p.settings))
			if err != nil {
				return err
			}
			digest := trust.Digest(p.config.Starts)
			if show {
				if s.Allowed(p.config.Dir, digest) {
					fmt.Fprintf(c.env.Stdout, "%s is trusted.\n", p.config.Dir)
					return nil
				}
				return &refusedError{fmt.Sprintf("%s is not trusted", p.config.Dir)}
			}
			if err := s.Allow(p.config.Dir, digest, c.env.Now()); err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.env.Stdout, "%s is trusted now.\n", p.config.Dir)
			return err
		},
	}
	cmd.Flags().StringArrayVar(&vars, "var", nil, "set a variable: `name=value`")
	cmd.Flags().BoolVar(&show, "show", false, "show the declarations and whether they are trusted, record nothing")
	return cmd
}

// startList shows what needs trust, a line each.
func startList(p *project) string {
	var b strings.Builder
	for _, s := range p.config.Starts {
		fmt.Fprintf(&b, "  %-10s %s  (%s)\n", s.Kind, printable(s.Text), s.At)
	}
	return b.String()
}

// requireTrust refuses to run a configuration that needs trust and has none. A
// scripted model in place of the providers needs none.
func (c *command) requireTrust(p *project, always bool) error {
	if always || len(p.config.Starts) == 0 || c.env.Model != nil {
		return nil
	}
	s, err := trust.Open(trustFile(p.settings))
	if err != nil {
		return err
	}
	if s.Allowed(p.config.Dir, trust.Digest(p.config.Starts)) {
		return nil
	}
	return &refusedError{fmt.Sprintf("the configuration %s is not trusted. It wants to use:\n%sRead it, then run 'dsh trust %s', or pass --trust for this run only.",
		p.config.Dir, startList(p), p.config.Dir)}
}
