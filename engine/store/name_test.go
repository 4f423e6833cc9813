package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/eventlog"
	"github.com/dsh-hcl/dsh/engine/msg"
)

// A session of the reference lies under the name that the reference gives it (S73:
// no id leaves its folder). It is listed, found, read and folded, and never
// written.
func TestVersion0InStore(t *testing.T) {
	for _, c := range []struct{ id, name string }{
		{"0c942a69-9eee-49c9-ac37-85eece6a56d0", "0c942a69-9eee-49c9-ac37-85eece6a56d0"},
		{"sess/1", "sess~002F1"},
		{"a.b_c-D9", "a.b_c-D9"},
		{".", "~002E"}, {"..", "~002E~002E"}, {"...", "..."},
		{"../../etc", "..~002F..~002Fetc"},
		{"a~b", "a~007Eb"}, {"a\x00b", "a~0000b"}, {"会🙂", "~4F1A~D83D~DE42"},
	} {
		p := newPlace(t)
		path := filepath.Join(filepath.Dir(p.path("/work", "")), c.name+".jsonl")
		content := `{"type":"session","version":0,"id":` + canon.Quote(c.id) + `,"createdAt":5,"cwd":"/work"}` + "\n" +
			`{"type":"turn/start","seq":0,"time":6,"data":{"turn":1}}` + "\n" + "torn"
		p.write(path, content)
		st := p.store()
		e, err := st.Find(c.id, "/work")
		if err != nil || e.Path != path || e.Header != (eventlog.Header{ID: c.id, CreatedAt: 5, Cwd: "/work"}) {
			t.Errorf("%q: %+v, %v", c.id, e, err)
			continue
		}
		if e, err := st.Find("last", "/work"); err != nil || e.Path != path {
			t.Errorf("%q: last is %+v, %v", c.id, e, err)
		}
		scan, _, err := st.Read(e)
		if err != nil || len(scan.Events) != 1 || !scan.Torn {
			t.Errorf("%q: %v", c.id, err)
		}
		state, h, err := st.Fold(e)
		if turn, _ := state.Open(); err != nil || turn != 1 || h.ID != c.id {
			t.Errorf("%q: open turn %d, %v", c.id, turn, err)
		}
		var readOnly *eventlog.ReadOnlyError
		if _, err := st.Resume(e); !errors.As(err, &readOnly) || readOnly.Path != path || msg.CodeOf(err) != "LOG_READ_ONLY" {
			t.Errorf("%q: resumed, %v", c.id, err)
		}
		if _, err := st.Repair(e); !errors.As(err, &readOnly) {
			t.Errorf("%q: repaired, %v", c.id, err)
		}
		if b, err := os.ReadFile(path); err != nil || string(b) != content {
			t.Errorf("%q: the file was changed, %v", c.id, err)
		}
		if files, err := os.ReadDir(filepath.Dir(path)); err != nil || len(files) != 1 {
			t.Errorf("%q: left %v, %v", c.id, files, err)
		}
	}
}
