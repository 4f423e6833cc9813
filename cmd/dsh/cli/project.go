package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/config/confine"
	"github.com/dsh-hcl/dsh/config/diag"
	"github.com/dsh-hcl/dsh/config/hclfile"
	"github.com/dsh-hcl/dsh/config/settings"
	"github.com/dsh-hcl/dsh/schema"
)

// project is a loaded configuration and what it takes to run it.
type project struct {
	dir      string // of the configuration, "" when none was found
	config   *config.Config
	settings settings.Settings
	sources  diag.Sources
	problems diag.List // warnings only, once loaded
	files    *confine.Reader
	read     *recorder // what was read through files
	known    *known
	closing  []func() error // what tools hold open

	tokenizers tokenizers
	keys       printedKeys
}

func (p *project) close() {
	for _, f := range p.closing {
		_ = f() // folders that were read
	}
	if p.files != nil {
		p.files.Close()
	}
}

type loadOptions struct {
	dir   string   // instead of --config and the search
	vars  []string // name=value, in front of those of the command line
	quiet bool     // print errors only
}

// load finds, reads and checks a configuration. Errors and warnings are printed;
// with an error the command ends with exit code 2.
func (c *command) load(o loadOptions) (*project, error) {
	p, err := c.tryLoad(o)
	if err != nil {
		return nil, err
	}
	// Tidiness is the business of check; a run shows what may change it.
	shown := slices.DeleteFunc(slices.Clone(p.problems), func(d diag.Diagnostic) bool {
		return d.Severity == diag.Warning && (o.quiet || d.Rule == schema.RuleUnused || d.Rule == schema.RuleVolatile)
	})
	if len(shown) > 0 {
		c.printDiagnostics(shown, p.sources)
	}
	if p.problems.HasErrors() {
		p.close()
		return nil, &silentError{exitUsage}
	}
	return p, nil
}

// tryLoad is load without printing; the project's problems may hold errors. The
// error is one of the command line or the machine's settings.
func (c *command) tryLoad(o loadOptions) (*project, error) {
	set, remarks := c.loadSettings()
	if err := remarks.Err(); err != nil {
		return nil, err
	}
	inputs, err := c.readInputs(o.vars)
	if err != nil {
		return nil, err
	}
	inputs = append(slices.Clip(c.env.Inputs), inputs...)
	opts := hclfile.Options{
		Config: c.flags.config, Workspace: c.flags.workspace, Dir: c.env.Dir, Home: c.env.Home,
		Version: Version, Env: c.env.Getenv, EnvNames: c.env.EnvNames, Inputs: inputs,
		OwnerOf: ownerOf, Exists: exists, Names: namesIn, IsDir: isDir, Executable: executable,
	}
	if o.dir != "" {
		opts.Config = o.dir
	}
	dir, workspace, problems := locate(opts)
	problems = append(remarks, problems...)
	p := &project{dir: dir, settings: set, problems: problems, known: &known{}}
	if problems.HasErrors() {
		return p, nil
	}
	if !utf8.ValidString(workspace) {
		return nil, usageErrorf("the path of the workspace is not UTF-8 text")
	}
	for _, path := range set.TrustedPaths.V {
		if !isDir(path) {
			return nil, usageErrorf("trusted_paths (%s) names %s, which is no folder. Make the folder, or take it out of trusted_paths.", set.TrustedPaths.Origin, path)
		}
	}
	roots := append([]string{dir, workspace}, set.TrustedPaths.V...)
	slices.Sort(roots)
	if p.files, err = confine.New(slices.Compact(roots)...); err != nil {
		return nil, err
	}
	p.read = &recorder{Reader: p.files}
	opts.Files = p.read
	opts.Tokenizer = p.tokenizers.take
	if real, err := filepath.EvalSymlinks(c.env.Dir); err == nil {
		opts.RealDir = real // as the workspace is named
	}
	var more diag.List
	p.config, p.sources, more = hclfile.Load(dir, workspace, opts)
	p.problems = append(p.problems, more...)
	if !p.problems.HasErrors() {
		p.read.plan(p.config)
	}
	return p, nil
}

// workspace is the workspace alone, for commands that need no configuration.
func (c *command) workspace() string {
	_, workspace, _ := locate(hclfile.Options{Dir: c.env.Dir, Workspace: c.flags.workspace, Home: c.env.Home, OwnerOf: ownerOf, Exists: exists})
	return workspace
}

// hasConfiguration reports whether a configuration was named or lies around the
// working directory.
func (c *command) hasConfiguration() bool {
	dir, _, _ := locate(hclfile.Options{Dir: c.env.Dir, Workspace: c.flags.workspace, Home: c.env.Home, OwnerOf: ownerOf, Exists: exists})
	return c.flags.config != "" || dir != ""
}

// locate finds configuration and workspace. The workspace is named by where it
// really lies, so that its sessions are the same through every link to it.
func locate(opts hclfile.Options) (dir, workspace string, problems diag.List) {
	dir, workspace, problems = hclfile.Locate(opts)
	if real, err := filepath.EvalSymlinks(workspace); err == nil {
		workspace = real
	}
	return dir, workspace, problems
}

func exists(path string) bool { _, err := os.Stat(path); return err == nil }

// namesIn are the names of everything in a folder, none when it cannot be read.
func namesIn(folder string) []string {
	entries, _ := os.ReadDir(folder)
	out := make([]string, 0, len(entries))
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func isDir(path string) bool { info, err := os.Stat(path); return err == nil && info.IsDir() }

func (c *command) settings() (settings.Settings, error) {
	s, problems := c.loadSettings()
	return s, problems.Err()
}

// strayVariables are warnings of variables of the environment that are nearly those of
// settings, or that only flags have.
func (c *command) strayVariables() diag.List {
	if c.env.EnvNames == nil {
		return nil
	}
	var out diag.List
	known := []string{"DSH_STORE", "DSH_COLOR", "DSH_AGENT", "DSH_TRUSTED_PATHS"}
	names := slices.Clone(c.env.EnvNames())
	slices.Sort(names)
	for _, n := range names {
		upper := strings.ToUpper(n)
		if !strings.HasPrefix(upper, "DSH_") || strings.HasPrefix(upper, "DSH_VAR_") || slices.Contains(known, n) {
			continue
		}
		advice := ""
		if near := nearest(upper, known); near != "" {
			advice = "Did you mean " + near + "?"
		}
		if upper == "DSH_CONFIG" || upper == "DSH_WORKSPACE" {
			advice = "Use --" + strings.ToLower(upper[len("DSH_"):]) + "."
		}
		if advice != "" {
			out = append(out, diag.Warnf(schema.RuleVariableCase, diag.Range{}, "Environment variable without effect", "%s is set, and nothing reads it. %s", inLine(n), advice))
		}
	}
	return out
}

// loadSettings is settings with its warnings.
func (c *command) loadSettings() (settings.Settings, diag.List) {
	flags := map[string]string{}
	if c.flags.store != "" {
		flags["store"] = c.flags.store
	}
	if c.flags.color != "" {
		flags["color"] = c.flags.color
	}
	set, problems := settings.Load(settings.Options{Flags: flags, Env: c.env.Getenv, Home: c.env.Home, Dir: c.env.Dir})
	problems = append(problems, c.strayVariables()...)
	if set.Store.V != "" {
		// Sessions and trust of the machine are nothing for a scenario.
		if err := c.within(set.Store.V); err != nil {
			problems = append(problems, diag.Errorf(diag.Range{}, "Store out of reach", "The folder for sessions is %s, and %s.", set.Store.V, err))
		}
	}
	return set, problems
}
