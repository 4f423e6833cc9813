package cli_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dsh-hcl/dsh/cmd/dsh/cli"
)

// seen notes when a text was first written.
type seen struct {
	text string
	mu   sync.Mutex
	all  bytes.Buffer
	at   time.Time
}

func (s *seen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all.Write(p)
	if s.at.IsZero() && strings.Contains(s.all.String(), s.text) {
		s.at = time.Now()
	}
	return len(p), nil
}

// The first word of an answer is shown within five milliseconds of its arrival, while the
// rest of it is still to come.
func TestFirstWordIsShownAtOnce(t *testing.T) {
	if racing {
		t.Skip("it measures time")
	}
	var mu sync.Mutex
	var sent time.Time
	s := newService(t, func(w http.ResponseWriter, _ int) {
		w.Header().Set("Content-Type", "text/event-stream")
		mu.Lock()
		sent = time.Now()
		mu.Unlock()
		_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"content":"Hello"},"finish_reason":null}]}`+"\n\n")
		w.(http.Flusher).Flush()
		time.Sleep(60 * time.Millisecond) // a model thinks about the rest
		_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"content":" there"},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	})
	d := newDesk(t)
	d.real(s.URL)
	d.env["SERVICE_API_KEY"] = canary
	best := time.Hour
	for range 20 { // others may use the machine
		out := &seen{text: "Hello"}
		if code := cli.Run(context.Background(), []string{"run", "-q", "--trust", "hi"}, d.surroundings(strings.NewReader(""), out, io.Discard)); code != 0 {
			t.Fatalf("exit code %d", code)
		}
		mu.Lock()
		if best = min(best, out.at.Sub(sent)); out.at.IsZero() {
			t.Fatal("nothing was shown")
		}
		mu.Unlock()
		if best < 5*time.Millisecond {
			break
		}
	}
	t.Logf("shown after %v", best)
	if best > 5*time.Millisecond {
		t.Errorf("the first word is shown after %v", best)
	}
}
