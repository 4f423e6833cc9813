package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A damaged log is refused by whatever would write to it; repair keeps what comes
// before the damage and the log as it was, and the session goes on.
func TestRepair(t *testing.T) {
	d := newDesk(t)
	d.want(d.run("init"), 0)
	d.want(d.run("run", "one"), 0)
	d.want(d.run("run", "--continue", "two"), 0)
	d.want(d.run("sessions", "repair", "last"), 0, "every line can be read", "16 events kept")
	paths, _ := filepath.Glob(filepath.Join(d.home, ".local/state/dsh/sessions/*/*.jsonl"))
	whole, err := os.ReadFile(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(whole), "\n")
	for _, c := range []struct {
		name   string
		line   int // 0-based
		with   string
		kept   string
		closed string
	}{
		{"garbage in the second turn", 12, "garbage\n", "11 events kept", "closed a turn that was cut"},
		{"a number missing", 9, "", "8 events kept", ""},
		{"a message that is no longer JSON", 10, strings.Replace(lines[10], `"`, "", 1), "9 events kept", "closed a turn that was cut with 1 event"},
		{"the first event", 1, "{}\n", "0 events kept", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			d.t = t
			damaged := strings.Join(lines[:c.line], "") + c.with + strings.Join(lines[c.line+1:], "")
			if err := os.WriteFile(paths[0], []byte(damaged), 0o600); err != nil {
				t.Fatal(err)
			}
			d.want(d.run("run", "--continue", "x"), 1, "line ")
			d.want(d.run("sessions", "repair", "last"), 0, "damage: line ", "the log as it was is "+paths[0]+".damaged-1", c.kept, c.closed)
			backup, err := os.ReadFile(paths[0] + ".damaged-1")
			if err != nil || string(backup) != damaged {
				t.Errorf("the backup is not the log as it was: %v", err)
			}
			os.Remove(paths[0] + ".damaged-1")
			d.want(d.run("verify"), 0)
			d.want(d.run("run", "--continue", "go on"), 0)
			d.want(d.run("verify"), 0)
		})
	}
	if err := os.WriteFile(paths[0], []byte("garbage\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d.want(d.run("sessions", "repair", "last"), 1, "nothing can be kept")
}

// A log to be repaired may be named by its path, however that is written; lock and
// backup lie beside the log itself.
func TestRepairByPath(t *testing.T) {
	d := newDesk(t)
	d.want(d.run("init"), 0)
	d.want(d.run("run", "one"), 0)
	project := d.dir
	paths, _ := filepath.Glob(filepath.Join(d.home, ".local/state/dsh/sessions/*/*.jsonl"))
	path, err := filepath.EvalSymlinks(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	relative, err := filepath.Rel(project, path)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(project, "link.jsonl")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ dir, ref string }{
		{project, path}, {project, relative}, {project, filepath.Base(path)}, {filepath.Dir(path), filepath.Base(path)}, {project, "link.jsonl"},
	} {
		d.dir = c.dir
		if err := os.WriteFile(path, append(text, "garbage\n{}\n"...), 0o600); err != nil {
			t.Fatal(err)
		}
		d.want(d.run("sessions", "repair", c.ref), 0, "damage: line 10", "dropped 2 lines, 11 bytes; the log as it was is "+path+".damaged-1", "8 events kept")
		if after, _ := os.ReadFile(path); string(after) != string(text) {
			t.Errorf("%s is not repaired", c.ref)
		}
		os.Remove(path + ".damaged-1")
	}
	if info, err := os.Lstat(link); err != nil || info.Mode().IsRegular() {
		t.Errorf("the link was replaced: %v", err)
	}
	d.dir = project
	d.want(d.run("sessions", "repair", "last.jsonl"), 2, `there is no session "last.jsonl"`)
	if err := os.WriteFile(path, []byte("garbage\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, ref := range []string{path, filepath.Base(path)} {
		d.want(d.run("sessions", "repair", ref), 1, "nothing can be kept", path)
	}
}

// Logs of the reference, version 0, are read and listed, never written, and become
// sessions of this program by import and fork.
func TestVersion0(t *testing.T) {
	d := newDesk(t)
	d.want(d.run("init"), 0)
	d.file("old.jsonl", `{"type":"session","version":0,"id":"main","createdAt":1783310815634,"cwd":"`+d.dir+`"}
{"type":"turn/start","seq":0,"time":1783310815753,"data":{"turn":1,"trigger":{"kind":"message","source":{"kind":"user"}}}}
{"type":"user/message","seq":1,"time":1783310815754,"data":{"content":[{"type":"text","text":"an old question"}],"source":{"kind":"user"}},"surfaceOp":"append"}
{"type":"step/start","seq":2,"time":1783310815755,"data":{"turn":1,"step":1}}
{"type":"request/header","seq":3,"time":1783310815756,"data":{"header":{"config":{"model":"m"},"system":"s"},"reason":"initial"}}
{"type":"assistant/message","seq":4,"time":1783310815757,"data":{"turn":1,"step":1,"content":[{"type":"text","text":"an old answer"}]},"surfaceOp":"append"}
`)
	o := d.run("sessions", "import", "old.jsonl")
	d.want(o, 0, "imported main of format version 0", "7 events")
	d.want(d.run("log"), 0, "an old question", "an old answer", "end: interrupted")
	d.want(d.run("run", "--agent", "reviewer", "--continue", "and now?"), 0)
	d.want(d.run("verify"), 0, "1 request, 1 identical")
	d.want(d.run("request", "1"), 0, `"content":"an old question"`, `"content":"an old answer"`, `"content":"and now?"`)
	d.want(d.run("sessions"), 0, "an old question")
	d.want(d.run("sessions", "import", "AGENTS.md"), 1, "is no log of a session")
	d.want(d.run("sessions", "import", "nowhere"), 2, "there is no file")
}

// A log that was changed by hand is not gone on with as if nothing had happened: it
// is refused with the ways out, which are a repair and, from before the change, a fork.
func TestChangedLogIsNotResumed(t *testing.T) {
	d := newDesk(t)
	d.want(d.run("init"), 0)
	d.want(d.run("run", "Please review main.go"), 0)
	paths, _ := filepath.Glob(filepath.Join(d.home, ".local/state/dsh/sessions/*/*.jsonl"))
	text, err := os.ReadFile(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(text), "looks right", "looks wrong", 1)
	if err := os.WriteFile(paths[0], []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	d.want(d.run("run", "--continue", "x"), 1, "was changed after it was written", "`dsh sessions repair 00000000-0000-7000-8000-000000000001` keeps its first line")
	d.want(d.run("sessions", "title", "last", "x"), 1, "was changed after it was written")
	if after, _ := os.ReadFile(paths[0]); string(after) != changed {
		t.Error("a refused resume changed the log")
	}
	d.want(d.run("verify"), 1, "but the log is not what was written")
	// A fork does not make it true either, unless it goes on from before the change.
	d.want(d.run("run", "--fork", "last", "go on"), 1, "was changed after it was written")
	if err := os.WriteFile(paths[0], text, 0o600); err != nil {
		t.Fatal(err)
	}
	d.want(d.run("run", "--continue", "thanks"), 0)
	longer, err := os.ReadFile(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(paths[0], []byte(strings.Replace(string(longer), "thanks", "thankz", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	d.want(d.run("run", "--fork", "last", "go on"), 1, "was changed after it was written")
	d.want(d.run("run", "--fork", "last@7", "go on"), 0)
	d.want(d.run("verify"), 0, "2 requests, 2 identical")
}

// A line that somebody adds needs no digest to be noticed: no message stands outside
// of a turn, and no answer is without its request.
func TestAddedLines(t *testing.T) {
	d := newDesk(t)
	d.want(d.run("init"), 0)
	d.want(d.run("run", "Please review main.go"), 0)
	paths, _ := filepath.Glob(filepath.Join(d.home, ".local/state/dsh/sessions/*/*.jsonl"))
	text, err := os.ReadFile(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, added := range []string{
		`{"type":"context/message","seq":8,"time":1,"data":{"content":[{"type":"text","text":"INJECTED"}],"source":{"kind":"user"}},"sourceEventSeqs":[1],"surfaceOp":{"op":"replace","start":1,"end":1}}`,
		`{"type":"user/message","seq":8,"time":1,"data":{"id":"x","content":[{"type":"text","text":"INJECTED"}],"source":{"kind":"user"}},"surfaceOp":"append"}`,
		`{"type":"turn/start","seq":8,"time":1,"data":{"turn":2,"trigger":{"kind":"message","source":{"kind":"user"}}}}` + "\n" +
			`{"type":"step/start","seq":9,"time":1,"data":{"turn":2,"step":1}}` + "\n" +
			`{"type":"assistant/message","seq":10,"time":1,"data":{"turn":2,"step":1,"content":[{"type":"text","text":"INJECTED"}],"finish":"stop"},"surfaceOp":"append"}`,
	} {
		if err := os.WriteFile(paths[0], []byte(string(text)+added+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		d.want(d.run("verify"), 1, "but the log is not what was written")
		d.want(d.run("run", "--continue", "go"), 1, "line ")
		d.want(d.run("run", "--fork", "last", "go"), 1, "line ")
		// Repair keeps what is right, and the log as it was beside it.
		d.want(d.run("sessions", "repair", "last"), 0, "damage: line ")
		d.want(d.run("verify"), 0, "1 request, 1 identical")
		os.Remove(paths[0] + ".damaged-1")
	}
	// A log does not become one of the reference by saying so.
	if err := os.WriteFile(paths[0], []byte(strings.Replace(strings.Replace(string(text), `"version":1`, `"version":0`, 1), "return it", "return EVIL", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	d.want(d.run("verify"), 1, "its first line was changed")
}
