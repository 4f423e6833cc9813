// Package dshtest runs the scenarios of a configuration from go test, so that a Go
// program that carries its agents with it proves them with everything else.
package dshtest

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/dsh-hcl/dsh/cmd/dsh/cli"
	"github.com/dsh-hcl/dsh/scenarios"
)

// Run runs the scenarios of the configuration in a folder, absolute or relative to the
// package, as parallel subtests of t with their names. It does what dsh test does:
// configuration errors fail t with all of them, each with its place, and so does what
// is wrong with the goldens. DSH_UPDATE=1 rewrites goldens, and where CI is set only
// DSH_UPDATE=force does; -run and -parallel are those of go test.
//
// Unlike dsh test it asks for no trust: hooks and programs of the scenarios are started
// as they are. Whoever runs go test runs the code of that package anyway.
func Run(t *testing.T, dir string) {
	t.Helper()
	abs, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	home, _ := os.UserHomeDir()
	if !filepath.IsAbs(home) {
		home = ""
	}
	var said bytes.Buffer
	project, err := cli.LoadTests(abs, cli.Env{
		Stdout: &said, Stderr: &said, Getenv: os.LookupEnv, Dir: abs, Home: home, Now: time.Now, PID: os.Getpid(),
	})
	if err != nil && said.Len() > 0 {
		t.Fatalf("the configuration in %s has errors:\n%s", dir, said.Bytes())
	}
	if err != nil {
		t.Fatal(err)
	}
	if said.Len() > 0 {
		t.Logf("%s", said.Bytes()) // warnings
	}
	o := project.Options
	o.OnUpdate = func(path string) { t.Logf("updated %s", path) }
	if deadline, ok := t.Deadline(); ok {
		o.Deadline = deadline
	}
	audit := func() []string { return nil }
	t.Cleanup(func() { // when all of them have ended
		for _, finding := range audit() {
			t.Error(finding)
		}
		project.Close()
	})
	audit = scenarios.Run(script{t}, o)
}

// script is a *testing.T as testscript wants it.
type script struct{ *testing.T }

// Run implements testscript.T.
func (s script) Run(name string, f func(testscript.T)) {
	s.T.Run(name, func(t *testing.T) { f(script{t}) })
}

// Verbose implements testscript.T.
func (s script) Verbose() bool { return testing.Verbose() }
