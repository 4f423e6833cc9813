package cli_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A log goes from an export to an import through a pipe, of this version and of the
// reference's; what is no log says what it is.
func TestImportFromPipe(t *testing.T) {
	d := newDesk(t)
	d.want(d.run("init"), 0)
	d.want(d.run("run", "one"), 0)
	exported := d.run("sessions", "export", "--exact", "last", "-").stdout
	d.want(d.runCtx(context.Background(), exported, "sessions", "import", "-"), 2, "the store has a session")
	d.want(d.run("sessions", "rm", "last"), 0)
	d.want(d.runCtx(context.Background(), exported, "sessions", "import", "-"), 0, "imported 00000000-0000-7000-8000-000000000001")
	d.want(d.run("verify"), 0, "1 request, 1 identical")
	if got := d.run("sessions", "export", "last").stdout; got != exported {
		t.Error("the log is not what was piped in")
	}
	d.want(d.runCtx(context.Background(), `{"type":"session","version":0,"id":"main","createdAt":1783310815634}`+"\n", "sessions", "import", "-"), 0, "imported main of format version 0")
	for _, text := range []string{"", "no log\n", strings.Split(exported, "\n")[0]} {
		d.want(d.runCtx(context.Background(), text, "sessions", "import", "-"), 1, "standard input is no log of a session")
	}
	damaged := strings.Replace(exported, `{"type":"step/start"`, `{"type":`, 1)
	d.want(d.runCtx(context.Background(), damaged, "sessions", "import", "-"), 1, "standard input: line")
	d.want(d.run("sessions", "import", os.DevNull), 2, "is no regular file", "read from standard input")
}

// An imported session is as old as its last event, unless that has not come yet: what
// was worked on here stays the newest.
func TestImportIsNotTheNewest(t *testing.T) {
	d := newDesk(t)
	d.want(d.run("init"), 0)
	d.want(d.run("run", "one"), 0)
	exported := d.run("sessions", "export", "--exact", "last", "-").stdout
	d.want(d.run("sessions", "rm", "last"), 0)
	d.want(d.run("run", "two"), 0)
	d.want(d.runCtx(context.Background(), exported, "sessions", "import", "-"), 0)
	d.want(d.run("log"), 0, "user: two")
	d.want(d.runCtx(context.Background(), `{"type":"session","version":0,"id":"old","createdAt":5,"cwd":"`+d.dir+`"}`+"\n"+
		`{"type":"turn/start","seq":0,"time":1483310815753,"data":{"turn":1,"trigger":{"kind":"message","source":{"kind":"user"}}}}`+"\n", "sessions", "import", "-"), 0)
	d.want(d.run("log"), 0, "user: two")
	paths, _ := filepath.Glob(filepath.Join(d.home, ".local/state/dsh/sessions/*/*.jsonl"))
	if len(paths) != 3 {
		t.Errorf("there are %v", paths)
	}
}
