package hclfile

import (
	"strings"
	"testing"
)

func TestLocate(t *testing.T) {
	files := memory{
		"/home/anna/dsh.hcl":                "",
		"/home/anna/repo/.git/HEAD":         "",
		"/home/anna/repo/dsh.hcl":           "",
		"/home/anna/repo/sub/deep/x":        "",
		"/home/anna/bare/.git":              "",
		"/home/anna/bare/sub/x":             "",
		"/home/anna/plain/sub/x":            "",
		"/srv/dsh.hcl":                      "",
		"/srv/.git/HEAD":                    "",
		"/srv/mine/x":                       "",
		"/srv/mine/conf/team.dsh.hcl":       "",
		"/dsh.hcl":                          "",
		"/other/place/x":                    "",
		"/home/anna/repo/elsewhere/dsh.hcl": "",
	}
	owner := func(path string) (int, bool) {
		if strings.HasPrefix(path, "/home/anna") || strings.HasPrefix(path, "/srv/mine") || strings.HasPrefix(path, "/other") {
			return 1000, true
		}
		return 0, true
	}
	cases := []struct {
		name                   string
		dir, config, workspace string
		anyOwner               bool
		wantDir, wantWorkspace string
		fails                  string
	}{
		{name: "in the folder itself", dir: "/home/anna/repo", wantDir: "/home/anna/repo", wantWorkspace: "/home/anna/repo"},
		{name: "above", dir: "/home/anna/repo/sub/deep", wantDir: "/home/anna/repo", wantWorkspace: "/home/anna/repo"},
		{name: "nearest", dir: "/home/anna/repo/elsewhere", wantDir: "/home/anna/repo/elsewhere", wantWorkspace: "/home/anna/repo"},
		{name: "the root of a repository ends the search", dir: "/home/anna/bare/sub", wantWorkspace: "/home/anna/bare",
			fails: "There is no dsh.hcl in /home/anna/bare/sub or its parents up to /home/anna/bare."},
		{name: "the home folder is searched", dir: "/home/anna/plain/sub", wantDir: "/home/anna", wantWorkspace: "/home/anna/plain/sub"},
		{name: "beyond home nothing is", dir: "/other/place", wantWorkspace: "/other/place", fails: "or its parents up to /other."},
		{name: "somebody else's folder ends the search", dir: "/srv/mine", wantWorkspace: "/srv/mine", fails: "There is no dsh.hcl in /srv/mine."},
		{name: "owners do not count", dir: "/srv/mine", anyOwner: true, wantDir: "/srv", wantWorkspace: "/srv"},
		{name: "a folder is given", dir: "/srv/mine", config: "conf", wantDir: "/srv/mine/conf", wantWorkspace: "/srv/mine"},
		{name: "its main file is given", dir: "/srv/mine", config: "/home/anna/repo/dsh.hcl", wantDir: "/home/anna/repo", wantWorkspace: "/srv/mine"},
		{name: "another file is given", dir: "/srv/mine", config: "conf/team.dsh.hcl", wantWorkspace: "/srv/mine", fails: "conf/team.dsh.hcl is a file."},
		{name: "nothing is there", dir: "/srv/mine", config: "nowhere", wantWorkspace: "/srv/mine", fails: "There is no folder nowhere."},
		{name: "a workspace is given", dir: "/home/anna/repo/sub", workspace: "deep", wantDir: "/home/anna/repo", wantWorkspace: "/home/anna/repo/sub/deep"},
		{name: "a workspace that is not there", dir: "/home/anna/repo/sub", workspace: "x", wantDir: "/home/anna/repo", wantWorkspace: "/home/anna/repo/sub/x",
			fails: "There is no folder x."},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			opts := Options{Dir: c.dir, Config: c.config, Workspace: c.workspace, Home: "/home/anna", Exists: files.exists, IsDir: func(p string) bool { return !strings.HasSuffix(p, ".hcl") }, OwnerOf: owner}
			if c.anyOwner {
				opts.OwnerOf = nil
			}
			dir, workspace, diags := Locate(opts)
			if dir != c.wantDir || workspace != c.wantWorkspace {
				t.Errorf("folder %q, workspace %q", dir, workspace)
			}
			err := diags.Err()
			if (err != nil) != (c.fails != "") || err != nil && !strings.Contains(err.Error(), c.fails) {
				t.Errorf("problems %v", err)
			}
		})
	}
}

// A folder with files that the search does not look for is told how to be named.
func TestLocateNames(t *testing.T) {
	for name, want := range map[string]string{
		"team.dsh.hcl":      "There is team.dsh.hcl, which the search does not look for: name its folder with --config ., or call one of its files dsh.hcl.",
		"team.dsh.hcl.json": "There is team.dsh.hcl.json, which the search",
		"DSH.hcl":           "There is DSH.hcl: rename it to dsh.hcl.",
		"other.hcl":         "Run `dsh init` to make one",
	} {
		_, _, diags := Locate(Options{Dir: "/a/b", Exists: func(string) bool { return false }, Names: func(folder string) []string {
			if folder != "/a/b" {
				return nil
			}
			return []string{".hidden.dsh.hcl", name}
		}})
		if err := diags.Err(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestShown(t *testing.T) {
	o := Options{Dir: "/work/project"}
	for path, want := range map[string]string{
		"/work/project/dsh.hcl": "dsh.hcl",
		"/work/x/dsh.hcl":       "../x/dsh.hcl",
		"/etc/x":                "/etc/x",
		"/work/project":         ".",
	} {
		if got := o.shown(path); got != want {
			t.Errorf("%s is shown as %s, want %s", path, got, want)
		}
	}
}
