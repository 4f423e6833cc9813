package scenarios_test

import (
	"os"
	"testing"

	"github.com/dsh-hcl/dsh/scenarios"
)

// TestManual holds docs/scenarios.md to the verbs.
func TestManual(t *testing.T) {
	const path = "../docs/scenarios.md"
	want := scenarios.Manual()
	have, err := os.ReadFile(path)
	if err == nil && string(have) == want {
		return
	}
	if os.Getenv("DSH_UPDATE") == "force" || os.Getenv("DSH_UPDATE") != "" && os.Getenv("CI") == "" {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("docs/scenarios.md is not what the verbs say (%v); run the tests with DSH_UPDATE=1", err)
}
