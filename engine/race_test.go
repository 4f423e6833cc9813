//go:build race

package engine_test

// racing says that the race detector is on, which makes everything slower.
const racing = true
