package cli_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/dsh-hcl/dsh/cmd/dsh/cli"
	"github.com/dsh-hcl/dsh/scenarios"
)

// scriptT is a *testing.T as testscript wants it.
type scriptT struct{ *testing.T }

func (t scriptT) Run(name string, f func(testscript.T)) {
	t.T.Run(name, func(t *testing.T) { f(scriptT{t}) })
}

func (t scriptT) Verbose() bool { return testing.Verbose() }

// TestScenarios runs the specifications of this project, scenarios/**.txtar,
// through the real command line, engine and wire.
func TestScenarios(t *testing.T) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	update, err := cli.UpdateMode(os.LookupEnv, false)
	if err != nil {
		t.Fatal(err)
	}
	audit := scenarios.Run(scriptT{t}, scenarios.Options{
		Dir: filepath.Join(root, "scenarios"), Golden: filepath.Join(root, "golden"), Project: root,
		Update: update, Host: cli.Host(nil, nil, nil),
		OnUpdate: func(path string) { t.Logf("updated %s", path) },
	})
	t.Cleanup(func() { // when all of them have ended
		for _, finding := range audit() {
			t.Error(finding)
		}
	})
}
