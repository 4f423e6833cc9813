//go:build !race

package ref_test

const racing = false
