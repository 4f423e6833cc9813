package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// tenLines is an ordinary scenario: two turns and what they are held to.
const tenLines = `# A reviewer is asked twice, and what it was told stays.
agent reviewer
send 'Please review main.go'
prefix order text.rules file.instructions template.workspace
header reason initial
request count 1
send 'And the tests?'
request extends 2 1
turn end completed
reproducible
`

// manyScenarios is a project of dsh init with n scenarios more.
func manyScenarios(t testing.TB, n int) *desk {
	d := newDesk(t)
	d.want(d.run("init"), 0)
	for i := range n {
		d.file(fmt.Sprintf("scenarios/many/%04d.txtar", i), tenLines)
	}
	return d
}

// A thousand scenarios of ten lines take at most ten seconds on two cores: a suite is
// run after every change, or not at all. Measured on two cores: 2.3 to 4.8 s, as the disk
// is busy.
func TestThousandScenarios(t *testing.T) {
	if testing.Short() || racing {
		t.Skip("it measures")
	}
	d := manyScenarios(t, 1000)
	// The best of two counts: others may use the machine.
	best := time.Hour
	for range 2 {
		start := time.Now()
		d.want(d.run("test", "--parallel", "2"), 0, "1001 passed, 0 failed, 0 skipped")
		if best = min(best, time.Since(start)); best < 10*time.Second {
			break
		}
	}
	t.Logf("1001 scenarios took %v", best)
	if best > 10*time.Second {
		t.Errorf("1001 scenarios took %v", best)
	}
}

// Starting the runner costs at most 20 ms, besides the scenarios: a run in which
// none has anything to do.
func TestRunnerStartsFast(t *testing.T) {
	if testing.Short() || racing {
		t.Skip("it measures")
	}
	d := newDesk(t)
	d.want(d.run("init"), 0)
	for _, dir := range []string{"scenarios", "golden"} {
		if err := os.RemoveAll(filepath.Join(d.dir, dir)); err != nil {
			t.Fatal(err)
		}
	}
	d.file("scenarios/none.txtar", "dsh version\nstdout dsh\n")
	best := time.Hour
	for range 15 {
		start := time.Now()
		d.want(d.run("test"), 0, "1 passed")
		best = min(best, time.Since(start))
	}
	t.Logf("a run that does nothing took %v", best)
	if best > 20*time.Millisecond {
		t.Errorf("a run that does nothing took %v", best)
	}
}

// BenchmarkScenario is what a scenario of ten lines costs among a hundred.
func BenchmarkScenario(b *testing.B) {
	d := manyScenarios(b, 100)
	for b.Loop() {
		d.want(d.run("test"), 0, "101 passed")
	}
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N)/101, "ms/scenario")
}

// A long conversation stays linear enough: the guard looks at the whole log after every
// turn.
func BenchmarkHundredTurns(b *testing.B) {
	d := newDesk(b)
	d.want(d.run("init"), 0)
	script := "agent reviewer\n"
	for range 100 {
		script += "send more\n"
	}
	d.file("scenarios/long.txtar", script+"request count 100\n")
	for b.Loop() {
		d.want(d.run("test", "--run", "long"), 0, "1 passed")
	}
}
