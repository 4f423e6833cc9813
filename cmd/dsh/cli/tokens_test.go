package cli_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/dsh-hcl/dsh/cmd/dsh/cli"
	"github.com/dsh-hcl/dsh/engine/meter"
	"github.com/dsh-hcl/dsh/engine/meter/bpe"
	"github.com/dsh-hcl/dsh/schema"
)

// Every tokenizer that the language names can be counted or estimated with, and no
// other one is there.
func TestTokenizerNames(t *testing.T) {
	d := newDesk(t)
	d.file("a.txt", "hello world")
	for _, name := range schema.Tokenizers() {
		d.want(d.run("tokens", "--tokenizer", name, "a.txt"), 0, "  a.txt\n", name)
	}
	for _, name := range append(bpe.Names(), meter.Families()...) {
		if !strings.Contains(strings.Join(schema.Tokenizers(), " "), name) {
			t.Errorf("the language does not name %s", name)
		}
	}
}

func TestTokensOfInput(t *testing.T) {
	d := newDesk(t)
	d.want(d.runCtx(context.Background(), "hello world", "tokens", "--tokenizer", "o200k", "-"), 0, "2  -\n", "Counted exactly with o200k.")
	d.want(d.run("tokens", "-", "-"), 2, "standard input, which can be read once")
	var out, errs bytes.Buffer
	env := d.surroundings(strings.NewReader("hello"), &out, &errs)
	env.StdinTerminal = true
	if code := cli.Run(context.Background(), []string{"tokens", "-"}, env); code != 0 || !strings.Contains(errs.String(), "end it with Ctrl-D") {
		t.Errorf("exit code %d: %s", code, errs.String())
	}
}

func TestTokensOfOddFiles(t *testing.T) {
	d := newDesk(t)
	d.file("empty", "")
	d.file("bytes", "a\xff\xfeb")
	d.file("folder/x", "")
	d.file("esc\x1b[31m", "hello")
	d.want(d.run("tokens", "empty"), 0, "0  empty\n")
	d.want(d.run("tokens", "bytes"), 0, "Warning: bytes is not UTF-8 text")
	d.want(d.run("tokens", "folder"), 1, "Error: folder is a folder")
	if o := d.run("tokens", "esc\x1b[31m"); o.code != 0 || strings.Contains(o.stdout+o.stderr, "\x1b") {
		t.Errorf("exit code %d: %q", o.code, o.stdout)
	}
}
