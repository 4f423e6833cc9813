package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/dsh-hcl/dsh/config/hclfile"
)

// input is one --var or --var-file as it was written.
type input struct {
	text string
	file bool
}

// inputFlag is --var or --var-file. Both add to one list, since of two values for a
// variable the later counts.
type inputFlag struct {
	list *[]input
	file bool
}

// Set implements pflag.Value.
func (f inputFlag) Set(text string) error {
	*f.list = append(*f.list, input{text, f.file})
	return nil
}

// String implements pflag.Value.
func (f inputFlag) String() string { return "" }

// Type implements pflag.Value.
func (f inputFlag) Type() string { return "stringArray" }

// takeInputs gives a command the flags that set variables.
func (c *command) takeInputs(f *pflag.FlagSet) {
	f.Var(inputFlag{list: &c.flags.inputs}, "var", "set a variable: `name=value`")
	f.Var(inputFlag{list: &c.flags.inputs, file: true}, "var-file", "set the variables that `file` gives, a line name = value each")
}

// maxValues bounds a variable file, in bytes.
const maxValues = 512 << 10

// readInputs reads what the flags name, in their order. vars are further ones, in
// front of them.
func (c *command) readInputs(vars []string) ([]hclfile.Input, error) {
	var all []input
	for _, v := range vars {
		all = append(all, input{text: v})
	}
	var out []hclfile.Input
	var mistakes []string // all of them are told
	for _, in := range append(all, c.flags.inputs...) {
		if in.file {
			text, err := c.readValues(in.text)
			if err != nil {
				mistakes = append(mistakes, err.Error())
			}
			out = append(out, hclfile.Input{File: inLine(in.text), Text: text})
			continue
		}
		name, value, ok := strings.Cut(in.text, "=")
		if !ok {
			mistakes = append(mistakes, fmt.Sprintf("--var wants name=value, not %q", in.text))
			continue
		}
		out = append(out, hclfile.Input{Name: name, Value: value})
	}
	if len(mistakes) > 0 {
		return nil, &usageError{strings.Join(mistakes, "\n")}
	}
	return out, nil
}

// readValues reads a file that the command line names. Whoever starts the command
// may name any file, a pipe too; the folders that bound a configuration do not bound
// her.
func (c *command) readValues(name string) ([]byte, error) {
	if name == "" {
		return nil, usageErrorf("--var-file names no file")
	}
	if name == "-" {
		return nil, usageErrorf("--var-file reads no standard input: name a file, or give values with --var")
	}
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(c.env.Dir, path)
	}
	f, err := os.Open(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, usageErrorf("--var-file: there is no file %s", name)
		}
		return nil, usageErrorf("--var-file: %v", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxValues+1))
	if err != nil {
		return nil, usageErrorf("--var-file: %v", err)
	}
	if len(text) > maxValues {
		return nil, usageErrorf("--var-file: %s is larger than %d KiB", name, maxValues>>10)
	}
	return text, nil
}
