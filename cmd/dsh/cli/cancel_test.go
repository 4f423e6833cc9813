package cli_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/dsh-hcl/dsh/cmd/dsh/cli"
)

// TestCancelIsQuick: in every phase of a request a cancel ends the run within 100 ms:
// before the answer, within it, and in the pause before another attempt.
func TestCancelIsQuick(t *testing.T) {
	if racing || testing.Short() {
		t.Skip("it measures")
	}
	for name, answer := range map[string]func(w http.ResponseWriter, r *http.Request){
		"before the answer": func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"in the answer":     func(w http.ResponseWriter, r *http.Request) { stream(w, oneWord); <-r.Context().Done() },
		"in a pause":        func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Retry-After", "30"); w.WriteHeader(429) },
	} {
		t.Run(name, func(t *testing.T) {
			reached := make(chan struct{}, 10)
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				io.Copy(io.Discard, r.Body) // else the server does not see that the client has gone
				reached <- struct{}{}
				answer(w, r)
			}))
			defer s.Close()
			best := time.Hour
			for range 3 { // others may use the machine
				d := newDesk(t)
				d.real(s.URL)
				d.env["SERVICE_API_KEY"] = canary
				var out, errs bytes.Buffer
				env := d.surroundings(strings.NewReader(""), &out, &errs)
				env.Sleep = nil // the real clock
				ctx, cancel := context.WithCancelCause(t.Context())
				code := make(chan int)
				go func() { code <- cli.Run(ctx, []string{"run", "--trust", "hi"}, env) }()
				<-reached
				time.Sleep(50 * time.Millisecond)
				begin := time.Now()
				cancel(&cli.SignalError{Signal: "interrupt", Exit: 130})
				got := <-code
				best = min(best, time.Since(begin))
				if got != 130 || !strings.Contains(d.logs(), `"reason":{"kind":"aborted"`) {
					t.Fatalf("exit code %d\n%s%s", got, errs.String(), d.logs())
				}
				if best < 100*time.Millisecond {
					break
				}
			}
			t.Logf("%v", best)
			if best > 100*time.Millisecond {
				t.Errorf("it took %v", best)
			}
		})
	}
}
