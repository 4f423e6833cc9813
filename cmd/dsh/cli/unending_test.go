package cli_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestUnending: what never ends, a pipe without a writer or a device, is refused
// wherever a file is read, and what is too large is never cut.
func TestUnending(t *testing.T) {
	d := newDesk(t)
	pipe := func(name string) {
		t.Helper()
		path := filepath.Join(d.dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pipe("p.hcl")
	d.want(d.run("fmt", "p.hcl"), 2, "Error: p.hcl is a pipe, not a regular file")
	d.want(d.run("fmt", "/dev/zero"), 2, "/dev/zero is a device, not a regular file")
	d.file("big.hcl", strings.Repeat("a = 1\n", 90_000))
	d.want(d.run("fmt", "big.hcl"), 2, "Error: big.hcl is larger than 512 KiB")
	if o := d.runCtx(context.Background(), strings.Repeat("a = 1\n", 90_000), "fmt", "-"); o.code != 2 || o.stdout != "" || !strings.Contains(o.stderr, "Error: standard input is larger than 512 KiB") {
		t.Errorf("%d, %d bytes, %s", o.code, len(o.stdout), o.stderr)
	}
	pipe("conf/x.dsh.hcl")
	d.want(d.run("fmt", "conf"), 2, "x.dsh.hcl is a pipe")

	d.env["XDG_CONFIG_HOME"] = d.dir
	pipe("dsh/settings.toml")
	d.want(d.run("settings"), 2, "settings.toml is a pipe, not a regular file")
	delete(d.env, "XDG_CONFIG_HOME")

	d.env["DSH_STORE"] = filepath.Join(d.dir, "store")
	pipe("store/trust.json")
	d.file("p/dsh.hcl", "provider \"p\" { protocol = \"openai\" }\nmodel \"m\" {\n  provider = provider.p\n  id = \"m\"\n}\nagent \"a\" { model = model.m }\n")
	d.want(d.run("trust", "p"), 1, "trust.json is a pipe, not a regular file")
	d.want(d.run("trust", "--revoke", "p"), 1, "trust.json is a pipe, not a regular file")
}
