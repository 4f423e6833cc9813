package cli_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

const loose = "provider \"p\" {\nprotocol=\"openai\"\n}\n"

func TestFmtInput(t *testing.T) {
	d := newDesk(t)
	ctx := context.Background()
	if o := d.runCtx(ctx, loose, "fmt", "-"); o.code != 0 || o.stdout != "provider \"p\" {\n  protocol = \"openai\"\n}\n" {
		t.Errorf("%+v", o)
	}
	if o := d.runCtx(ctx, loose, "fmt", "-check", "-"); o.code != 1 || o.stdout != "" {
		t.Errorf("%+v", o)
	}
	d.want(d.runCtx(ctx, loose, "fmt", "-diff", "-"), 0, "--- old/<stdin>", "+  protocol = \"openai\"")
	d.want(d.runCtx(ctx, "a = \"\n", "fmt", "-"), 2, "on <stdin>:1")
	d.want(d.runCtx(ctx, loose, "fmt", "-", "dsh.hcl"), 2, "- stands alone")
}

// TestFmtWrites: a link leads to the same file as before, and permissions stay.
func TestFmtWrites(t *testing.T) {
	d := newDesk(t)
	d.file("real/dsh.hcl", loose)
	path := filepath.Join(d.dir, "real/dsh.hcl")
	link := filepath.Join(d.dir, "dsh.hcl")
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real/dsh.hcl", link); err != nil {
		t.Fatal(err)
	}
	d.want(d.run("fmt"), 0, "dsh.hcl\n")
	if to, err := os.Readlink(link); to != "real/dsh.hcl" || err != nil {
		t.Errorf("%q, %v", to, err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}

// TestFmtStaysInItsFolder: a link in a folder that leads out of it is not followed, as
// check does not follow it, and what is read-only stays as it is.
func TestFmtStaysInItsFolder(t *testing.T) {
	d := newDesk(t)
	victim := filepath.Join(d.home, "victim.hcl")
	if err := os.WriteFile(victim, []byte(loose), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(victim, filepath.Join(d.dir, "o.dsh.hcl")); err != nil {
		t.Fatal(err)
	}
	d.want(d.run("fmt", "."), 2, "o.dsh.hcl leads to "+victim)
	if b, _ := os.ReadFile(victim); string(b) != loose {
		t.Errorf("it became %s", b)
	}
	d.file("x.hcl", loose)
	if err := os.Chmod(filepath.Join(d.dir, "x.hcl"), 0o400); err != nil {
		t.Fatal(err)
	}
	d.want(d.run("fmt", "x.hcl"), 1, "x.hcl is read-only")
}

// TestExamplesAreFormatted: what init writes, and documents show, is laid out.
func TestExamplesAreFormatted(t *testing.T) {
	d := newDesk(t)
	var err error
	if d.dir, err = filepath.Abs("../../../docs/examples/reviewer"); err != nil {
		t.Fatal(err)
	}
	if o := d.run("fmt", "-check", "-diff", ".", "model.hcl"); o.code != 0 || o.stdout != "" {
		t.Errorf("%+v", o)
	}
}
