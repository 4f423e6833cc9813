//go:build unix

package eventlog

import "syscall"

// Flags of opening: not to wait for the other end of a pipe, and not to follow a link.
const (
	noWait   = syscall.O_NONBLOCK
	noFollow = syscall.O_NOFOLLOW
)
