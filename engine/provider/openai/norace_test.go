//go:build !race

package openai

const racing = false
