//go:build unix

package main_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dsh-hcl/dsh/engine/eventlog"
	"github.com/dsh-hcl/dsh/engine/verify"
)

// slow is a chat completions service whose answers trickle in, so that a kill
// comes in the middle of everything. It keeps the digest of each body.
type slow struct {
	*httptest.Server
	mu   sync.Mutex
	sums []string
}

func newSlow(t *testing.T) *slow {
	s := &slow{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		if err != nil {
			return // killed while sending: nothing arrived whole
		}
		sum := sha256.Sum256(b)
		s.mu.Lock()
		s.sums = append(s.sums, hex.EncodeToString(sum[:]))
		n := len(s.sums)
		s.mu.Unlock()
		w.Header().Set("Content-Type", "text/event-stream")
		for k := range 4 {
			fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"part %d of answer %d. \"}}]}\n\n", k, n)
			w.(http.Flusher).Flush()
			select {
			case <-r.Context().Done():
				return
			case <-time.After(time.Millisecond):
			}
		}
		io.WriteString(w, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(s.Close)
	return s
}

const killConfig = `
provider "slow" {
  protocol = "openai"
  base_url = "%s/v1"
}
model "m" {
  provider = provider.slow
  id       = "m"
}
agent "a" {
  model = model.m
  log { chunks = true }
  prefix {
    text "rules" { content = "Be brief." }
  }
}
`

// TestKill runs real sessions and kills the process at random points: 500 times,
// or DSH_KILLS times; 60 times in short mode. After each kill nothing that was
// there before is gone, every request that arrived is in the log, the log verifies,
// and the session can be resumed.
func TestKill(t *testing.T) {
	kills := 500
	if testing.Short() {
		kills = 60
	}
	if n, err := strconv.Atoi(os.Getenv("DSH_KILLS")); err == nil {
		kills = n
	}
	bin := build(t, ".")
	service := newSlow(t)
	dir, home := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "dsh.hcl"), fmt.Appendf(nil, killConfig, service.URL), 0o644); err != nil {
		t.Fatal(err)
	}
	dsh := func(args ...string) *exec.Cmd {
		cmd := exec.Command(bin, args...)
		cmd.Dir = dir
		cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
		return cmd
	}
	read := func() (path, text string) {
		paths, err := filepath.Glob(filepath.Join(home, ".local/state/dsh/sessions/*/*.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		if len(paths) == 0 {
			return "", ""
		}
		b, err := os.ReadFile(paths[len(paths)-1])
		if err != nil {
			t.Fatal(err)
		}
		return paths[len(paths)-1], string(b)
	}
	r := rand.New(rand.NewPCG(9, 10))
	before, path, middle, sessions := "", "", 0, 0
	for n := range kills {
		args := []string{"run", "--trust", "--quiet", fmt.Sprint("prompt ", n)}
		if before != "" {
			args = append(args, "--resume", "last")
		}
		service.mu.Lock()
		arrived := len(service.sums)
		service.mu.Unlock()
		cmd := dsh(args...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(r.IntN(25000)) * time.Microsecond)
		cmd.Process.Kill()
		cmd.Wait()

		var text string
		path, text = read()
		if text == "" {
			continue // killed before the session began
		}
		// What whole lines there were is still there. A torn line of the last kill was
		// cut off by the resume.
		whole := before[:strings.LastIndexByte(before, '\n')+1]
		if !strings.HasPrefix(text, whole) {
			t.Fatalf("kill %d: something that was there is gone", n)
		}
		scan, err := eventlog.ScanText(path, text)
		if err != nil {
			t.Fatalf("kill %d: %v", n, err)
		}
		report, err := verify.Log(path, text)
		if err != nil || !report.OK() {
			t.Fatalf("kill %d: %d of %d requests identical, %v, %v", n, report.Identical(), len(report.Requests), report.Damage, err)
		}
		service.mu.Lock()
		for _, sum := range service.sums[arrived:] {
			if !strings.Contains(text, sum) {
				t.Fatalf("kill %d: a request left and the log does not know it", n)
			}
		}
		service.mu.Unlock()
		if k := len(scan.Events); k > 0 && scan.Events[k-1].Type != "turn/end" {
			middle++
		}
		before = text
		if len(text) > 200<<10 {
			// A new session keeps the test's cost from growing with its length.
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			before = ""
			sessions++
		}
	}
	if before != "" {
		if out, err := dsh("run", "--trust", "--resume", "last", "at last").CombinedOutput(); err != nil {
			t.Fatalf("the last resume: %v\n%s", err, out)
		}
		if out, err := dsh("verify").CombinedOutput(); err != nil {
			t.Fatalf("verify: %v\n%s", err, out)
		}
	}
	t.Logf("%d kills, %d in the middle of a turn, %d requests arrived, %d sessions", kills, middle, len(service.sums), sessions+1)
	if middle < kills/10 {
		t.Errorf("only %d of %d kills came in the middle of a turn: the test does not test what it says", middle, kills)
	}
}
