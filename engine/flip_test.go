package engine_test

import (
	"os"
	"strings"
	"testing"

	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/eventlog"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/verify"
)

// session writes a small session and returns its log and the bodies it sent.
func smallSession(t *testing.T) (log string, bodies []string) {
	t.Helper()
	w := newWorld(t)
	m := &model{}
	s := w.create()
	i := w.start(w.agent(nil, []msg.Contributor{contributor("system.text.s", "System text of some length.")},
		[]msg.Contributor{contributor("text.rules", strings.Repeat("A rule to follow. ", 25)), contributor("text.more", "More rules.")}), s, m)
	for _, q := range []string{"What is in main.go?", strings.Repeat("And then? ", 40), "Thanks"} {
		send(t, i, q)
	}
	if err := i.Dispose(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(s.Log.Path())
	if err != nil {
		t.Fatal(err)
	}
	return string(b), m.bodies
}

// Every byte of a log, changed in one of three ways: the verifier never says that all is
// well, never panics, and where a request can still be rebuilt it names the first
// byte that differs from what was sent.
func TestEveryByteFlipped(t *testing.T) {
	log, bodies := smallSession(t)
	lastLine := strings.LastIndexByte(strings.TrimSuffix(log, "\n"), '\n') + 1
	exact, corrupt := 0, 0
	// The line feed before the last line is part of it: without it, the two are one
	// torn line.
	stride := 1
	if testing.Short() {
		stride = 11 // for the race detector, under which the search is slow
	}
	for at := 0; at < lastLine-1; at += stride {
		for _, to := range []byte{[]byte{log[at] ^ 1, log[at] ^ 0x20, 'x'}[at%3]} {
			if to == log[at] {
				continue
			}
			changed := log[:at] + string([]byte{to}) + log[at+1:]
			report, err := verify.Log("log", changed)
			if err != nil {
				corrupt++
				continue
			}
			if report.OK() {
				t.Fatalf("byte %d changed from %q to %q goes unnoticed", at, log[at], to)
			}
			first := true
			for _, r := range report.Requests {
				if r.Err != nil {
					continue
				}
				n := int(r.Turn) - 1 // each turn sent one request
				rebuilt := string(r.Body.Bytes())
				if rebuilt == bodies[n] {
					if r.Difference != nil && !r.Difference.Record && !r.Difference.Unsure {
						t.Fatalf("byte %d to %q: request %d is what was sent, yet %s", at, to, n+1, r.Difference)
					}
					continue
				}
				d := r.Difference
				if d == nil {
					t.Fatalf("byte %d to %q: request %d differs and counts as identical", at, to, n+1)
				}
				if !first {
					continue
				}
				first = false
				where := 0
				for where < min(len(rebuilt), len(bodies[n])) && rebuilt[where] == bodies[n][where] {
					where++
				}
				if int64(where) < d.Offset || int64(where) >= d.Offset+d.Span {
					t.Fatalf("byte %d to %q: request %d differs at %d, not in %d…%d", at, to, n+1, where, d.Offset, d.Offset+d.Span-1)
				}
				if d.Exact {
					if exact++; d.Sent != bodies[n][where] || d.Rebuilt != rebuilt[where] {
						t.Fatalf("byte %d to %q: request %d: %s", at, to, n+1, d)
					}
				} else if d.Record || len(rebuilt) == len(bodies[n]) {
					t.Fatalf("byte %d to %q: request %d differs in one byte, found only roughly: %s", at, to, n+1, d)
				}
			}
		}
	}
	if exact < 400/stride || corrupt == 0 {
		t.Errorf("only %d differences were found exactly, %d logs were corrupt: the test does not test what it says", exact, corrupt)
	}
}

// The message names the request, the byte, the part and the place in the log.
func TestDifferenceNamesThePlace(t *testing.T) {
	log, _ := smallSession(t)
	for _, c := range []struct{ old, new, want string }{
		{"More rules.", "More rulez.", `in prefix text.more`},
		{"What is in main.go?", "What is in main_go?", `in event 1 (log line 3)`},
		{"System text of", "System tent of", `in model settings, tools or system text`},
	} {
		report, err := verify.Log("log", strings.Replace(log, c.old, c.new, 1))
		if err != nil {
			t.Fatal(err)
		}
		d := report.Requests[0].Difference
		if d == nil || !d.Exact || !strings.Contains(d.String(), c.want) || !strings.HasPrefix(d.String(), "first differing byte is ") {
			t.Errorf("%s: %v, want %s", c.new, d, c.want)
		}
		for n, r := range report.Requests {
			if r.Identical() {
				t.Errorf("%s: request %d extends the first and counts as identical", c.new, n+1)
			}
		}
	}
	// A change behind the first request leaves that one identical.
	report, err := verify.Log("log", strings.Replace(log, "Thanks", "Thinks", 1))
	if err != nil || report.Identical() != 2 {
		t.Errorf("%d identical, %v", report.Identical(), err)
	}
	// A recorded digest that was changed is told from a changed message.
	scan, err := eventlog.ScanText("log", log)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range scan.Events {
		if e.Type == "request/sent" {
			sum := event.ParseRequestSent(e.Data).SHA256
			report, err := verify.Log("log", strings.Replace(log, sum[:8], "00000000", 1))
			if err != nil || report.OK() {
				t.Errorf("a changed digest: %v", err)
			}
		}
	}
}
