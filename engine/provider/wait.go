package provider

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxWait is what a longer time to wait becomes: more than anybody waits.
const maxWait = 100 * 365 * 24 * time.Hour

// RetryAfter reads how long a response asks to wait: Retry-After in seconds or as a
// date, and before it the milliseconds of retry-after-ms. A date counts from the date
// of the response, so that it does not matter whether the clocks agree; now stands in
// where there is none. It is 0 when the response does not say, says it in another way,
// or names a time that is over.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	if ms, ok := amount(h.Get("Retry-After-Ms"), time.Millisecond); ok {
		return ms
	}
	said := strings.TrimSpace(h.Get("Retry-After"))
	if s, ok := amount(said, time.Second); ok {
		return s
	}
	at, err := http.ParseTime(said)
	if err != nil {
		return 0
	}
	if sent, err := http.ParseTime(h.Get("Date")); err == nil {
		now = sent
	}
	return min(max(at.Sub(now), 0), maxWait)
}

// amount reads a number of units that is not negative.
func amount(text string, unit time.Duration) (time.Duration, bool) {
	n, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	switch {
	case err != nil || !(n >= 0):
		return 0, false
	case n > float64(maxWait/unit):
		return maxWait, true
	}
	return time.Duration(n * float64(unit)), true
}
