package scenarios

import (
	"fmt"

	"github.com/dsh-hcl/dsh/engine/eventlog"
	"github.com/dsh-hcl/dsh/engine/verify"
)

// guard holds the current session to what every log promises, in every scenario,
// after every turn: the invariants, and that each request can be rebuilt from the
// log alone. It needs no line of the script and cannot be negated.
func (w *world) guard() error {
	path := w.opened.Session.Log.Path()
	b, err := eventlog.Disk{}.Read(path)
	if err != nil {
		return misusef("a turn ended, and its log cannot be read: %v", err)
	}
	c := &current{path: path, text: string(b)}
	scan, err := eventlog.ScanText(path, c.text)
	if err != nil {
		return misusef("%v", err)
	}
	c.events = scan.Events
	if v := verify.Check(c.events, true); v != nil {
		return misusef("%v", v)
	}
	report, err := verify.Log(c.path, c.text)
	if err != nil {
		return misusef("%v", err)
	}
	for _, r := range report.Requests {
		if r.Err != nil || r.Difference != nil {
			return misusef("request %d cannot be reproduced: %s", r.Number, reason(r))
		}
	}
	for _, d := range report.Damage {
		return misusef("%v", d.Err)
	}
	return nil
}

func reason(r verify.Request) string {
	if r.Err != nil {
		return r.Err.Error()
	}
	return fmt.Sprint(r.Difference)
}
