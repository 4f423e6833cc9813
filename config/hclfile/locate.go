package hclfile

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/dsh-hcl/dsh/config/diag"
)

// mainFile is the file that marks a configuration folder.
const mainFile = "dsh.hcl"

// Locate finds the configuration folder and the workspace, both absolute. It asks
// only opts.Exists, opts.OwnerOf and opts.Names and reads nothing.
//
// Without opts.Config the folder is the nearest ancestor of the working directory
// that holds dsh.hcl. The search ends with the home folder and with the root of a
// repository, both included, and before a folder that belongs to somebody other
// than the owner of the working directory. The workspace is the nearest ancestor
// that holds .git, else the working directory.
func Locate(opts Options) (dir, workspace string, diags diag.List) {
	workspace = opts.Dir
	if opts.Workspace != "" {
		workspace = opts.abs(opts.Workspace)
		switch {
		case !opts.exists(workspace):
			diags = append(diags, diag.Errorf(diag.Range{}, "Workspace not found", "There is no folder %s.", opts.shown(workspace)))
		case opts.IsDir != nil && !opts.IsDir(workspace):
			diags = append(diags, diag.Errorf(diag.Range{}, "Workspace not found", "The workspace %s is a file, not a folder.", opts.shown(workspace)))
		}
	} else {
		for _, d := range opts.ancestors() {
			if opts.exists(filepath.Join(d, ".git")) {
				workspace = d
				break
			}
		}
	}
	if opts.Config != "" {
		dir, more := opts.given()
		return dir, workspace, append(diags, more...)
	}
	last, near := opts.Dir, ""
	for _, d := range opts.ancestors() {
		if opts.exists(filepath.Join(d, mainFile)) || opts.exists(filepath.Join(d, mainFile+".json")) {
			return d, workspace, diags
		}
		last = d
		if near == "" {
			near = opts.nearConfiguration(d)
		}
		if d == opts.Home || opts.exists(filepath.Join(d, ".git")) {
			break
		}
	}
	where := opts.Dir
	if last != opts.Dir {
		where += " or its parents up to " + last
	}
	advice := "Run `dsh init` to make one, or name a folder with --config."
	if near != "" {
		advice = near
	}
	return "", workspace, append(diags, diag.Errorf(diag.Range{}, "No configuration found", "There is no %s in %s. %s", mainFile, where, advice))
}

// nearConfiguration says how a folder is named, or its file, that holds configuration
// and is not found by the search; "" for none.
func (o *Options) nearConfiguration(folder string) string {
	if o.Names == nil {
		return ""
	}
	for _, n := range o.Names(folder) {
		switch shown := plain(o.shown(filepath.Join(folder, n))); {
		case strings.HasPrefix(n, ".") || unusableName(n) != "":
		case strings.EqualFold(n, mainFile):
			return fmt.Sprintf("There is %s: rename it to %s.", shown, mainFile)
		case strings.HasSuffix(n, "."+mainFile), isJSON(n):
			return fmt.Sprintf("There is %s, which the search does not look for: name its folder with --config %s, or call one of its files %s.", shown, plain(o.shown(folder)), mainFile)
		}
	}
	return ""
}

// given is the folder that --config, or an argument in its place, names.
func (o *Options) given() (string, diag.List) {
	path := o.abs(o.Config)
	if !o.exists(path) {
		return "", diag.List{diag.Errorf(diag.Range{}, "Configuration not found", "There is no folder %s.", o.shown(path))}
	}
	if base := filepath.Base(path); base == mainFile || base == mainFile+".json" {
		return filepath.Dir(path), nil
	}
	if o.IsDir != nil && !o.IsDir(path) {
		return "", diag.List{diag.Errorf(diag.Range{}, "Not a configuration folder",
			"%s is a file. A configuration is a whole folder: name the folder, or the %s in it.", o.shown(path), mainFile)}
	}
	return path, nil
}

// ancestors are the working directory and the folders above it, up to the first
// that belongs to somebody else, which is left out.
func (o *Options) ancestors() []string {
	var out []string
	owner, known := o.owner(o.Dir)
	for d := filepath.Clean(o.Dir); ; d = filepath.Dir(d) {
		if uid, ok := o.owner(d); known && (!ok || uid != owner) {
			return out
		}
		out = append(out, d)
		if d == filepath.Dir(d) {
			return out
		}
	}
}

func (o *Options) owner(path string) (int, bool) {
	if o.OwnerOf == nil {
		return 0, false
	}
	return o.OwnerOf(path)
}
