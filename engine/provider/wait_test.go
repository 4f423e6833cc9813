package provider_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/dsh-hcl/dsh/engine/provider"
)

// TestRetryAfter: the header is read in each of its forms, and never makes a time that
// is negative or overflows.
func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	century := 100 * 365 * 24 * time.Hour
	for _, c := range []struct {
		after, ms, date string
		want            time.Duration
	}{
		{after: "", want: 0},
		{after: "7", want: 7 * time.Second},
		{after: " 0.25 ", want: 250 * time.Millisecond},
		{after: "0", want: 0},
		{after: "-3", want: 0},
		{after: "NaN", want: 0},
		{after: "soon", want: 0},
		{after: "1e300", want: century},
		{after: "Inf", want: century},
		{after: "9", ms: "1500", want: 1500 * time.Millisecond},
		{after: "9", ms: "x", want: 9 * time.Second},
		{after: "Wed, 04 Mar 2026 05:06:37 GMT", want: 30 * time.Second},
		{after: "Wed, 04 Mar 2026 05:06:37 GMT", date: "Wed, 04 Mar 2026 05:06:27 GMT", want: 10 * time.Second},
		{after: "Wed, 04 Mar 2026 05:06:00 GMT", want: 0},
		{after: "Fri, 31 Dec 9999 23:59:59 GMT", want: century},
	} {
		h := http.Header{}
		for name, value := range map[string]string{"Retry-After": c.after, "Retry-After-Ms": c.ms, "Date": c.date} {
			if value != "" {
				h.Set(name, value)
			}
		}
		if got := provider.RetryAfter(h, now); got != c.want {
			t.Errorf("%v: %s, want %s", h, got, c.want)
		}
	}
}

// TestPassing: only what may be over a moment later is worth another attempt.
func TestPassing(t *testing.T) {
	for _, c := range []struct {
		e    provider.Error
		want bool
	}{
		{provider.Error{Code: provider.CodeUnreachable}, true},
		{provider.Error{Code: provider.CodeTimeout}, true},
		{provider.Error{Code: provider.CodeTimeout, Status: 408}, true},
		{provider.Error{Code: provider.CodeTimeout, Status: 200}, false}, // an answer had begun
		{provider.Error{Code: provider.CodeRateLimited, Status: 429}, true},
		{provider.Error{Code: provider.CodeRateLimited, Status: 429, ProviderCode: "insufficient_quota"}, false},
		{provider.Error{Code: provider.CodeUnavailable, Status: 500}, true},
		{provider.Error{Code: provider.CodeUnavailable, Status: 502}, true},
		{provider.Error{Code: provider.CodeUnavailable, Status: 503}, true},
		{provider.Error{Code: provider.CodeUnavailable, Status: 504}, true},
		{provider.Error{Code: provider.CodeUnavailable, Status: 529}, true},
		{provider.Error{Code: provider.CodeUnavailable, Status: 501}, false},
		{provider.Error{Code: provider.CodeUnavailable, Status: 200}, false},
		{provider.Error{Code: provider.CodeContextWindow, Status: 500}, false},
		{provider.Error{Code: provider.CodeAuth, Status: 401}, false},
		{provider.Error{Code: provider.CodeAuth, Status: 403}, false},
		{provider.Error{Code: provider.CodeInvalidRequest, Status: 400}, false},
		{provider.Error{Code: provider.CodeInvalidRequest, Status: 404}, false},
		{provider.Error{Code: provider.CodeInvalidRequest, Status: 413}, false},
		{provider.Error{Code: provider.CodeInvalidRequest, Status: 422}, false},
		{provider.Error{Code: provider.CodeInvalidRequest}, false},
		{provider.Error{Code: provider.CodeStreamCut}, false},
		{provider.Error{Code: provider.CodeBadResponse, Status: 200}, false},
	} {
		if got := c.e.Passing(); got != c.want {
			t.Errorf("%s %d %s: %v", c.e.Code, c.e.Status, c.e.ProviderCode, got)
		}
	}
}
