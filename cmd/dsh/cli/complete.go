package cli

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dsh-hcl/dsh/engine/store"
	"github.com/dsh-hcl/dsh/schema"
)

func (c *command) completionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "completion bash|zsh|fish",
		Short: "Print a script that completes dsh in a shell",
		Long: "Prints a script by which a shell completes commands, flags, agents, sessions,\n" +
			"blocks and addresses. Have the shell read it when it starts:\n\n" +
			"  bash  source <(dsh completion bash), with the package bash-completion installed\n" +
			"  zsh   source <(dsh completion zsh)\n" +
			"  fish  dsh completion fish | source",
		Args:      argCount(1, 1),
		ValidArgs: []string{"bash", "zsh", "fish"},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch root := cmd.Root(); args[0] {
			case "bash":
				return root.GenBashCompletionV2(c.env.Stdout, true)
			case "zsh":
				return root.GenZshCompletion(c.env.Stdout)
			case "fish":
				return root.GenFishCompletion(c.env.Stdout, true)
			}
			return usageErrorf("there is no completion for %q; there is one for bash, zsh and fish", args[0])
		},
	}
}

// maxCompleted is how many sessions are offered: each is read for its title.
const maxCompleted = 40

// complete says what each command and flag is completed with. What cannot be known,
// such as the agents of a configuration with errors, is left out without a word.
func (c *command) complete(root *cobra.Command) {
	const (
		nothing = cobra.ShellCompDirectiveNoFileComp
		folders = cobra.ShellCompDirectiveFilterDirs
		open    = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	)
	none := func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) { return nil, nothing }
	fixed := func(values ...string) cobra.CompletionFunc { return cobra.FixedCompletions(values, nothing) }
	// nth completes one argument, and those behind it when it repeats.
	nth := func(n int, repeats bool, list func() []string) cobra.CompletionFunc {
		return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) < n || len(args) > n && !repeats {
				return nil, nothing
			}
			return slices.DeleteFunc(list(), func(s string) bool {
				name, _, _ := strings.Cut(s, "\t")
				return slices.Contains(args, name)
			}), nothing
		}
	}
	folder := func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, nothing
		}
		return nil, folders
	}
	every, here := func() []string { return c.sessionNames(false) }, func() []string { return c.sessionNames(true) }
	arguments := map[string]cobra.CompletionFunc{
		"": none, "chat": none, "run": none, "settings": none, "version": none, "sessions": none, "sessions list": none, "sessions prune": none,
		"check": folder, "init": folder, "test": folder, "trust": folder,
		"fmt": func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"hcl", "dshvars"}, cobra.ShellCompDirectiveFilterFileExt
		},
		"schema": nth(0, false, schema.Paths), "config": nth(0, false, c.addressNames),
		"log": nth(0, false, every), "verify": nth(0, false, every), "request": nth(1, false, every),
		"sessions title": nth(0, false, every), "sessions rm": nth(0, true, every), "sessions repair": nth(0, false, every),
		"sessions export": func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 1 {
				return nil, cobra.ShellCompDirectiveDefault
			}
			return nth(0, false, every)(cmd, args, begun)
		},
	}
	flags := map[string]cobra.CompletionFunc{
		"output": fixed("text", "json", "stream-json"), "color": fixed("auto", "always", "never"),
		"ref":   c.citable,
		"agent": nth(0, true, c.agentNames), "resume": nth(0, true, here), "fork": nth(0, true, every),
		"var": func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return c.variableNames(), open
		},
		"var-file": func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"dshvars"}, cobra.ShellCompDirectiveFilterFileExt
		},
		"model": nth(0, true, c.modelNames),
		"tokenizer": func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return schema.Tokenizers(), cobra.ShellCompDirectiveDefault // or a file
		},
		"title": none, "run": none, "parallel": none, "older-than": none,
	}
	for _, name := range []string{"config", "workspace", "store"} {
		flags[name] = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) { return nil, folders }
	}
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		path := strings.TrimPrefix(strings.TrimPrefix(cmd.CommandPath(), "dsh"), " ")
		if f := arguments[path]; f != nil {
			cmd.ValidArgsFunction = f
		}
		for name, f := range flags {
			own := cmd.Flags().Lookup(name)
			if own == nil {
				own = cmd.PersistentFlags().Lookup(name)
			}
			if own != nil {
				if err := cmd.RegisterFlagCompletionFunc(name, f); err != nil {
					panic("cli: " + err.Error()) // each flag is registered once
				}
			}
		}
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(root)
}

// quietly loads the configuration for a completion, which prints nothing.
func (c *command) quietly(use func(*project)) {
	p, err := c.tryLoad(loadOptions{})
	if err != nil {
		return
	}
	defer p.close()
	if p.config != nil && !p.problems.HasErrors() {
		use(p)
	}
}

func (c *command) agentNames() (out []string) {
	c.quietly(func(p *project) {
		for _, a := range p.config.Agents {
			out = append(out, described(a.Name, a.Description.V))
		}
	})
	return out
}

func (c *command) modelNames() (out []string) {
	c.quietly(func(p *project) {
		for _, m := range p.config.Models {
			out = append(out, described(m.Name, m.ID.V))
		}
	})
	return out
}

func (c *command) variableNames() (out []string) {
	c.quietly(func(p *project) {
		for _, e := range p.config.Entries() {
			if e.Block == "var" && !e.Hidden {
				out = append(out, e.Name+"=")
			}
		}
	})
	return out
}

func (c *command) addressNames() (out []string) {
	c.quietly(func(p *project) { out = addresses(p.config.Entries()) })
	return out
}

// sessionNames are the newest sessions, and the word for the newest of all.
func (c *command) sessionNames(here bool) []string {
	s, err := c.openStore()
	if err != nil {
		return nil
	}
	entries, _, err := s.Survey()
	if err != nil || len(entries) == 0 {
		return nil
	}
	if here {
		entries = ofWorkspace(entries, c.workspace())
	}
	slices.SortStableFunc(entries, func(a, b store.Entry) int { return cmp.Compare(b.Updated.UnixNano(), a.Updated.UnixNano()) })
	out := []string{described("last", "the newest session of this workspace")}
	for _, e := range entries[:min(len(entries), maxCompleted)] {
		sum := s.Summarise(e)
		title := sum.Title
		if title == "" {
			title = sum.Prompt
		}
		out = append(out, described(e.Header.ID, title))
	}
	return out
}

// citable completes --ref with the candidates of the agent that would run, and a path
// with logs.
func (c *command) citable(cmd *cobra.Command, _ []string, begun string) (out []string, _ cobra.ShellCompDirective) {
	if strings.ContainsRune(begun, filepath.Separator) || strings.HasPrefix(begun, ".") {
		return []string{"jsonl"}, cobra.ShellCompDirectiveFilterFileExt
	}
	c.quietly(func(p *project) {
		name, _ := cmd.Flags().GetString("agent")
		declared, err := pickAgent(p, name)
		if err != nil {
			return
		}
		a, err := c.compile(p, declared)
		if err != nil || a.References() == nil || needStore(p.settings) != nil {
			return
		}
		found, err := c.candidates(cmd.Context(), p, a, "", "")
		if err != nil {
			return
		}
		for _, f := range found {
			if !strings.HasPrefix(f.SessionID, begun) {
				continue
			}
			text := f.Label
			if text == f.SessionID {
				text = ""
			}
			out = append(out, described(f.SessionID, text))
		}
	})
	return out, cobra.ShellCompDirectiveNoFileComp
}

// described is a word with what a shell shows beside it.
func described(word, text string) string {
	if text = strings.Join(strings.Fields(printable(text)), " "); text == "" {
		return word
	}
	return word + "\t" + text
}
