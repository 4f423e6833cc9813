package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const guardedConfig = `
provider "p" { protocol = "openai" }
model "m" {
  provider = provider.p
  id       = "m"
}
agent "a" {
  model = model.m
  prefix {
    text "rules" { content = "Never push." }
  }
}
`

// Guards of goldens, each proven by a suite that breaks what it guards and is sound
// otherwise: dsh test fails, and says what to do. Written by --update, they hold
// without it, or the guard would only have noticed a difference.
func TestGuardsOfGoldens(t *testing.T) {
	const pinned = "agent a\nsend hi\nheader golden -full whole\n"
	for name, c := range map[string]struct {
		files map[string]string
		spoil func(d *desk) // after the goldens were written
		want  []string
	}{
		"sound": {files: map[string]string{"scenarios/one.txtar": pinned}},
		"no full pin": {
			files: map[string]string{"scenarios/one.txtar": "agent a\nsend hi\nheader golden short\n"},
			want:  []string{"no scenario pins the initial header of agent a in full", "Add a line to one, such as scenarios/one.txtar: header golden -full NAME"},
		},
		"a second full pin": {
			files: map[string]string{"scenarios/one.txtar": pinned, "scenarios/two.txtar": "agent a\nsend hi\nheader golden -full again\n"},
			want:  []string{"the initial header of agent a is pinned in full 2 times, and once is enough: one: whole, two: again. Keep one"},
		},
		"an orphan": {
			files: map[string]string{"scenarios/one.txtar": pinned},
			spoil: func(d *desk) { d.file("golden/one/old.json", "{}\n") },
			want:  []string{"golden/one/old.json: no scenario holds anything to it. Remove it, or name it in scenarios/one.txtar"},
		},
		"a golden that is not there": {
			files: map[string]string{"scenarios/one.txtar": pinned},
			spoil: func(d *desk) { d.remove("golden/one/whole.md") },
			want:  []string{"there is no golden ", "golden/one/whole.md; run with -update to write it"},
		},
		"one that varies": {
			files: map[string]string{"scenarios/one.txtar": pinned,
				"dsh.hcl": strings.Replace(guardedConfig, "Never push.", "Look at /tmp/go-test-script42/x.", 1)},
			want: []string{"golden/one/whole.md: it holds a temporary folder, which is another one in every run: /tmp/go-test-script", "take out of it what varies"},
		},
		"the same twice": {
			files: map[string]string{"scenarios/one.txtar": pinned + "header golden first\nsend more\nheader golden second\n"},
			want:  []string{"golden/one/second.json: it is the same as golden/one/first.json, byte for byte: one of them pins nothing new. Keep one"},
		},
		"one that pins nothing": {
			files: map[string]string{
				"scenarios/one.txtar": pinned,
				"scenarios/two.txtar": "session empty empty.jsonl\nhistory golden nothing\n\n-- empty.jsonl --\n" +
					`{"type":"session","version":1,"id":"empty","createdAt":1,"cwd":"/w","agent":"a","configDigest":"d"}` + "\n",
			},
			want: []string{"golden/two/nothing.md: it is a history without a message and pins nothing. Pin something else"},
		},
	} {
		d := newDesk(t)
		d.file("dsh.hcl", guardedConfig)
		for path, text := range c.files {
			d.file(path, text)
		}
		d.run("test", "--update")
		if c.spoil != nil {
			c.spoil(d)
		}
		o := d.run("test")
		code := 1
		if len(c.want) == 0 {
			code = 0
		}
		t.Log(name)
		d.want(o, code, c.want...)
		if c.spoil == nil && strings.Contains(o.stdout, "differs from golden") {
			t.Errorf("%s: what --update wrote does not hold:\n%s", name, o.stdout)
		}
	}
}

// remove removes a file below the desk's folder.
func (d *desk) remove(name string) {
	d.t.Helper()
	if err := os.Remove(filepath.Join(d.dir, name)); err != nil {
		d.t.Fatal(err)
	}
}

// A log that something else writes into between two turns no longer tells what was
// sent. No line of the scenario asks, and a ! in front of send does not help.
func TestGuardOfTheLog(t *testing.T) {
	for name, change := range map[string]string{
		"a prompt is another one": "s/review this/admire this/",
		"a header is another one": "s/Never push/Always push/",
		"an answer is gone":       "/assistant.message/d",
		"a line is broken":        "s/^.*step.start.*$/{/",
	} {
		d := newDesk(t)
		d.file("dsh.hcl", guardedConfig)
		for _, line := range []string{"send again", "! send again"} {
			d.file("scenarios/tampered.txtar", "# It is as it was sent.\nagent a\nsend 'review this'\n"+
				"exec sh -c 'f=$(ls $XDG_STATE_HOME/dsh/sessions/*/*.jsonl); sed \"$1\" $f >t; cat t >$f' sh '"+change+"'\n"+
				line+"\nreproducible\n")
			t.Log(name)
			d.want(d.run("test", "--trust"), 1, "promised: It is as it was sent.", "line:     "+line, "send: ",
				"Run it again with dsh test -work, look at the log with dsh verify and dsh log, and report what you find.")
		}
	}
}
