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
		"no full pin, and a scenario that is skipped": {
			files: map[string]string{"scenarios/one.txtar": "agent a\nsend hi\nheader golden short\n", "scenarios/two.txtar": "skip later\nagent a\nsend hi\nheader golden -full whole\n"},
			want:  []string{"no scenario pins the initial header of agent a in full"},
		},
		"a full pin that is skipped here": {
			files: map[string]string{"scenarios/one.txtar": "agent a\nsend hi\nheader golden short\n", "scenarios/two.txtar": "[gc] skip elsewhere\nagent a\nsend hi\nheader golden -full whole\n"},
			spoil: func(d *desk) { d.file("golden/two/whole.md", "whole\n"); d.file("golden/two/whole.json", "{}\n") },
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
		"what is no golden": {
			files: map[string]string{"scenarios/one.txtar": pinned},
			spoil: func(d *desk) {
				for _, name := range []string{"x.json", "one/whole.json.orig", "one/whole.JSON.txt", "one/notes.txt", "one/dir.md/.keep"} {
					d.file("golden/"+name, "{}\n")
				}
			},
			want: []string{"golden/x.json: it is no golden", "golden/one/whole.json.orig: it is no golden", "golden/one/whole.JSON.txt: it is no golden",
				"golden/one/notes.txt: it is no golden", "golden/one/dir.md: it is a folder, and has the name of a golden", "1 passed, 1 failed"},
		},
		"what may lie beside goldens": {
			files: map[string]string{"scenarios/one.txtar": pinned},
			spoil: func(d *desk) {
				for _, name := range []string{"README.md", "prefix-moves.md", "doc.go", ".hidden", "one/.hidden"} {
					d.file("golden/"+name, "package golden\n")
				}
			},
		},
		"a golden that is not there": {
			files: map[string]string{"scenarios/one.txtar": pinned},
			spoil: func(d *desk) { d.remove("golden/one/whole.md") },
			want:  []string{"there is no golden ", "golden/one/whole.md; run with -update to write it"},
		},
		"a prompt about what varies": {
			files: map[string]string{"scenarios/one.txtar": pinned + "log golden log\nhistory golden history\nrequest golden request\n",
				"dsh.hcl": strings.Replace(guardedConfig, "Never push.", `Answer {\"time\": 12, \"durationMs\": 7}, write into /tmp/script-out or /tmp/go-test-script42/x.`, 1)},
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

// A golden that holds the folder of one run, in a form that nothing replaces, holds in no
// other run.
func TestGuardOfWhatVaries(t *testing.T) {
	d := newDesk(t)
	d.file("dsh.hcl", strings.Replace(guardedConfig, "text \"rules\" { content = \"Never push.\" }",
		"command \"where\" { command = [\"sh\", \"-c\", \"pwd | tr / :\"] }", 1))
	d.file("scenarios/one.txtar", "agent a\nsend hi\nheader golden -full whole\n")
	d.want(d.run("test", "--trust", "--update"), 1, "golden/one/whole.md: it holds the scenario's folder, which is another one in every run: go-test-script", "take out of it what varies")
}

// What counts as the project's own text is what its own files say. A scenario that puts
// another one in front of the agent, whichever way, pins what nobody edits: the project's
// own text is then pinned nowhere, and dsh test says so.
func TestGuardOfWhatIsPinned(t *testing.T) {
	const pinned = "agent a\nsend hi\nheader golden -full whole\n"
	config := strings.Replace(guardedConfig, "  }\n}\n", "    file \"notes\" {\n      path     = \"notes.md\"\n    }\n    file \"more\" {\n      path     = \"more.md\"\n      optional = true\n    }\n    files \"docs\" { include = [\"docs/*.md\"] }\n  }\n}\n", 1)
	config = strings.Replace(config, `{ protocol = "openai" }`, "{\n  protocol = \"script\"\n  script   = \"model.hcl\"\n}", 1)
	const missing = "no scenario pins the initial header of agent a in full"
	for name, c := range map[string]struct{ script, want string }{
		"as it is":                                   {pinned, ""},
		"another scripted model":                     {pinned + "-- model.hcl --\ndefault { text = \"fine\" }\n", ""},
		"another place for the model":                {"agent a -model m.hcl\nsend hi\nheader golden -full whole\n-- m.hcl --\ndefault { text = \"fine\" }\n", ""},
		"by the command line":                        {"dsh run hi\nheader golden -full whole\n", ""},
		"resumed":                                    {pinned + "resume\nsend more\nheader reason resume\n", ""},
		"a prompt of its own":                        {pinned + "-- notes.md --\nfixed\n", missing},
		"a prompt that the project lacks":            {pinned + "-- more.md --\nfixed\n", missing},
		"a file that a pattern finds":                {pinned + "-- docs/a.md --\nfixed\n", missing},
		"one more that it finds":                     {pinned + "-- docs/b.md --\nfixed\n", missing},
		"a configuration of its own":                 {pinned + "-- dsh.hcl --\n" + guardedConfig, missing},
		"one by another name":                        {pinned + "-- ./dsh.hcl --\n" + guardedConfig, missing},
		"one that is copied":                         {"cp old.txt dsh.hcl\n" + pinned + "-- old.txt --\n" + guardedConfig, missing},
		"one that is there while it loads":           {"cp dsh.hcl own\ncp old.txt dsh.hcl\nagent a\ncp own dsh.hcl\nsend hi\nheader golden -full whole\n-- old.txt --\n" + guardedConfig, missing},
		"a prompt that is there when it is composed": {"agent a\ncp old.txt notes.md\nsend hi\nheader golden -full whole\n-- old.txt --\nfixed\n", missing},
		"more of the configuration":                  {pinned + "-- x.dsh.hcl --\nmodel \"other\" {\n  provider = provider.p\n  id       = \"x\"\n}\n", missing},
		"more of it in JSON":                         {pinned + "-- x.dsh.hcl.json --\n{\"model\":{\"other\":{\"provider\":\"${provider.p}\",\"id\":\"x\"}}}\n", missing},
		"one in another folder":                      {"cd sub\n" + pinned + "-- sub/dsh.hcl --\n" + guardedConfig, missing},
		"one that is named":                          {"dsh run --config sub hi\nheader golden -full whole\n-- sub/dsh.hcl --\n" + guardedConfig, missing},
	} {
		d := newDesk(t)
		d.file("dsh.hcl", config)
		d.file("model.hcl", "default { text = \"ok\" }\n")
		d.file("notes.md", "Be brief.\n")
		d.file("docs/a.md", "Documented.\n")
		d.file("scenarios/one.txtar", c.script)
		t.Log(name)
		d.run("test", "--update")
		if c.want == "" {
			d.want(d.run("test"), 0)
			continue
		}
		d.want(d.run("test"), 1, c.want)
	}
}

// What cmp writes into a scenario is looked at however that ends: what holds the folder of
// this run is taken back, and what stays is told.
func TestGuardOfRewrittenScenarios(t *testing.T) {
	const model = "-- model.hcl --\ndefault { text = \"fine\" }\n-- want --\nold\n"
	for name, c := range map[string]struct {
		script      string
		code        int
		back        bool
		want, never string
	}{
		"passes":                    {"agent a\nsend hi\ncmp stdout want\n", 0, false, "updated ", "FAIL"},
		"passes with a folder":      {"agent a\nsend hi\ndsh log --json\ncmp stdout want\n", 1, true, "compare with cmpenv", "updated "},
		"fails later":               {"agent a\nsend hi\ncmp stdout want\nstdout NOPE\n", 1, false, "updated ", "cmpenv"},
		"fails later with a folder": {"agent a\nsend hi\ndsh log --json\ncmp stdout want\nstdout NOPE\n", 1, true, "compare with cmpenv", "updated "},
		"skips later":               {"agent a\nsend hi\ncmp stdout want\nskip\nstdout NOPE\n", 1, false, "updated ", "cmpenv"},
		"skips later with a folder": {"agent a\nsend hi\ndsh log --json\ncmp stdout want\nskip\nstdout NOPE\n", 1, true, "compare with cmpenv", "updated "},
		"names such a folder":       {"# As in go-test-script1.\nagent a\nsend hi\ndsh log --json\ncmp stdout want\nstdout NOPE\n", 1, true, "compare with cmpenv", "updated "},
	} {
		d := newDesk(t)
		d.file("dsh.hcl", guardedConfig)
		d.file("scenarios/one.txtar", c.script+model)
		t.Log(name)
		o := d.run("test", "--update")
		d.want(o, c.code, c.want)
		if strings.Contains(o.stdout, c.never) {
			t.Errorf("%s: %q in\n%s", name, c.never, o.stdout)
		}
		b, err := os.ReadFile(filepath.Join(d.dir, "scenarios/one.txtar"))
		if err != nil || (string(b) == c.script+model) != c.back {
			t.Errorf("%s: taken back is not %v: %v\n%s", name, c.back, err, b)
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
