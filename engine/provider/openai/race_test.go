//go:build race

package openai

// racing says that the race detector is on, which makes everything slower.
const racing = true
