package msg

// Opt is a value that may be absent, where absence differs from the zero value.
// The zero Opt is absent.
type Opt[T any] struct {
	v  T
	ok bool
}

// Some returns a present value.
func Some[T any](v T) Opt[T] { return Opt[T]{v: v, ok: true} }

// Get returns the value and whether it is present.
func (o Opt[T]) Get() (T, bool) { return o.v, o.ok }

// Or returns the value, or def when absent.
func (o Opt[T]) Or(def T) T {
	if o.ok {
		return o.v
	}
	return def
}
