package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/meter"
	"github.com/dsh-hcl/dsh/engine/meter/bpe"
	"github.com/dsh-hcl/dsh/schema"
)

func (c *command) tokensCommand() *cobra.Command {
	var o tokensOptions
	cmd := &cobra.Command{
		Use:   "tokens [flags] FILE|-...",
		Short: "Count the tokens of files",
		Long: "Counts the tokens that the text of each file has, and of all together. - is standard\n" +
			"input. The tokenizer is that of the agent that dsh run would take, of --agent or of\n" +
			"--model, where there is a configuration; else tokens are estimated. It says whether\n" +
			"the count is exact, and how far an estimate is off.\n\n" +
			"--tokenizer o200k and cl100k count exactly, deepseek is an estimate, and a path is a\n" +
			"tokenizer.json; then no configuration is read.\n\nExits with 1 when a file cannot be read.",
		Args: argCount(1, -1),
		RunE: func(_ *cobra.Command, args []string) error { return c.tokens(o, args) },
	}
	f := cmd.Flags()
	f.StringVar(&o.tokenizer, "tokenizer", "", "count with the tokenizer of that `name` or path")
	f.StringVar(&o.model, "model", "", "count for the model of that `name`")
	f.StringVar(&o.agent, "agent", "", "count for the model of the agent of that `name`")
	f.BoolVar(&o.json, "json", false, "one JSON object")
	return cmd
}

type tokensOptions struct {
	tokenizer, model, agent string
	json                    bool
}

// maxCounted bounds a file whose tokens are counted, in bytes: it is held in memory.
const maxCounted = 1 << 30

// counted is a file and what was counted of it.
type counted struct {
	name   string
	bytes  int
	tokens meter.Tokens
}

func (c *command) tokens(o tokensOptions, args []string) error {
	inputs := 0
	for _, name := range args {
		if name == "-" {
			inputs++
		}
	}
	if inputs > 1 {
		return usageErrorf("- is standard input, which can be read once")
	}
	e, err := c.tokensEstimator(o)
	if err != nil {
		return err
	}
	var files []counted
	var total counted
	failed := false
	for _, name := range args {
		text, err := c.tokensText(name)
		if err != nil { // the others are counted all the same
			fmt.Fprintf(c.env.Stderr, "Error: %s\n", printable(err.Error()))
			failed = true
			continue
		}
		if !utf8.ValidString(text) {
			fmt.Fprintf(c.env.Stderr, "Warning: %s is not UTF-8 text; its stray bytes are counted as replacement characters\n", inLine(name))
		}
		f := counted{name, len(text), e.Text(text)}
		files = append(files, f)
		total.bytes += f.bytes
		total.tokens += f.tokens
	}
	if o.json {
		err = c.tokensJSON(e, files, total)
	} else {
		err = c.tokensTable(e, files, total)
	}
	if err == nil && failed {
		err = &silentError{exitFailed}
	}
	return err
}

// tokensText reads a file that the command line names, or standard input.
func (c *command) tokensText(name string) (string, error) {
	from := c.env.Stdin
	if name != "-" {
		f, err := os.Open(c.abs(name))
		if errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("there is no file %s", name)
		}
		if err != nil {
			return "", err
		}
		defer f.Close()
		if info, err := f.Stat(); err == nil && info.IsDir() {
			return "", fmt.Errorf("%s is a folder, and tokens are counted of files", name)
		}
		from = f
	} else if c.env.StdinTerminal {
		fmt.Fprintln(c.env.Stderr, "Reading the text from the terminal; end it with Ctrl-D.")
	}
	var b strings.Builder
	n, err := io.Copy(&b, io.LimitReader(from, maxCounted+1))
	if err == nil && n > maxCounted {
		err = fmt.Errorf("%s is larger than %d MiB", name, maxCounted>>20)
	}
	return b.String(), err
}

// tokensEstimator returns the estimator that the flags and the configuration ask
// for.
func (c *command) tokensEstimator(o tokensOptions) (meter.Estimator, error) {
	given := 0
	for _, v := range []string{o.tokenizer, o.model, o.agent} {
		if v != "" {
			given++
		}
	}
	switch {
	case given > 1:
		return meter.Estimator{}, usageErrorf("--tokenizer, --model and --agent each say how to count: use one")
	case o.tokenizer != "":
		return c.namedTokenizer(o.tokenizer)
	case given == 0 && !c.hasConfiguration():
		return meter.For(meter.DefaultFamily)
	}
	p, err := c.load(loadOptions{quiet: true})
	if err != nil {
		return meter.Estimator{}, err
	}
	defer p.close()
	m, err := pickModel(p, o)
	if err != nil {
		return meter.Estimator{}, err
	}
	return p.estimator(m)
}

// pickModel returns the model of that name, or that of the agent.
func pickModel(p *project, o tokensOptions) (*config.Model, error) {
	name := o.model
	if name == "" {
		agent, err := pickAgent(p, o.agent)
		if err != nil {
			return nil, err
		}
		name = agent.Model.V
	}
	if m, ok := p.config.Model(name); ok {
		return m, nil
	}
	var names []string
	for _, m := range p.config.Models {
		names = append(names, m.Name)
	}
	if near := nearest(name, names); near != "" {
		return nil, usageErrorf("the configuration declares no model %q; did you mean %q?", name, near)
	}
	return nil, usageErrorf("the configuration declares no model %q; there is %s", name, strings.Join(names, ", "))
}

// namedTokenizer returns the estimator that --tokenizer names: one of the program's, or
// a file, which may lie anywhere.
func (c *command) namedTokenizer(name string) (meter.Estimator, error) {
	e, err := estimatorOf(name)
	if err == nil {
		return e, nil
	}
	text, ferr := os.ReadFile(c.abs(name))
	if errors.Is(ferr, fs.ErrNotExist) && !strings.ContainsAny(name, `/\.`) {
		advice := "; there are " + strings.Join(schema.Tokenizers(), ", ") + ", and paths of a tokenizer.json"
		if near := nearest(name, schema.Tokenizers()); near != "" {
			advice = fmt.Sprintf("; did you mean %q?", near)
		}
		return e, usageErrorf("there is no tokenizer %q%s", name, advice)
	}
	if errors.Is(ferr, fs.ErrNotExist) {
		return e, usageErrorf("--tokenizer: there is no file %s", name)
	}
	if ferr != nil {
		return e, usageErrorf("--tokenizer: %v", ferr)
	}
	tk, err := bpe.Read(name, text)
	if err != nil {
		return e, usageErrorf("--tokenizer: tokens cannot be counted with %s: %v", name, err)
	}
	return meter.Exactly(tk), nil
}

// tokensTable prints the counts for a person, and below them what they are worth.
func (c *command) tokensTable(e meter.Estimator, files []counted, total counted) error {
	if len(files) > 1 {
		total.name = "total"
		files = append(files, total)
	}
	width := len(fmt.Sprint(total.tokens))
	for _, f := range files {
		if _, err := fmt.Fprintf(c.env.Stdout, "%*d  %s\n", width, f.tokens, inLine(f.name)); err != nil {
			return err
		}
	}
	if len(files) == 0 {
		return nil
	}
	if e.Exact() {
		fmt.Fprintf(c.env.Stderr, "Counted exactly with %s.\n", inLine(e.Family()))
		return nil
	}
	typical, worst := e.Error()
	fmt.Fprintf(c.env.Stderr, "Estimated for %s: off by %d %% on average over kinds of text and by up to %d %% for a single one.\n", e.Family(), typical, worst)
	return nil
}

// tokensJSON writes one object: tokenizer, exact, the error of an estimate in percent
// as typicalError and worstError, files with file, bytes and tokens, and bytes and tokens
// in total.
func (c *command) tokensJSON(e meter.Estimator, files []counted, total counted) error {
	var o canon.Object
	o.String("tokenizer", e.Family())
	o.Bool("exact", e.Exact())
	typical, worst := e.Error()
	o.Int("typicalError", int64(typical))
	o.Int("worstError", int64(worst))
	list := make([]string, len(files))
	for i, f := range files {
		var file canon.Object
		file.String("file", f.name)
		file.Int("bytes", int64(f.bytes))
		file.Int("tokens", int64(f.tokens))
		list[i] = file.End()
	}
	o.Raw("files", canon.Array(list...))
	o.Int("bytes", int64(total.bytes))
	o.Int("tokens", int64(total.tokens))
	_, err := fmt.Fprintln(c.env.Stdout, o.End())
	return err
}
