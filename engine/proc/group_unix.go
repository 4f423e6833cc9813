//go:build unix

package proc

import (
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
