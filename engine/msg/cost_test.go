package msg

import (
	"math"
	"testing"

	"github.com/dsh-hcl/dsh/engine/canon"
)

func TestAmountText(t *testing.T) {
	for a, want := range map[Amount]string{0: "0", 1: "0.000000001", 1_500_000_000: "1.5", 12_000_000_000: "12",
		270_000_000: "0.27", math.MaxInt64: "9223372036.854775807"} {
		if got := a.String(); got != want {
			t.Errorf("%d is written %q, not %q", int64(a), got, want)
		}
		if back, ok := ParseAmount(want); !ok || back != a {
			t.Errorf("%q is read as %d, %v", want, int64(back), ok)
		}
	}
	for _, s := range []string{"", ".", "1.", ".5", "-1", "+1", "1e3", "0.0000000001", "9223372036.854775808", "99999999999", "1 ", "1.2.3", "0x1", "1_0"} {
		if a, ok := ParseAmount(s); ok {
			t.Errorf("%q is read as %d", s, int64(a))
		}
	}
}

// A price is per million tokens, the buckets of usage are disjoint, and no request
// is cheaper than it was.
func TestPrice(t *testing.T) {
	p := Price{Input: 270_000_000, CachedInput: 70_000_000, CacheWrite: 300_000_000, Output: 1_100_000_000, Currency: "USD"}
	for _, c := range []struct {
		usage Usage
		want  string
	}{
		{Usage{}, "0 USD"},
		{Usage{Input: 1_000_000}, "0.27 USD"},
		{Usage{Output: 1_000_000}, "1.1 USD"},
		{Usage{CacheRead: Some[int64](1_000_000)}, "0.07 USD"},
		{Usage{CacheWrite: Some[int64](1_000_000)}, "0.3 USD"},
		{Usage{Input: 100, CacheRead: Some[int64](900), Output: 10}, "0.000101 USD"},
		{Usage{Input: 1, Output: 10, Reasoning: Some[int64](9)}, "0.00001127 USD"},
		{Usage{Input: -5, Output: 1}, "0.0000011 USD"},
		{Usage{Input: math.MaxInt64, Output: math.MaxInt64}, "9223372036.854775807 USD"},
	} {
		if got := p.Of(c.usage).String(); got != c.want {
			t.Errorf("%+v costs %s, not %s", c.usage, got, c.want)
		}
	}
	if got := (Price{Input: 1, Currency: "USD"}).Of(Usage{Input: 1}); got.Amount != 1 {
		t.Errorf("a fraction of the smallest amount costs %d", int64(got.Amount))
	}
	huge := Price{Input: math.MaxInt64, CachedInput: math.MaxInt64, CacheWrite: math.MaxInt64, Output: math.MaxInt64}
	all := Usage{Input: math.MaxInt64, Output: math.MaxInt64, CacheRead: Some[int64](math.MaxInt64), CacheWrite: Some[int64](math.MaxInt64)}
	if got := huge.Of(all).Amount; got != math.MaxInt64 {
		t.Errorf("what cannot be counted costs %d", int64(got))
	}
	if got := Amount(math.MaxInt64 - 1).Plus(2); got != math.MaxInt64 {
		t.Errorf("the sum is %d", int64(got))
	}
}

func TestCostJSON(t *testing.T) {
	c := Cost{1_230_000, "CNY"}
	v, err := canon.ParseCanonical(c.Raw())
	if err != nil {
		t.Fatal(err)
	}
	if back, ok := ParseCost(v); !ok || back != c {
		t.Errorf("%s is read as %+v, %v", c.Raw(), back, ok)
	}
	for _, raw := range []string{`{}`, `{"amount":1,"currency":"USD"}`, `{"amount":"1"}`, `{"amount":"-1","currency":"USD"}`, `null`} {
		v, _ := canon.ParseCanonical(raw)
		if c, ok := ParseCost(v); ok {
			t.Errorf("%s is read as %+v", raw, c)
		}
	}
}
