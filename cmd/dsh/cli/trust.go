package cli

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/config/hclfile"
	"github.com/dsh-hcl/dsh/config/trust"
)

func (c *command) trustCommand() *cobra.Command {
	var show, revoke bool
	cmd := &cobra.Command{
		Use:   "trust [DIR]",
		Short: "Trust a configuration to start processes, reach endpoints and read the environment",
		Long: "Shows the declarations of a configuration that name an endpoint, start a process\n" +
			"or read the environment, and the programs that its scenarios start, and records\n" +
			"that this machine trusts them. A changed one\n" +
			"has to be trusted again. Trust is in the declarations: read the programs that they\n" +
			"name as well. --revoke takes it back, of the programs too.",
		Args: argCount(0, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			dir, err := c.folderArg(args)
			if err != nil {
				return err
			}
			if revoke {
				if show {
					return usageErrorf("--show changes nothing, and --revoke does: use one")
				}
				return c.revoke(dir)
			}
			p, err := c.load(loadOptions{dir: dir})
			if err != nil {
				return err
			}
			defer p.close()
			programs, err := p.programs()
			if err != nil {
				return err
			}
			fmt.Fprint(c.env.Stdout, startList(p.config.Starts), startList(programs))
			if len(p.config.Starts) == 0 && len(programs) == 0 {
				fmt.Fprintf(c.env.Stdout, "%s needs no trust: it starts nothing, reaches no endpoint and reads no environment.\n", inLine(p.config.Dir))
				return nil
			}
			s, err := trust.Open(trustFile(p.settings))
			if err != nil {
				return err
			}
			digest, tests := trust.Digest(p.config.Starts), trust.Digest(programs)
			if show {
				if s.Allowed(p.trustPlace(), digest) && s.Allowed(p.programsPlace(), tests) {
					fmt.Fprintf(c.env.Stdout, "%s is trusted.\n", inLine(p.config.Dir))
					return nil
				}
				return &refusedError{fmt.Sprintf("%s is not trusted", inLine(p.config.Dir))}
			}
			if err := s.Allow(p.trustPlace(), digest, c.env.Now()); err != nil {
				return err
			}
			if len(programs) > 0 {
				if err := s.Allow(p.programsPlace(), tests, c.env.Now()); err != nil {
					return err
				}
			}
			_, err = fmt.Fprintf(c.env.Stdout, "%s is trusted now.\n", inLine(p.config.Dir))
			return err
		},
	}
	cmd.Flags().BoolVar(&show, "show", false, "show the declarations and whether they are trusted, record nothing")
	cmd.Flags().BoolVar(&revoke, "revoke", false, "trust the configuration no longer")
	return cmd
}

// revoke takes back the trust in a folder. It reads no configuration, so that one
// with errors, or one that is gone, loses it as well.
func (c *command) revoke(dir string) error {
	set, err := c.settings()
	if err != nil {
		return err
	}
	if dir == "" {
		if dir = c.flags.config; dir == "" {
			found, _, problems := locate(hclfile.Options{
				Dir: c.env.Dir, Workspace: c.flags.workspace, Home: c.env.Home, OwnerOf: ownerOf, Exists: exists, IsDir: isDir,
			})
			if err := problems.Err(); err != nil {
				return err
			}
			dir = found
		}
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(c.env.Dir, dir)
	}
	if dir = filepath.Clean(dir); exists(dir) && !isDir(dir) {
		dir = filepath.Dir(dir) // its dsh.hcl was named
	}
	s, err := trust.Open(trustFile(set))
	if err != nil {
		return err
	}
	real := realFolder(dir)
	revoked, err := s.Revoke(real, filepath.Join(real, "scenarios"), dir, filepath.Join(dir, "scenarios"))
	if err != nil {
		return err
	}
	if !revoked {
		return usageErrorf("%s was not trusted, so nothing was taken back", inLine(real))
	}
	_, err = fmt.Fprintf(c.env.Stdout, "%s is no longer trusted.\n", inLine(real))
	return err
}

// startList shows what needs trust, a line each.
func startList(starts []config.Start) string {
	var b strings.Builder
	for _, s := range starts {
		fmt.Fprintf(&b, "  %-10s %s  (%s)\n", s.Kind, inLine(s.Text), inLine(s.At.String()))
	}
	return b.String()
}

// requireTrust refuses to run a configuration that needs trust and has none. In a
// scenario test has asked already.
func (c *command) requireTrust(p *project, always bool) error {
	switch {
	case c.env.Gate != nil:
		return c.env.Gate(p.config.Starts)
	case c.env.Model != nil:
		return nil
	}
	return c.requireTrustIn(p, p.config.Starts, always, "")
}

// forProcess reports a start that scenarios need too: of a hook or of the command of a
// contributor, or of the environment of one.
func forProcess(s config.Start) bool {
	return strings.HasPrefix(s.For, "hook.") || forCommand(s)
}

// forCommand reports a start of the command of a contributor, or of its environment.
func forCommand(s config.Start) bool {
	at := strings.Split(s.For, ".")
	within := func(n int) bool { return len(at) > n+1 && at[n] == "command" }
	switch at[0] {
	case "agent":
		return within(3) // agent.NAME.prefix.command.NAME
	case "prefix":
		return within(2) // prefix.NAME.command.NAME
	}
	return false
}

// requireTrustToTest is requireTrust for the scenarios of a project. They reach no
// provider, and run hooks and commands for real. It returns the gate of the scenarios.
func (c *command) requireTrustToTest(p *project, always bool) (Gate, error) {
	var starts []config.Start
	for _, s := range p.config.Starts {
		if forProcess(s) {
			starts = append(starts, s)
		}
	}
	if err := c.requireTrustIn(p, starts, always, " Scenarios run hooks and commands for real."); err != nil {
		return nil, err
	}
	programs, err := p.programs()
	if err != nil || always || c.env.Model != nil {
		if outer := c.env.Gate; outer != nil {
			return func(_ string, starts []config.Start) error { return outer(starts) }, err
		}
		return nil, err
	}
	if len(programs) == 0 {
		return p.gate(programs), nil
	}
	s, err := trust.Open(trustFile(p.settings))
	if err != nil || s.Allowed(p.programsPlace(), trust.Digest(programs)) {
		return p.gate(programs), err
	}
	return nil, &refusedError{fmt.Sprintf("the scenarios of %s are not trusted. They start programs:\n%sRead them, then run 'dsh trust %s', or pass --trust for this run only.",
		inLine(p.config.Dir), startList(programs), inLine(p.config.Dir))}
}

// requireTrustIn refuses when there is something to start and the configuration
// is not trusted as a whole: a person decides once about all of it.
func (c *command) requireTrustIn(p *project, starts []config.Start, always bool, why string) error {
	if always || len(starts) == 0 {
		return nil
	}
	s, err := trust.Open(trustFile(p.settings))
	if err != nil {
		return err
	}
	if s.Allowed(p.trustPlace(), trust.Digest(p.config.Starts)) {
		return nil
	}
	return &refusedError{fmt.Sprintf("the configuration %s is not trusted.%s It wants to use:\n%sRead it, then run 'dsh trust %s', or pass --trust for this run only.",
		p.config.Dir, why, startList(starts), inLine(p.config.Dir))}
}
