//go:build !unix

package proc

import "os/exec"

// This system has no process groups that this package knows; the process itself is
// ended by its context.
func ownGroup(*exec.Cmd) {}

func killGroup(*exec.Cmd) {}

func busy(error) bool { return false }

// executable reports whether a file can be run; there is nothing to ask here.
func executable(path string) bool {
	_, ok := isFile(path)
	return ok
}
