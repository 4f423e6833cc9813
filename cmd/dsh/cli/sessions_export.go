package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/spf13/cobra"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/engine/eventlog"
	"github.com/dsh-hcl/dsh/engine/provider"
)

func (c *command) sessionsExportCommand() *cobra.Command {
	var exact bool
	cmd := &cobra.Command{
		Use:   "export SESSION [FILE]",
		Short: "Write a session's log to a file or to standard output",
		Long: "Writes the log to a file, or to standard output. Where a text holds a secret of the\n" +
			"configuration, \"(sensitive)\" takes its place; such an export can be read and not gone on\n" +
			"from. Without one, and with --exact, it is the log byte for byte, so that whoever imports\n" +
			"it can verify it and go on. It holds everything the model saw: read it before you give\n" +
			"it away.",
		Args: argCount(1, 2),
		RunE: func(_ *cobra.Command, args []string) error {
			_, e, err := c.session(args[0])
			if err != nil {
				return err
			}
			raw, err := eventlog.Disk{}.Read(e.Path)
			if err != nil {
				return err
			}
			text, hidden := string(raw), 0
			if !exact {
				secrets, err := c.declaredSecrets()
				if err != nil {
					return err
				}
				text, hidden = eventlog.Redact(text, secrets.Hide)
			}
			note := ""
			if hidden > 0 {
				note = ", secrets replaced in " + plural(hidden, "text", "texts")
			}
			if len(args) == 1 || args[1] == "-" {
				if note != "" {
					fmt.Fprintf(c.env.Stderr, "wrote %d bytes%s\n", len(text), note)
				}
				_, err := c.env.Stdout.Write([]byte(text))
				return err
			}
			path := c.abs(args[1])
			if err := c.writeNew(path, []byte(text)); errors.Is(err, fs.ErrExist) {
				return usageErrorf("%s exists already", args[1])
			} else if err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.env.Stdout, "wrote %d bytes to %s%s\n", len(text), args[1], note)
			return err
		},
	}
	cmd.Flags().BoolVar(&exact, "exact", false, "byte for byte, secrets included")
	return cmd
}

// declaredSecrets resolves every secret of the configuration, to find them in what
// is given away. One that is unset here is unknown, and a warning says so, as does
// a place without a configuration. Nothing is started, so nobody's trust is needed.
func (c *command) declaredSecrets() (provider.Secrets, error) {
	warn := func(format string, args ...any) {
		fmt.Fprintf(c.env.Stderr, "Warning: "+format+"\n", args...)
	}
	if !c.hasConfiguration() {
		warn("there is no configuration here, so no secrets are known; name one with --config")
		return provider.Secrets{}, nil
	}
	p, err := c.load(loadOptions{quiet: true})
	if err != nil {
		return provider.Secrets{}, fmt.Errorf("the secrets to be replaced are those of the configuration, and it cannot be read (--exact replaces none): %w", err)
	}
	defer p.close()
	look := func(s config.Secret, address string) {
		if _, problems := p.known.reveal(s); problems.HasErrors() {
			warn("%s cannot be resolved here, so it was not looked for (%s)", address, inLine(s.At().String()))
		}
	}
	for _, declared := range p.config.Providers {
		address := "provider." + declared.Name
		look(declared.APIKey, address+".api_key")
		for _, h := range declared.Headers {
			look(h.Value, address+".headers."+h.Name)
		}
	}
	for _, h := range p.config.Hooks {
		for _, v := range h.Env {
			look(v.Value, "hook."+h.Name+".env."+v.Name)
		}
	}
	for _, t := range p.config.Tools {
		for _, v := range t.Env {
			look(v.Value, "tool."+t.Name+".env."+v.Name)
		}
	}
	for _, a := range p.config.Agents {
		for _, in := range slices.Concat(a.System, a.Prefix) {
			for _, v := range in.Env {
				look(v.Value, "agent."+a.Name+"."+in.Address+".env."+v.Name)
			}
		}
	}
	return provider.NewSecrets(p.known.list()...), nil
}
