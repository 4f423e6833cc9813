package main_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"testing"
	"time"
)

// build builds a package into a temporary folder and returns the binary.
func build(t *testing.T, pkg string) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "bin")
	out, err := exec.Command("go", "build", "-o", bin, pkg).CombinedOutput()
	if err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return bin
}

// initLine is a line of GODEBUG=inittrace=1.
var initLine = regexp.MustCompile(`(?m)^init (\S+) @\S+ ms, (\S+) ms clock`)

// Whoever links a package pays for its initialisation at every start, so none may
// take more than 2 ms. The best of several runs counts: the machine may be busy.
func TestInitialisationOfPackages(t *testing.T) {
	bin := build(t, ".")
	best := map[string]float64{}
	for range 7 {
		cmd := exec.Command(bin, "version")
		cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
		var errs bytes.Buffer
		cmd.Stderr = &errs
		if err := cmd.Run(); err != nil {
			t.Fatal(err)
		}
		for _, m := range initLine.FindAllStringSubmatch(errs.String(), -1) {
			ms, err := strconv.ParseFloat(m[2], 64)
			if err != nil {
				t.Fatal(err)
			}
			if old, ok := best[m[1]]; !ok || ms < old {
				best[m[1]] = ms
			}
		}
	}
	if len(best) < 10 {
		t.Fatalf("only %d packages were traced", len(best))
	}
	for pkg, ms := range best {
		if ms > 2 {
			t.Errorf("initialising %s takes %.2f ms", pkg, ms)
		}
	}
}

// dsh version may cost at most 20 ms more than a program that does nothing: the
// median over pairs of runs, so that a busy machine slows both.
func TestStartsFast(t *testing.T) {
	dir := t.TempDir()
	src := filepath.Join(dir, "empty.go")
	if err := os.WriteFile(src, []byte("package main\n\nfunc main() {}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	dsh, empty := build(t, "."), build(t, src)
	took := func(bin string, args ...string) time.Duration {
		start := time.Now()
		if err := exec.Command(bin, args...).Run(); err != nil {
			t.Fatal(err)
		}
		return time.Since(start)
	}
	var more []time.Duration
	for range 15 {
		nothing := took(empty)
		more = append(more, took(dsh, "version")-nothing)
	}
	sort.Slice(more, func(i, j int) bool { return more[i] < more[j] })
	median := more[len(more)/2]
	t.Logf("dsh version takes %v more than an empty program", median)
	if median > 20*time.Millisecond {
		t.Errorf("dsh version takes %v more than an empty program", median)
	}
}
