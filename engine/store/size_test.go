//go:build unix

package store_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/eventlog"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/session"
	"github.com/dsh-hcl/dsh/engine/store"
)

// longLog writes a log of about n events of about 500 bytes, most of them of no
// message, and returns where it lies. chunks is how many there are for each
// message.
func longLog(t testing.TB, n, chunks int) store.Entry {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sessions", "_no-cwd", "long.jsonl")
	log := eventlog.New(path, eventlog.Header{ID: "long", CreatedAt: 1, Agent: "a", ConfigDigest: "d"}, eventlog.Options{Files: eventlog.Disk{}, Now: func() int64 { return 1767323045000 }})
	content, err := msg.TextContent(strings.Repeat("A line of text as people write them, with an umlaut: ö.\n", 6))
	if err != nil {
		t.Fatal(err)
	}
	chunk := msg.TextDelta{Text: strings.Repeat("A piece of an \"answer\", about as long as this, with a line feed at its end.\n", 5)}
	up := event.Op{Kind: event.OpAppend}
	for turn, seq := int64(1), 0; seq < n; turn++ {
		entries := []event.Entry{
			{Payload: event.TurnStart{Turn: turn, Trigger: "message", Source: event.UserSource()}},
			{Payload: event.UserMessage{ID: "m", Content: content, Source: event.UserSource()}, Op: up},
			{Payload: event.StepStart{Turn: turn, Step: 1}},
		}
		for range chunks {
			entries = append(entries, event.Entry{Payload: event.AssistantChunk{Turn: turn, Step: 1, Chunk: chunk}})
		}
		entries = append(entries,
			event.Entry{Payload: event.AssistantMessage{Turn: turn, Step: 1, Content: content, Finish: msg.FinishStop}, Op: up},
			event.Entry{Payload: event.StepEnd{Turn: turn, Step: 1}},
			event.Entry{Payload: event.TurnEnd{Turn: turn, Reason: event.EndReason{Kind: event.EndCompleted}}})
		if _, err := log.Append(entries...); err != nil {
			t.Fatal(err)
		}
		seq += len(entries)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return store.Entry{Path: path, Bytes: info.Size()}
}

func storeOf(e store.Entry) *store.Store {
	root := filepath.Dir(filepath.Dir(filepath.Dir(e.Path)))
	return store.New(root, eventlog.Options{Files: eventlog.Disk{}, Now: func() int64 { return 1 }}, func() eventlog.Holder { return eventlog.Holder{} })
}

// decodeEnvelopes is what opening a log is measured against: the standard decoder
// over the envelope of each line, data left as it is.
func decodeEnvelopes(e store.Entry) (int, error) {
	f, err := os.Open(e.Path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 1<<16)
	for n := 0; ; n++ {
		line, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return n - 1, nil // the header
		}
		if err != nil {
			return 0, err
		}
		var envelope struct {
			Type      string          `json:"type"`
			Seq       int64           `json:"seq"`
			Time      int64           `json:"time"`
			Data      json.RawMessage `json:"data"`
			Sources   []int64         `json:"sourceEventSeqs"`
			SurfaceOp json.RawMessage `json:"surfaceOp"`
		}
		if err := json.Unmarshal(line, &envelope); err != nil {
			return 0, err
		}
	}
}

// open opens a log for writing and closes it.
func open(e store.Entry) (int, error) {
	s, err := storeOf(e).Resume(e)
	if err != nil {
		return 0, err
	}
	return int(s.State.Next()), s.Close()
}

// spent is the time that the processors worked for this process, which, unlike the
// time on the wall, does not grow when somebody else needs them.
func spent(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// Opening a log (every line checked, digested and folded) takes less than half of
// what the standard decoder needs for the envelopes alone.
func TestOpenIsFast(t *testing.T) {
	e := longLog(t, 50_000, 10)
	best := func(run func(store.Entry) (int, error)) time.Duration {
		var out time.Duration
		for i := range 5 {
			start := spent(t)
			if n, err := run(e); err != nil || n < 50_000 {
				t.Fatalf("%d events, %v", n, err)
			}
			if took := spent(t) - start; i == 0 || took < out {
				out = took
			}
		}
		return out
	}
	standard, opened := best(decodeEnvelopes), best(open)
	t.Logf("%d bytes: opened in %v, envelopes decoded in %v, %.1f times", e.Bytes, opened, standard, float64(standard)/float64(opened))
	if opened*2 > standard {
		t.Errorf("opening took %v, decoding the envelopes %v", opened, standard)
	}
}

// What is kept of a log grows with its surface, not with its chunks.
func TestOpenKeepsTheSurface(t *testing.T) {
	held := func(chunks int) (heap, surface int64) {
		e := longLog(t, 20_000, chunks)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		state, _, err := storeOf(e).Fold(e)
		if err != nil {
			t.Fatal(err)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		for _, m := range state.History().Messages {
			surface += int64(m.Bytes())
		}
		runtime.KeepAlive(state)
		return int64(after.HeapAlloc) - int64(before.HeapAlloc), surface
	}
	for _, chunks := range []int{0, 10, 500} {
		heap, surface := held(chunks)
		t.Logf("%d chunks a message: %d bytes held for %d bytes of messages", chunks, heap, surface)
		if heap > 3*surface+256<<10 {
			t.Errorf("%d chunks a message: %d bytes held for %d bytes of messages", chunks, heap, surface)
		}
	}
}

// Appending to a long log costs what appending to a short one costs, in bytes and
// allocations; its time is BenchmarkAppend's.
func TestAppendIsFlat(t *testing.T) {
	cost := func(n int) float64 {
		e := longLog(t, n, 10)
		s, err := storeOf(e).Resume(e)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		entry := event.Entry{Payload: event.StepStart{Turn: 1, Step: 1}}
		return testing.AllocsPerRun(100, func() {
			if _, err := s.Append(entry); err != nil {
				t.Fatal(err)
			}
		})
	}
	if short, long := cost(100), cost(50_000); long > short {
		t.Errorf("%v allocations at event 50,000, %v at event 100", long, short)
	}
}

// BenchmarkOpen compares opening a log with decoding its envelopes.
func BenchmarkOpen(b *testing.B) {
	for _, n := range sizes(b) {
		e := longLog(b, n, 10)
		for _, c := range []struct {
			name string
			run  func(store.Entry) (int, error)
		}{{"open", open}, {"fold", fold}, {"encoding-json", decodeEnvelopes}} {
			b.Run(fmt.Sprintf("%s/%d", c.name, n), func(b *testing.B) {
				b.SetBytes(e.Bytes)
				b.ReportAllocs()
				for b.Loop() {
					if _, err := c.run(e); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func fold(e store.Entry) (int, error) {
	state := &session.State{}
	f, err := os.Open(e.Path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	w, err := eventlog.Walk(e.Path, f, func(ev event.Event, _ int64) error { return state.Apply(ev) })
	return w.Events, err
}

// BenchmarkAppend appends one event and syncs nothing, at the beginning of a log
// and behind many events.
func BenchmarkAppend(b *testing.B) {
	for _, n := range append([]int{100}, sizes(b)...) {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			e := longLog(b, n, 10)
			s, err := storeOf(e).Resume(e)
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			entry := event.Entry{Payload: event.StepStart{Turn: 1, Step: 1}}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Append(entry); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// sizes is the numbers of events of the benchmarks: a million where the environment
// asks for it, since that is half a gigabyte on disk.
func sizes(b *testing.B) []int {
	if os.Getenv("DSH_LONG") != "" {
		return []int{1_000_000}
	}
	return []int{50_000}
}
