package exchange

import (
	"math"

	"github.com/dsh-hcl/dsh/engine/canon"
)

// MaxCount is what a larger counter becomes: the largest number that every reader
// of JSON holds exactly. Sums over a session do not overflow with it.
const MaxCount = 1<<53 - 1

// Count is a counter, between -MaxCount and MaxCount. ok is false for what is no
// whole number.
func Count(v canon.Value) (n int64, ok bool) {
	if n, ok = v.Int(); !ok {
		f, number := v.Float()
		if !number || math.Abs(f) < MaxCount {
			return 0, false
		}
		n, ok = int64(math.Copysign(MaxCount, f)), true
	}
	return max(min(n, MaxCount), -MaxCount), ok
}
