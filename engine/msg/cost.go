package msg

import (
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/dsh-hcl/dsh/engine/canon"
)

// Amount is a sum of money in billionths of a currency's unit. Sums saturate at
// the largest amount, which is more than nine billion units.
type Amount int64

// perUnit is how many of the smallest amount make a unit of the currency.
const perUnit = 1_000_000_000

// Plus returns the sum of two amounts that are not negative.
func (a Amount) Plus(b Amount) Amount {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// String writes the amount in units of the currency, exactly and as short as it
// goes: "0.0123".
func (a Amount) String() string {
	s := strconv.FormatInt(int64(a)/perUnit, 10)
	if rest := int64(a) % perUnit; rest != 0 {
		digits := strconv.FormatInt(rest+perUnit, 10)[1:]
		s += "." + strings.TrimRight(digits, "0")
	}
	return s
}

// ParseAmount reads what String wrote, and any decimal number without sign or
// exponent that has at most nine digits behind the point.
func ParseAmount(s string) (Amount, bool) {
	whole, fraction, point := strings.Cut(s, ".")
	if len(fraction) > 9 || point && fraction == "" || len(whole) > 10 {
		return 0, false
	}
	digits := whole + fraction + strings.Repeat("0", 9-len(fraction))
	if whole == "" || strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	return Amount(n), err == nil
}

// Cost is what a request cost.
type Cost struct {
	Amount   Amount
	Currency string // ISO 4217 code, "USD"
}

// Raw returns the canonical JSON object. The amount is text, so that no reader
// rounds it.
func (c Cost) Raw() string {
	var o canon.Object
	o.String("amount", c.Amount.String())
	o.String("currency", c.Currency)
	return o.End()
}

// ParseCost takes a cost from a JSON value; it reports false for what is none.
func ParseCost(v canon.Value) (Cost, bool) {
	text, _ := v.Get("amount").Text()
	currency, ok := v.Get("currency").Text()
	a, valid := ParseAmount(text)
	return Cost{a, currency}, ok && valid
}

// String writes the cost for a person: "0.0123 USD".
func (c Cost) String() string { return c.Amount.String() + " " + c.Currency }

// Price is what a million tokens of a model cost, in the smallest amount.
type Price struct {
	Input, CachedInput, CacheWrite, Output Amount
	Currency                               string // ISO 4217 code
}

// Of prices a usage. A fraction of the smallest amount counts as a whole one.
func (p Price) Of(u Usage) Cost {
	var hi, lo uint64
	for _, part := range [...]struct {
		tokens int64
		price  Amount
	}{{u.Input, p.Input}, {u.CacheRead.Or(0), p.CachedInput}, {u.CacheWrite.Or(0), p.CacheWrite}, {u.Output, p.Output}} {
		h, l := bits.Mul64(uint64(max(part.tokens, 0)), uint64(part.price))
		var carry uint64
		lo, carry = bits.Add64(lo, l, 0)
		hi, carry = bits.Add64(hi, h, carry)
		if carry != 0 {
			hi = math.MaxUint64
		}
	}
	const million = 1_000_000
	c := Cost{math.MaxInt64, p.Currency}
	if hi >= million {
		return c
	}
	amount, rest := bits.Div64(hi, lo, million)
	if amount >= math.MaxInt64 {
		return c
	}
	if rest > 0 {
		amount++
	}
	c.Amount = Amount(amount)
	return c
}
