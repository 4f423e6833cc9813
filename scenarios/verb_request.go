package scenarios

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/verify"
	"github.com/dsh-hcl/dsh/golden"
)

func requestVerb() verb {
	return verb{
		name:    "request",
		asserts: true,
		usage:   []string{"[!] request count N", "[!] request extends N M", "[!] request text N REGEXP", "[!] request bytes N OP VALUE", "request golden NAME [N]"},
		help:    "Holds when the session sent that many requests; request N begins with all of request M up to its last message; the body of request N matches the expression; its length compares so; request N, the last one without N, is what golden/SCENARIO/NAME.json pins, a line for each tool and message. Requests count from 1 and are those that arrived at the model; those that a fork copied from its parent count as well.",
		run: func(w *world, ts *testscript.TestScript, args []string) error {
			if err := need(args, 2, 4); err != nil {
				return err
			}
			bodies, err := w.bodies(ts)
			if err != nil {
				return notYet(err)
			}
			nth := func(arg string) ([]byte, error) {
				n, err := strconv.Atoi(arg)
				if err != nil || n < 1 || n > len(bodies) {
					return nil, misusef("there is no request %s: %d were sent", arg, len(bodies))
				}
				return bodies[n-1], nil
			}
			switch args[0] {
			case "count":
				n, err := strconv.Atoi(args[1])
				if err != nil || len(args) != 2 {
					return misusef("count wants one number")
				}
				if len(bodies) != n {
					return fmt.Errorf("%d requests were sent, not %d", len(bodies), n)
				}
			case "extends":
				if err := need(args, 3, 3); err != nil {
					return err
				}
				longer, err := nth(args[1])
				if err != nil {
					return err
				}
				shorter, err := nth(args[2])
				if err != nil {
					return err
				}
				if err := later(args[1], args[2]); err != nil {
					return err
				}
				return extends(longer, shorter)
			case "text":
				if err := need(args, 3, 3); err != nil {
					return err
				}
				body, err := nth(args[1])
				if err != nil {
					return err
				}
				re, err := expression(args[2])
				if err != nil {
					return err
				}
				if !re.Match(body) {
					return fmt.Errorf("the body of request %s does not match %q; it is:\n%s", args[1], args[2], body)
				}
			case "bytes":
				if err := need(args, 4, 4); err != nil {
					return err
				}
				body, err := nth(args[1])
				if err != nil {
					return err
				}
				n, err := strconv.Atoi(args[3])
				if err != nil {
					return misusef("%q is no number of bytes", args[3])
				}
				if err := tells(args[2], int64(n)); err != nil {
					return err
				}
				return compares(fmt.Sprintf("request %s has %d bytes", args[1], len(body)), len(body), args[2], n)
			case "golden":
				if err := need(args, 2, 3); err != nil {
					return err
				}
				n := strconv.Itoa(len(bodies))
				if len(args) == 3 {
					n = args[2]
				}
				body, err := nth(n)
				if err != nil {
					return err
				}
				text, err := golden.Request(string(body), w.varying())
				if err != nil {
					return err
				}
				return w.golden(args[1], ".json", text, false)
			default:
				return unknownForm(args[0], "count", "extends", "text", "bytes", "golden")
			}
			return nil
		},
	}
}

// later holds a comparison of two requests to the order in which they were sent.
func later(longer, shorter string) error {
	n, _ := strconv.Atoi(longer)
	m, _ := strconv.Atoi(shorter)
	if n <= m {
		return misusef("request %d does not come behind request %d", n, m)
	}
	return nil
}

// extends compares two bodies up to the end of the shorter one's last message.
func extends(longer, shorter []byte) error {
	head := headOf(shorter)
	if len(head) == len(shorter) {
		return fmt.Errorf("the earlier body does not end its messages where the protocol says")
	}
	if at := firstDifference(longer, head); at >= 0 {
		return fmt.Errorf("the first difference is at byte %d of %d:\n  earlier  %s\n  later    %s", at, len(head), window(head, at), window(longer, at))
	}
	return nil
}

// breakpoint is the one that moves, at the end of what the messages protocol sends.
var breakpoint = regexp.MustCompile(`,"cache_control":\{[^{}]*\}$`)

// isMessages reports whether a body is one of the messages protocol.
func isMessages(body []byte) bool {
	return !bytes.Contains(body[:min(len(body), 1000)], []byte(`"stream_options":`))
}

// headOf is a body without what closes it: all that the next one begins with, or all of
// it when it does not end as its protocol says.
func headOf(body []byte) []byte {
	if isMessages(body) {
		if head, ok := bytes.CutSuffix(body, []byte("}]}]}")); ok {
			return head[:len(head)-len(breakpoint.Find(head))]
		}
	}
	return bytes.TrimSuffix(body, []byte("]}"))
}

// firstDifference is the offset of the first byte of head that longer does not begin
// with, -1 when it begins with all of it.
func firstDifference(longer, head []byte) int {
	for i := range head {
		if i >= len(longer) || longer[i] != head[i] {
			return i
		}
	}
	return -1
}

// window is what stands around an offset, quoted.
func window(b []byte, at int) string {
	from, to := max(at-30, 0), min(at+30, len(b))
	if from >= to {
		return "ends before"
	}
	return strconv.Quote(string(b[from:to]))
}

// bodies are the requests of the current session as they arrived, in the order of
// the log; one that an interrupted turn kept from arriving is left out.
func (w *world) bodies(ts *testscript.TestScript) ([][]byte, error) {
	c, err := w.current(ts)
	if err != nil {
		return nil, err
	}
	all, err := w.arrived(c)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(b []byte) bool { return b == nil }), nil
}

// arrived are the bodies of a session's requests as they arrived at the model, in
// the order of the log; nil for one that never did and was never answered. One that
// was answered and did not arrive is an error.
func (w *world) arrived(c *current) ([][]byte, error) {
	arrived := map[string][]byte{}
	for _, b := range w.requests() {
		sum := sha256.Sum256(b)
		arrived[hex.EncodeToString(sum[:])] = b
	}
	var out [][]byte
	for i, e := range c.ofType("request/sent") {
		p := event.ParseRequestSent(e.Data)
		b, ok := arrived[p.SHA256]
		if _, answered := c.answerTo(e); !ok && answered && e.Seq >= c.scan.Header.SeedLength {
			return nil, fmt.Errorf("the log names a request %d that was answered and never arrived at the model", i+1)
		}
		out = append(out, b)
	}
	return out, nil
}

func reproducibleVerb() verb {
	return verb{
		name:    "reproducible",
		asserts: true,
		usage:   []string{"[!] reproducible"},
		help:    "Holds when every request of the session, rebuilt from the log alone, is what arrived at the model, byte for byte.",
		run: func(w *world, ts *testscript.TestScript, args []string) error {
			if err := need(args, 0, 0); err != nil {
				return err
			}
			c, err := w.current(ts)
			if err != nil {
				return notYet(err)
			}
			report, err := verify.Log(c.path, c.text)
			if err != nil {
				return err
			}
			for _, d := range report.Damage {
				return d.Err
			}
			if len(report.Requests) == 0 {
				return misusef("the session has sent no request")
			}
			for _, r := range report.Requests {
				if r.Err != nil {
					return fmt.Errorf("request %d cannot be rebuilt: %w", r.Number, r.Err)
				}
				if r.Difference != nil {
					return fmt.Errorf("request %d: %s", r.Number, r.Difference)
				}
			}
			bodies, err := w.arrived(c)
			if err != nil {
				return err
			}
			for i, r := range report.Requests {
				if bodies[i] != nil && !bytes.Equal(r.Body.Bytes(), bodies[i]) {
					return fmt.Errorf("request %d, rebuilt, is not what arrived at the model", r.Number)
				}
			}
			return nil
		},
	}
}
