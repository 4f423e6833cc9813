//go:build unix

package proc

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// ownGroup puts the process at the head of a group of its own, so that a signal
// reaches whatever it starts, and a signal to this program's group does not.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error {
		if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM); err != nil {
			return os.ErrProcessDone
		}
		return nil
	}
}

// killGroup ends what the process left behind.
func killGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // there may be nobody left
	}
}

// busy reports a program that is open for writing: another process that was just
// forked holds it until it runs a program of its own, which takes a moment.
func busy(err error) bool { return errors.Is(err, syscall.ETXTBSY) }

// executable reports whether a file can be run.
func executable(path string) bool {
	info, ok := isFile(path)
	return ok && info.Mode()&0o111 != 0
}
