package cli_test

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/dsh-hcl/dsh/cmd/dsh/cli"
)

// updating reports whether generated documents are to be rewritten.
func updating(t *testing.T) bool {
	t.Helper()
	update, err := cli.UpdateMode(os.LookupEnv, false)
	if err != nil {
		t.Fatal(err)
	}
	return update
}

// console is a fenced block of commands and what they print.
var console = regexp.MustCompile("(?ms)^```console\n(.*?)^```$")

// shownFile is a fenced block of HCL with the name of the file that it is.
var shownFile = regexp.MustCompile("(?ms)^```hcl (\\S+)\n(.*?)^```$")

// TestConsoleBlocks runs every command that a document shows in a console block,
// in a folder of its own for each document, and holds what it prints to what the
// document shows. Files that the document shows under a name lie in the folder. With
// DSH_UPDATE it writes what is printed.
func TestConsoleBlocks(t *testing.T) {
	blocks := 0
	for _, doc := range documents(t) {
		b, err := os.ReadFile(doc)
		if err != nil {
			t.Fatal(err)
		}
		text := string(b)
		d := newDesk(t)
		d.dir = filepath.Join(d.dir, "proj")
		if err := os.Mkdir(d.dir, 0o755); err != nil {
			t.Fatal(err)
		}
		for _, m := range shownFile.FindAllStringSubmatch(text, -1) {
			d.file(m[1], m[2])
		}
		want := console.ReplaceAllStringFunc(text, func(block string) string {
			blocks++
			return "```console\n" + d.replay(block) + "```"
		})
		if want == text {
			continue
		}
		if updating(t) {
			if err := os.WriteFile(doc, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		t.Errorf("%s: a console block does not show what the commands print; run the tests with DSH_UPDATE=1.\nThey print:\n%s", doc, want)
	}
	if blocks == 0 {
		t.Error("no document has a console block: nothing was checked")
	}
}

// documents are README.md and all of docs.
func documents(t *testing.T) []string {
	t.Helper()
	docs := []string{"../../../README.md"}
	err := filepath.WalkDir("../../../docs", func(path string, e fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".md" {
			docs = append(docs, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return docs
}

// replay runs the commands of a block one after the other, at a fixed time, and
// returns the block with what they print.
func (d *desk) replay(block string) string {
	var out bytes.Buffer
	for _, line := range strings.Split(block, "\n") {
		command, ok := strings.CutPrefix(line, "$ ")
		if !ok {
			continue
		}
		out.WriteString(line + "\n")
		args, ok := strings.CutPrefix(command, "dsh ")
		if !ok {
			d.t.Errorf("a console block runs %q; only dsh can be run", command)
			continue
		}
		env := d.surroundings(strings.NewReader(""), &out, &out)
		env.Now = func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }
		if code := cli.Run(context.Background(), split(args), env); code != 0 {
			d.t.Errorf("%s: exit code %d", command, code)
		}
		if n := out.Len(); n > 0 && out.Bytes()[n-1] != '\n' {
			out.WriteByte('\n')
		}
	}
	text := strings.ReplaceAll(out.String(), d.dir, "~/proj")
	text = strings.ReplaceAll(text, d.home, "~")
	text = regexp.MustCompile(`cwd-[0-9a-f]{12}`).ReplaceAllString(text, "cwd-0c9a453fad61")
	return regexp.MustCompile(`\(\d+\.\d\ds\)`).ReplaceAllString(text, "(0.01s)")
}

// split cuts a command line at spaces outside of double quotation marks.
func split(line string) []string {
	var args []string
	for i, part := range strings.Split(line, `"`) {
		if i%2 == 1 {
			args = append(args, part)
			continue
		}
		args = append(args, strings.Fields(part)...)
	}
	return args
}

// TestReadmeCommands runs the README's two commands, as far as they are dsh.
func TestReadmeCommands(t *testing.T) {
	b, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile("(?m)^go run ./cmd/dsh (.*)$").FindAllStringSubmatch(string(b), -1)
	if len(m) == 0 {
		t.Fatal("README.md shows no go run command")
	}
	for _, c := range m {
		d := newDesk(t)
		if d.dir, err = filepath.Abs("../../.."); err != nil {
			t.Fatal(err)
		}
		d.want(d.run(split(c[1])...), 0, "text.rules", "sha256", "session  ", ".jsonl")
		d.want(d.run("verify"), 0, "1 request, 1 identical")
	}
}

// TestExample holds docs/examples/reviewer to what init writes.
func TestExample(t *testing.T) {
	const example = "../../../docs/examples/reviewer"
	d := newDesk(t)
	d.want(d.run("init"), 0)
	seen := 0
	err := filepath.WalkDir(d.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, err := filepath.Rel(d.dir, path)
		if err != nil {
			return err
		}
		want, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		seen++
		have, err := os.ReadFile(filepath.Join(example, rel))
		if err == nil && bytes.Equal(have, want) {
			return nil
		}
		if updating(t) {
			os.MkdirAll(filepath.Dir(filepath.Join(example, rel)), 0o755)
			return os.WriteFile(filepath.Join(example, rel), want, 0o644)
		}
		t.Errorf("%s/%s is not what init writes: %v", example, rel, err)
		return nil
	})
	if err != nil || seen == 0 {
		t.Fatal(seen, err)
	}
	err = filepath.WalkDir(example, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			seen--
		}
		return err
	})
	if err != nil || seen != 0 {
		t.Errorf("the example has %d files fewer than init writes, %v", seen, err)
	}
}

// TestManualScenario runs the scenario that docs/scenarios.md begins with.
func TestManualScenario(t *testing.T) {
	b, err := os.ReadFile("../../../docs/scenarios.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(b), "\n```\n")
	text, _, ok := strings.Cut(rest, "\n```\n")
	if !ok || !strings.HasPrefix(text, "# ") {
		t.Fatalf("docs/scenarios.md begins with no scenario: %q", text)
	}
	d := newDesk(t)
	d.want(d.run("init"), 0)
	d.file("scenarios/shown.txtar", text+"\n")
	d.want(d.run("test"), 0, "ok    review", "ok    shown", "2 passed, 0 failed, 0 skipped")
}
