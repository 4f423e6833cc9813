//go:build !race

package engine_test

const racing = false
