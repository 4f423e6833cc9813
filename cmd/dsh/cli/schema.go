package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dsh-hcl/dsh/schema"
)

func (c *command) schemaCommand() *cobra.Command {
	var asJSON, jsonSchema bool
	cmd := &cobra.Command{
		Use:   "schema [flags] [BLOCK]",
		Short: "Show what a configuration may say",
		Long: "Prints the reference of the language, or of one block, such as agent.limits: what\n" +
			"may be written, with types, defaults and meanings. It reads no configuration.\n\n" +
			"--json prints the same for programs. --json-schema prints a JSON Schema, draft\n" +
			"2020-12, by which editors complete the JSON syntax of HCL.",
		Args: argCount(0, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			path := first(args)
			if jsonSchema && (asJSON || path != "") {
				return usageErrorf("--json-schema describes whole files: it goes without --json and without a block")
			}
			text, ok := "", true
			switch {
			case jsonSchema:
				text = schema.JSONSchema()
			case path == "" && asJSON:
				text = schema.JSON()
			case path == "":
				text = schema.Markdown()
			case asJSON:
				text, ok = schema.BlockJSON(path)
			default:
				text, ok = schema.BlockMarkdown(path)
			}
			if !ok {
				advice := ". Run 'dsh schema' for all blocks."
				var homes []string
				for _, p := range schema.Paths() {
					if strings.HasSuffix(p, "."+path) {
						homes = append(homes, p)
					}
				}
				if block, attribute, found := lastDot(path); found {
					if list, is := schema.BlockMarkdown(block); is && strings.Contains(list, "`"+attribute+"`") {
						return usageErrorf("%s is no block; 'dsh schema %s' has it", path, block)
					}
				}
				if slices.Contains([]string{"functions", "names", "rules", "values", "script"}, path) {
					return usageErrorf("%s are no block; 'dsh schema' has them at its end, and 'dsh schema --json' as a member", path)
				}
				if len(homes) > 0 && len(homes) <= 3 {
					advice = fmt.Sprintf("; did you mean %s?", strings.Join(homes, " or "))
				} else if near := nearest(path, schema.Paths()); near != "" {
					advice = fmt.Sprintf("; did you mean %s?", near)
				}
				return usageErrorf("there is no block %s%s", path, advice)
			}
			_, err := fmt.Fprint(c.env.Stdout, text)
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "the table as JSON")
	cmd.Flags().BoolVar(&jsonSchema, "json-schema", false, "a JSON Schema of *.dsh.hcl.json")
	return cmd
}

// lastDot cuts an address at its last dot.
func lastDot(path string) (before, after string, found bool) {
	i := strings.LastIndexByte(path, '.')
	if i < 0 {
		return "", path, false
	}
	return path[:i], path[i+1:], true
}
