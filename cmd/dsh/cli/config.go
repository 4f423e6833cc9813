package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/engine/canon"
)

func (c *command) configCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "config [flags] [ADDRESS]",
		Short: "Show the evaluated configuration and where each value comes from",
		Long: "Prints every attribute of the configuration with its value and its origin: a file\n" +
			"and line, a flag, a variable of the environment, or default. What is not written is\n" +
			"there too. Secrets are shown as (sensitive). It starts nothing and needs no trust.\n\n" +
			"ADDRESS is that of a block or an attribute, such as agent.reviewer.limits, or of a\n" +
			"contributor, such as text.rules.",
		Args: argCount(0, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := c.load(loadOptions{quiet: true})
			if err != nil {
				return err
			}
			defer p.close()
			all := p.config.Entries()
			chosen := all
			if address := first(args); address != "" {
				if chosen = entriesAt(all, address); len(chosen) == 0 {
					return noEntry(all, address)
				}
			}
			if asJSON {
				return c.configJSON(chosen)
			}
			return c.configText(chosen)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object")
	return cmd
}

// entriesAt are the entries of a block or an attribute, or of contributors of that
// address.
func entriesAt(all []config.Entry, address string) []config.Entry {
	pick := func(at func(config.Entry) string) (out []config.Entry) {
		for _, e := range all {
			declared := e
			if e.Group != "" {
				declared.Block = e.Group
			}
			if leadsInto(at(e), address) || leadsInto(at(declared), address) {
				out = append(out, e)
			}
		}
		return out
	}
	if out := pick(config.Entry.Address); len(out) > 0 {
		return out
	}
	return pick(func(e config.Entry) string { return contributorOf(e.Address()) })
}

// leadsInto reports an address that is another one or in it.
func leadsInto(full, address string) bool {
	return full == address || strings.HasPrefix(full, address+".") || strings.HasPrefix(full, address+"[")
}

// contributorOf is an address in an agent as goldens and logs write it: what is
// behind the agent, or in a group behind its name, and without prefix.
func contributorOf(address string) string {
	if group, ok := strings.CutPrefix(address, "prefix."); ok {
		return group
	}
	parts := strings.SplitN(address, ".", 3)
	if len(parts) < 3 || parts[0] != "agent" {
		return ""
	}
	return strings.TrimPrefix(parts[2], "prefix.")
}

func noEntry(all []config.Entry, address string) error {
	advice := ". Run 'dsh config' for all addresses."
	if near := nearest(address, addresses(all)); near != "" {
		advice = fmt.Sprintf("; did you mean %s?", near)
	}
	return usageErrorf("there is nothing at %s%s", inLine(address), advice)
}

// addresses are those of all blocks and contributors, and then of all attributes.
func addresses(all []config.Entry) []string {
	var out []string
	add := func(address string) {
		if address != "" && !slices.Contains(out, address) {
			out = append(out, address)
		}
	}
	for _, e := range all {
		add(e.Block)
		if parts := strings.Split(contributorOf(e.Block), "."); len(parts) > 1 {
			add(strings.Join(parts, "."))
		}
	}
	for _, e := range all {
		add(e.Address())
	}
	return out
}

// wide is the longest value, in bytes, behind which origins stand in a column.
const wide = 40

// configText writes a line for each entry, those of one block in columns.
func (c *command) configText(entries []config.Entry) error {
	var b strings.Builder
	for len(entries) > 0 {
		n := slices.IndexFunc(entries, func(e config.Entry) bool { return e.Block != entries[0].Block })
		if n < 0 {
			n = len(entries)
		}
		name, value := 0, 0
		for _, e := range entries[:n] {
			name = max(name, len(e.Address()))
			if w := len(shownValue(e)); w <= wide {
				value = max(value, w)
			}
		}
		for _, e := range entries[:n] {
			note := ""
			if e.Note != "" && e.Value == "null" {
				note = ": " + strings.ReplaceAll(e.Note, "`", "")
			}
			fmt.Fprintf(&b, "%-*s = %-*s # %s%s\n", name, e.Address(), value, shownValue(e), inLine(e.Origin()), inLine(note))
		}
		entries = entries[n:]
	}
	_, err := fmt.Fprint(c.env.Stdout, b.String())
	return err
}

// shownValue is a value as HCL writes it, on one line.
func shownValue(e config.Entry) string {
	switch {
	case e.Hidden:
		return "(sensitive)"
	case e.Refers:
		return strings.ReplaceAll(e.Value, `"`, "")
	}
	return inLine(e.Value)
}

// configJSON writes one object. docs/tools.md describes it.
func (c *command) configJSON(entries []config.Entry) error {
	values := make([]string, len(entries))
	for i, e := range entries {
		var o canon.Object
		o.String("address", e.Address())
		if e.Hidden {
			o.Bool("sensitive", true)
		} else {
			o.Raw("value", e.Value)
		}
		if e.Refers {
			o.Bool("reference", true)
		}
		if e.Note != "" && e.Value == "null" {
			o.String("note", strings.ReplaceAll(e.Note, "`", ""))
		}
		o.String("origin", e.Origin())
		if !e.Default && e.Source == "" {
			o.String("file", e.At.File)
			o.Int("line", int64(e.At.Start.Line))
		}
		values[i] = o.End()
	}
	var o canon.Object
	o.String("format_version", "1.0")
	o.Raw("values", canon.Array(values...))
	_, err := fmt.Fprintln(c.env.Stdout, o.End())
	return err
}
