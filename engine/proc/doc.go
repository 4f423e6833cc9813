// Package proc runs child processes: in a process group of their own, with the
// environment that is declared and nothing else, with bounds on time and output,
// and with nothing left behind when they are over. It knows no agent and no log.
package proc
