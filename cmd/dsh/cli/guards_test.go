package cli_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// Guards of dsh test, each proven by what it is to stop: scenarios that check
// nothing, misspelt words that would hold for ever when negated, programs that
// nobody trusted, goldens rewritten behind somebody's back.
func TestGuardsOfTest(t *testing.T) {
	d := newDesk(t)
	d.want(d.run("init"), 0)
	for _, c := range []struct{ script, want string }{
		{"", "asserts nothing"},
		{"# only a comment\n", "asserts nothing"},
		{"agent reviewer\n", "asserts nothing"},
		{"agent reviewer\nsend hi\nstop\n", "asserts nothing"},
		{"agent reviewer\nsend hi\n! event tool/cal\n", `no events of type "tool/cal"`},
		{"agent reviewer\nsend hi\nevent assitant/message count == 0\n", `no events of type "assitant/message"`},
		{"agent reviewer\nsend hi\nevents turn/start turn/edn\n", `no events of type "turn/edn"`},
		{"agent reviewer\nsend hi\n! turn end complete\n", `a turn never ends as "complete"`},
		{"agent reviewer\nsend hi\n! header has systm\n", `never has a field "systm"`},
		{"agent reviewer\nsend hi\n! header reason intial\n", `no header is logged for reason "intial"`},
		{"agent reviewer\nsend hi\n! prefix ordre text.rules\n", `there is no form "ordre"`},
		{"agent reviewer\nsend hi\n! request golden first\n", "! has no meaning in front of this line"},
		{"agent reviewer\nsend hi\n! header golden first\n", "! has no meaning in front of this line"},
		{"agent reviewer\nsend hi\n! log golden first\n", "! has no meaning in front of this line"},
		{"agent reviewer\nsend hi\n! history golden first\n", "! has no meaning in front of this line"},
		{"agent reviewer\nsend hi &\nturn end completed\n", "has an end that no line looks at"},
		{"agent reviewer\ncancel at tool\n! stdout x\n", "never came to the point tool"},
		{"agent reviewer -model other.hcl\nsend hi\nturn end completed\n", "other.hcl"},
		{"agent reviewer\nsend hi\nturn end completed\n-- model.hcl --\nreply { text = \"a\" }\nreply {\n  text = \"b\"\n  expect { contains = \"x\" }\n}\n", "no request came to it"},
		{"agent reviewer\nsend hi\nturn end completed\n-- modell.hcl --\nreply { text = \"a\" }\n", "did you mean model.hcl?"},
		{"agent reviewer\nsend hi\nresume\nheader reason initial\n", "has composed nothing yet"},
		{"agent reviewer\nsend hi\n! code PROVIDER_ERROR\n", "did not fail"},
		{"agent reviewer\nsend hi\nheader drift txt.rules\n", "txt.rules"},
		{"agent reviewer\nsend hi\nresume\nsend hi\nheader drift none\n", ""},
		{"agent reviewer\nsend hi\nheader drift none\n", "none before it that anything could differ from"},
		{"agent reviewer\nsend hi\n[linux] stop\nstdout NEVER\n", "asserts nothing"},
		{"[!exec:nosuchprogram] stop\nagent reviewer\nsend hi\nstdout x\n", "asserts nothing"},
		{"[windows] skip\nagent reviewer\nsend hi\nturn end completed\n", ""},
		{"! agent nosuch\n", "asserts nothing"},
		{"! dsh nonsense\n", "asserts nothing"},
		{"! dsh nonsense\nexit 2\n", ""},
		{"exit 0\nagent reviewer\nsend hi\n", "no line before it ran dsh"},
		{"agent reviewer\nexit 0\n", "no line before it ran dsh"},
		{"agent reviewer\nsend hi\nstdout $TYPO\n", "line 3: no line sets the variable $TYPO"},
		{"agent reviewer\nsend hi\nstdout ''\n", "matches everything"},
		{"agent reviewer\nsend hi\nrequest text 1 ''\n", "matches everything"},
		{"agent reviewer\nsend hi\nprefix text text.rules ''\n", "matches everything"},
		{"agent reviewer\nsend hi\n! prefix has rules\n", "no such contributor"},
		{"agent reviewer\nsend hi\n! prefix has system.text.persona\n", "no such contributor"},
		{"agent reviewer\nsend hi\n! prefix order text.rules\n", ""},
		{"agent reviewer\nsend hi\nresume\nsend hi\n! header drift rules\n", "nothing drifted as"},
		{"agent reviewer\nsend hi\n! cache hit-ratio 1 '>=' NaN\n", "is no ratio"},
		{"agent reviewer\nsend hi\ntokens output '>=' 0\n", "never negative"},
		{"agent reviewer\nsend hi\nrequest bytes 1 '>' -5\n", "never negative"},
		{"agent reviewer\nsend hi\nevent tool/call count '>=' 0\n", "never negative"},
		{"agent reviewer\nsend hi\nturn end completed\nref last\n", "it has no references block"},
		{"agent b\nsend hi\nturn end completed\nref last\n-- dsh.hcl --\nprovider \"p\" { protocol = \"openai\" }\nmodel \"m\" {\n  provider = provider.p\n  id = \"m\"\n}\nagent \"b\" {\n  model = model.m\n  references {}\n}\n", "none follows"},
		{"agent reviewer\nsend hi\nsend two &\nstdout .\nsettle\n", "no match"},
		{"agent reviewer\nsend hi\n! stdout x\nrm .tmp/state\nsend two\n", "was removed or replaced"},
		{"agent reviewer\nsend hi &\ncrash\nevent request/sent\n-- model.hcl --\nreply {\n  text = \"b\"\n  expect { contains = \"SECRET\" }\n}\n", "expects"},
		{"agent reviewer\nsend hi &\ndispose\nevent request/sent\n-- model.hcl --\nreply {\n  text = \"b\"\n  delay = \"1m\"\n  expect { contains = \"SECRET\" }\n}\n", "expects"},
		{"agent reviewer\nsend hi\n-- other/model.hcl --\nreply {\n  text = \"b\"\n  expect { contains = \"SECRET\" }\n}\n", "asserts nothing"},
		{"agent reviewer -model model2.hcl\nsend hi\nstdout ^b$\n-- model2.hcl --\nreply { text = \"b\" }\n", ""},
		{"env DSH_STORE=$WORK/other\nagent reviewer\nsend hi\nreproducible\n", ""},
	} {
		d.file("scenarios/try.txtar", c.script)
		o := d.run("test", "--run", "^try$")
		if c.want == "" {
			d.want(o, 0)
			continue
		}
		d.want(o, 1, c.want)
	}
	d.file("scenarios/try.txtar", "skip\n! stdout x\n")
	d.want(d.run("test", "--run", "^try$"), 1, "nothing was checked")

	// Programs run only where they are trusted.
	d.file("scenarios/try.txtar", "exec touch "+d.home+"/stolen\n! stdout x\n")
	d.want(d.run("test"), 3, "are not trusted", "exec touch", "scenarios/try.txtar:1")
	d.want(d.run("trust", "--show"), 3, "exec touch")
	d.want(d.run("test", "--trust", "--run", "^try$"), 0)
	d.want(d.run("trust"), 0, "exec touch")
	d.want(d.run("test", "--run", "^try$"), 0)
	d.file("scenarios/try.txtar", "exec touch "+d.home+"/other\n! stdout x\n")
	d.want(d.run("test"), 3, "are not trusted")

	// A scenario rewrites nothing outside of its folder, in CI or not.
	d.file("scenarios/try.txtar", "! dsh test --update --run review $PROJECT\nexit 3\nstderr 'runs no scenarios outside of its own folder'\n")
	d.want(d.run("test", "--run", "^try$"), 0)
	for _, mode := range []string{"no", "off", "yes"} {
		d.env["DSH_UPDATE"] = mode
		d.want(d.run("test"), 2, "DSH_UPDATE is 1, 0 or force")
	}
}

// A scenario that nobody trusted writes nothing outside of its folder: lines that
// could ask for trust, like programs, and what they cannot be asked about is refused.
func TestScenariosStayInTheirFolder(t *testing.T) {
	d := newDesk(t)
	d.want(d.run("init"), 0)
	d.file("precious", "kept\n")
	precious := filepath.Join(d.dir, "precious")
	for _, line := range []string{
		"rm " + precious, "mv " + precious + " x", "cp model.hcl " + precious, "mkdir " + d.home + "/made", "chmod 000 " + precious,
		"rm $PROJECT/precious", "rm ../../precious", "rm 'a'/../../b", "symlink out -> " + d.dir, "cd ..", "env WORK=/", "rm $WORK-x/a",
		"[unix] rm /x", "! rm $HOME/x", "unquote /x", "rm ${PROJECT}/precious", "cp /etc/hostname x", "'rm' /x", "env V=rm\n$V /x", "send @/dev/zero", "grep x /dev/zero",
	} {
		d.file("scenarios/try.txtar", line+"\n! stdout x\n")
		d.want(d.run("test", "--run", "^try$"), 3, "are not trusted", "scenarios/try.txtar:")
	}
	for _, line := range []string{"rm model.hcl", "cp $PROJECT/model.hcl x", "mkdir a/b", "rm $WORK/model.hcl"} {
		d.file("scenarios/try.txtar", line+"\n! stdout x\n")
		if o := d.run("test", "--run", "^try$"); o.code == 3 {
			t.Errorf("%s needs trust: %s", line, o.stderr)
		}
	}
	d.file("scenarios/try.txtar", "! stdout x\n-- ../../precious --\ngone\n")
	d.want(d.run("test", "--run", "^try$"), 1, `the file "../../precious" would not lie in the scenario's folder`)
	d.file("scenarios/try.txtar", "! stdout x\n-- $PROJECT/precious --\ngone\n")
	d.want(d.run("test", "--run", "^try$"), 1, "would not lie in the scenario's folder")
	for _, script := range []string{
		"env XDG_STATE_HOME=" + d.home + "\n! dsh run hi\nstderr 'writes nothing outside'\n",
		"env DSH_STORE=" + d.home + "\n! dsh sessions prune --all --keep 0\nstderr 'writes nothing outside'\n",
		"env XDG_STATE_HOME=" + d.home + "\n! dsh trust\nstderr 'writes nothing outside'\n",
		"dsh run -q hi\n! dsh sessions export last " + d.home + "/x\nstderr 'writes nothing outside'\n",
		"! dsh init " + d.home + "/x\nstderr 'writes nothing outside'\n",
	} {
		d.file("scenarios/try.txtar", script)
		d.want(d.run("test", "--trust", "--run", "^try$"), 0)
	}
	if _, err := os.Stat(d.home + "/x"); err == nil {
		t.Error("a scenario made a folder outside of its own")
	}
	if b, err := os.ReadFile(precious); err != nil || string(b) != "kept\n" {
		t.Errorf("a scenario reached %s: %q, %v", precious, b, err)
	}
}

// What lies below scenarios/ and was meant to run runs, or the run says why it cannot.
func TestEveryScenarioRuns(t *testing.T) {
	for _, c := range []struct {
		make func(t *testing.T, dir string) error
		want string
	}{
		{func(_ *testing.T, dir string) error { return os.Symlink(dir, filepath.Join(dir, "scenarios/team")) }, "symbolic link"},
		{func(_ *testing.T, dir string) error {
			return os.Symlink(filepath.Join(dir, "nothing"), filepath.Join(dir, "scenarios/x.txtar"))
		}, "symbolic link"},
		{func(_ *testing.T, dir string) error {
			return syscall.Mkfifo(filepath.Join(dir, "scenarios/x.txtar"), 0o600)
		}, "no plain file"},
		{func(_ *testing.T, dir string) error {
			return os.WriteFile(filepath.Join(dir, "scenarios/x.TXTAR"), nil, 0o600)
		}, "write its ending as .txtar"},
		{func(_ *testing.T, dir string) error {
			return os.WriteFile(filepath.Join(dir, "scenarios/.txtar"), nil, 0o600)
		}, "it has no name"},
		{func(_ *testing.T, dir string) error {
			return os.WriteFile(filepath.Join(dir, "scenarios/goldens.txtar"), nil, 0o600)
		}, "wrong with the goldens"},
		{func(_ *testing.T, dir string) error {
			return os.WriteFile(filepath.Join(dir, "scenarios/a\nb.txtar"), nil, 0o600)
		}, "control characters"},
		{func(_ *testing.T, dir string) error {
			os.Mkdir(filepath.Join(dir, "scenarios/review"), 0o700)
			return os.WriteFile(filepath.Join(dir, "scenarios/review/b.txtar"), nil, 0o600)
		}, "are one in reports"},
	} {
		d := newDesk(t)
		d.want(d.run("init"), 0)
		if err := c.make(t, d.dir); err != nil {
			t.Fatal(err)
		}
		report := filepath.Join(d.dir, "report.xml")
		d.file("report.xml", "<green/>")
		d.want(d.run("test", "--junit", report), 1, c.want)
		if _, err := os.Stat(report); err == nil {
			t.Errorf("%s: the report of an earlier run is still there", c.want)
		}
	}
}
