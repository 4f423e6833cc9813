//go:build !unix

package eventlog

// This system has no such flags; what lies at a path is looked at before it is opened.
const (
	noWait   = 0
	noFollow = 0
)
