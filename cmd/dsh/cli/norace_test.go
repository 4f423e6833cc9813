//go:build !race

package cli_test

const racing = false
