package engine_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/dsh-hcl/dsh/engine"
	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/eventlog"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/verify"
)

var errPower = errors.New("power is gone")

// volatile is a disk that keeps only what was synced when the power goes, after a
// number of operations, and some of what was not.
type volatile struct {
	mu     sync.Mutex
	left   int               // operations until the power goes
	synced map[string]string // what is durable
	cached map[string]string // what was written
}

func (v *volatile) step() error {
	if v.left--; v.left < 0 {
		return errPower
	}
	return nil
}

func (v *volatile) Open(path string) (eventlog.File, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return &volatileFile{v, path}, v.step()
}

func (v *volatile) Publish(path string, content []byte) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := v.step(); err != nil {
		return err
	}
	v.synced[path], v.cached[path] = string(content), string(content)
	return nil
}

func (v *volatile) Read(path string) ([]byte, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return []byte(v.cached[path]), v.step()
}

type volatileFile struct {
	v    *volatile
	path string
}

func (f *volatileFile) Write(p []byte) (int, error) {
	f.v.mu.Lock()
	defer f.v.mu.Unlock()
	if err := f.v.step(); err != nil {
		return 0, err
	}
	f.v.cached[f.path] += string(p)
	return len(p), nil
}

func (f *volatileFile) Sync() error {
	f.v.mu.Lock()
	defer f.v.mu.Unlock()
	if err := f.v.step(); err != nil {
		return err
	}
	f.v.synced[f.path] = f.v.cached[f.path]
	return nil
}

func (f *volatileFile) Truncate(n int64) error {
	f.v.mu.Lock()
	defer f.v.mu.Unlock()
	if err := f.v.step(); err != nil {
		return err
	}
	f.v.cached[f.path] = f.v.cached[f.path][:n]
	return nil
}

func (f *volatileFile) Close() error { return nil }

// A power cut at every operation of a session: whatever was synced is there, every
// request that left and every tool that ran is in the log, and the session goes on.
func TestPowerCut(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	finished := false
	for room := 0; !finished; room++ {
		w := newWorld(t)
		disk := &volatile{left: room, synced: map[string]string{}, cached: map[string]string{}}
		w.files = disk
		m := &model{answers: []func(context.Context, func(msg.Chunk, error) bool){
			callTools(msg.ToolCall{ID: "c1", Name: "ls", Arguments: `{}`}, msg.ToolCall{ID: "c2", Name: "ls", Arguments: `{}`}),
		}}
		ts := &tools{}
		s := w.create()
		i := w.start(w.agent(nil, nil, []msg.Contributor{contributor("text.p", "p")}), s, m, func(o *engine.Options) { o.Tools = ts })
		finished = true
		for _, q := range []string{"one", "two"} {
			err := i.Send(text(q))
			if err == nil {
				_, err = i.Wait(context.Background())
			}
			if err != nil {
				finished = false
			}
		}
		i.Dispose()

		// The power is back: what was synced, and any part of what was not.
		path := s.Log.Path()
		content := disk.synced[path]
		if more := strings.TrimPrefix(disk.cached[path], content); more != disk.cached[path] || content == "" {
			content += more[:r.IntN(len(more)+1)]
		}
		if content == "" {
			if len(m.bodies) > 0 {
				t.Fatalf("room for %d operations: %d requests left and no log is there", room, len(m.bodies))
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		w.files = eventlog.Disk{}
		entry, err := w.store().Find("s1", "/w")
		if err != nil {
			t.Fatalf("room for %d operations: %v", room, err)
		}
		s2, err := w.store().Resume(entry)
		if err != nil {
			t.Fatalf("room for %d operations: resume: %v", room, err)
		}
		sent := len(m.bodies)
		m.answers = nil
		i = w.start(w.agent(nil, nil, []msg.Contributor{contributor("text.p", "p")}), s2, m, func(o *engine.Options) { o.Tools = ts })
		if end := send(t, i, "again"); end.Kind != event.EndCompleted {
			t.Fatalf("room for %d operations: %+v", room, end)
		}
		i.Dispose()
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(b), disk.synced[path]) {
			t.Fatalf("room for %d operations: something that was synced is gone", room)
		}
		scan, err := eventlog.ScanText(path, string(b))
		if err != nil {
			t.Fatal(err)
		}
		if v := verify.Check(scan.Events, true); v != nil {
			t.Fatalf("room for %d operations: %v", room, v)
		}
		for n, body := range m.bodies[:sent] {
			sum := sha256.Sum256([]byte(body))
			if !strings.Contains(string(b), hex.EncodeToString(sum[:])) {
				t.Fatalf("room for %d operations: request %d left and the log does not know it", room, n+1)
			}
		}
		if calls := strings.Count(string(b), `"type":"tool/call"`); calls < len(ts.ran) {
			t.Fatalf("room for %d operations: %d tools ran, %d are in the log", room, len(ts.ran), calls)
		}
	}
}
