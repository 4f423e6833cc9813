package hclfile

import (
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/config/diag"
	"github.com/dsh-hcl/dsh/schema"
)

// Load reads the configuration in dir for a workspace, both absolute. The list
// holds all problems, sorted by place; when it has an error, the configuration is
// nil. The sources are what the diagnostics point into, with secrets that are
// written in them blotted out. Nothing but opts.Files is read, and secrets are
// not resolved.
func Load(dir, workspace string, opts Options) (*config.Config, diag.Sources, diag.List) {
	l := newLoader(opts, schema.Language(), "a configuration file")
	l.dir, l.workspace = dir, workspace
	if !l.checkFolders() {
		return nil, l.sources, l.finish()
	}
	l.readFolder()
	if l.blind {
		// What stands behind a syntax error is not known, so checking on would report
		// as missing what is merely hidden.
		return nil, l.sources, l.finish()
	}
	root := l.openAll()
	l.dsh(root)
	l.readValues(root)
	if l.blind {
		// Variables would be said to have no value that stands behind the error.
		return nil, l.sources, l.finish()
	}
	l.declareVariables(root)
	l.declareLocals(root)
	cfg := &config.Config{Dir: dir, Workspace: workspace, DisabledRules: slices.Sorted(maps.Keys(l.disabled))}
	cfg.Providers = l.providers(root)
	l.models(root, cfg)
	l.hooks(root, cfg)
	l.toolBlocks(root, cfg)
	l.declareGroups(root)
	l.agents(root, cfg)
	l.readOtherGroups()
	l.checkInputs()
	l.reportUnused(cfg)
	cfg.Starts = l.sortedStarts()
	cfg.Entries = func() []config.Entry { return l.entries(root) }
	diags := l.finish()
	if diags.HasErrors() {
		return nil, l.sources, diags
	}
	return cfg, l.sources, diags
}

// loader is the state of one Load. Everything found goes into diags; nothing
// stops at the first problem.
type loader struct {
	opts      Options
	language  *schema.Block
	rootName  string // what its files are called: "a script"
	dir       string
	workspace string
	sources   diag.Sources
	files     map[string]*source // by name
	order     []*source          // configuration files, as they are merged
	diags     diag.List
	blind     bool            // a file could not be read as a whole
	disabled  map[string]bool // rules

	functions   map[string]function.Function // those that were called so far
	credentials []string                     // that are written down, or come by a variable that is not sensitive
	agentName   string                       // of the agent that is read, "" elsewhere
	paying      *budget                      // of the evaluation that is under way, nil for none
	values      []valued                     // of attributes; a list, since most runs never ask
	computed    map[string]string            // defaults that depend on other attributes, as JSON, by address
	given       map[string]given             // values of variables, by name
	variables   map[string]*variable
	names       []string // of variables, in order of declaration
	locals      map[string]*local
	localList   []string          // names of locals, in order of declaration
	kept        int               // bytes of text in all locals
	sizes       map[string]int    // bytes of text, of "var.x" and "local.x"
	marked      map[string][]mark // of values, of "var.x" and "local.x"
	paths       cty.Value
	git         *gitFacts // nil until asked for
	groups      map[string]*group
	groupList   []string        // names of groups, in order of declaration
	used        map[string]bool // "var.x", "local.x", "provider.x", "model.x", "hook.x", "tool.x", "prefix.x"
	late        bool            // a secret is computed, because it is used now
	masked      map[string]bool // sources that are copies with secrets blotted out
	lost        map[string]bool // attributes without a usable value: "model.x.id"
	starts      []config.Start
	parts       []part                    // sensitive texts that were read or made
	scripts     map[string]*config.Script // by name of their file, nil for one with errors
}

func newLoader(opts Options, language *schema.Block, rootName string) *loader {
	l := &loader{
		opts:      opts,
		language:  language,
		rootName:  rootName,
		sources:   diag.Sources{},
		files:     map[string]*source{},
		disabled:  map[string]bool{},
		computed:  map[string]string{},
		variables: map[string]*variable{},
		locals:    map[string]*local{},
		sizes:     map[string]int{},
		marked:    map[string][]mark{},
		groups:    map[string]*group{},
		used:      map[string]bool{},
		masked:    map[string]bool{},
		lost:      map[string]bool{},
		scripts:   map[string]*config.Script{},
	}
	l.functions = map[string]function.Function{partText: l.textFunction()}
	return l
}

func (l *loader) report(d diag.Diagnostic) {
	switch n := len(l.diags); {
	case n < maxProblems:
		l.diags = append(l.diags, d)
	case n == maxProblems: // an error, since what is left out may be one
		l.diags = append(l.diags, diag.Errorf(d.Subject, "Too many problems", "There are more than %d problems; the others are not shown.", maxProblems))
	}
}

func (l *loader) errorf(at diag.Range, summary, detail string, args ...any) {
	l.report(diag.Errorf(at, summary, detail, args...))
}

func (l *loader) warnf(rule string, at diag.Range, summary, detail string, args ...any) {
	l.report(diag.Warnf(rule, at, summary, detail, args...))
}

// readFolder reads and parses the files of the configuration folder.
func (l *loader) readFolder() {
	names, err := l.opts.Files.ReadDir(l.dir)
	if err != nil {
		l.errorf(diag.Range{}, "Configuration folder cannot be read", "%s.", err)
		return
	}
	folders, _ := l.opts.Files.ReadFolders(l.dir, true)
	for _, n := range folders {
		if slices.Contains(names, n) {
			continue // a link that leads nowhere: reading it says so
		}
		if isRead(n) {
			l.blind = true
			l.errorf(diag.Range{}, "Not a file", "%s is a folder with the name of a file that is read. Rename it.", l.opts.shown(filepath.Join(l.dir, n)))
		}
	}
	if l.opts.Names != nil {
		for _, n := range l.opts.Names(l.dir) {
			if isRead(n) && unusableName(n) == "" && !slices.Contains(names, n) && !slices.Contains(folders, n) {
				l.blind = true // a pipe or a device: reading it says so
				l.read(filepath.Join(l.dir, n), maxConfig, diag.Range{}, "configuration file")
			}
		}
	}
	var found []string
	for _, n := range names {
		problem := unusableName(n)
		switch {
		case strings.HasPrefix(n, "."):
		case problem != "" && strings.Contains(strings.ToLower(n), "."+mainFile):
			l.blind = true
			l.errorf(diag.Range{}, "File name cannot be used", "The name of the configuration file %s %s. Rename it.", plain(n), problem)
		case problem != "":
		case n == mainFile:
			found = slices.Insert(found, 0, n)
		case strings.HasSuffix(n, "."+mainFile), isJSON(n):
			found = append(found, n)
		case strings.EqualFold(n, mainFile) || len(n) > len(mainFile) && strings.EqualFold(n[len(n)-len(mainFile)-1:], "."+mainFile):
			l.warnf(schema.RuleFileName, diag.Range{}, "File passed over", "%s is not read: the names of configuration files end in lower case. Rename it to %s.",
				l.opts.shown(filepath.Join(l.dir, n)), n[:len(n)-len(mainFile)]+mainFile)
		case nearName.MatchString(n):
			l.warnf(schema.RuleFileName, diag.Range{}, "File passed over", "%s is not read. Configuration files are called %s or NAME.%s, and in JSON syntax %s.json or NAME.%s.json.",
				l.opts.shown(filepath.Join(l.dir, n)), mainFile, mainFile, mainFile, mainFile)
		}
	}
	if len(found) == 0 {
		l.errorf(diag.Range{}, "No configuration files", "The folder %s has no %s and no *.%s or *.%s.json file.", l.opts.shown(l.dir), mainFile, mainFile, mainFile)
	}
	total := 0
	for _, n := range found {
		path := filepath.Join(l.dir, n)
		text, ok := l.read(path, maxConfig, diag.Range{}, "configuration file")
		if !ok {
			l.blind = true
			continue
		}
		if total += len(text); total > maxFolder {
			l.blind = true
			l.errorf(diag.Range{}, "Configuration too large", "The configuration files have more than %d MiB together.", maxFolder>>20)
			return
		}
		l.order = append(l.order, &source{name: l.opts.shown(path), folder: l.dir, text: text})
	}
	results := make([]parsed, len(l.order))
	var wait sync.WaitGroup
	for i, s := range l.order {
		wait.Go(func() {
			if isJSON(s.name) {
				results[i] = scanJSON(s, l.language)
			} else {
				results[i] = scan(s)
			}
		})
	}
	wait.Wait()
	for i, s := range l.order {
		l.accept(s, results[i])
	}
}

// nearName is what people call a configuration file that is called otherwise here.
var nearName = regexp.MustCompile(`(?i)^(?:.*\.)?dsh\.(?:hcl\.(?:jsonc|json5|txt)|jsonc?|ya?ml|toml)$|^(?:.*\.)?dsh\.hcl\.json$`)

// isRead reports whether a file of that name in the folder is read.
func isRead(name string) bool {
	return name == mainFile || isJSON(name) || !strings.HasPrefix(name, ".") && strings.HasSuffix(name, "."+mainFile) || strings.HasSuffix(name, autoValues)
}

// isJSON reports whether a configuration file of that name is in JSON syntax.
func isJSON(name string) bool {
	base := filepath.Base(name)
	return base == mainFile+".json" || strings.HasSuffix(base, "."+mainFile+".json")
}

// openAll opens the bodies of all files as one.
func (l *loader) openAll() *body {
	root := &body{schema: l.language, attrs: hcl.Attributes{}}
	for _, s := range l.order {
		if s.body != nil {
			root.blocks = append(root.blocks, l.items(s.body, l.language, "").blocks...)
		}
	}
	if n := len(root.blocks); n > maxDeclarations {
		l.errorf(root.blocks[maxDeclarations].at(), "Too many declarations", "The configuration has %d blocks, and there may be %d.", n, maxDeclarations)
		root.blocks = root.blocks[:maxDeclarations]
	}
	l.checkRepeated(root)
	return root
}

// sortedStarts are what needs trust, in the order of files and places, each once.
func (l *loader) sortedStarts() []config.Start {
	rank := map[string]int{}
	for i, s := range l.order {
		rank[s.name] = i
	}
	slices.SortStableFunc(l.starts, func(a, b config.Start) int {
		if a.At.File != b.At.File {
			return rank[a.At.File] - rank[b.At.File]
		}
		return a.At.Start.Byte - b.At.Start.Byte
	})
	for i := range l.starts {
		l.starts[i].Text = plain(l.starts[i].Text)
	}
	seen := map[[2]string]bool{}
	return slices.DeleteFunc(l.starts, func(s config.Start) bool {
		key := [2]string{s.Kind, s.Text}
		again := seen[key]
		seen[key] = true
		return again
	})
}

// finish is the list of diagnostics as a person should see it: without disabled
// warnings and without repetitions, sorted, each with the declaration it is in.
func (l *loader) finish() diag.List {
	var out diag.List
	type key struct {
		rule, summary, detail string
		at                    diag.Range
	}
	const maxRelated = 4
	seen := map[key]int{}
	for _, d := range l.diags {
		k := key{d.Rule, d.Summary, d.Detail, d.Subject}
		if d.Severity == diag.Warning && l.disabled[d.Rule] {
			continue
		}
		if i, again := seen[k]; again {
			// One problem of a group for several agents: each of them is told, up to a few.
			for _, r := range d.Related {
				if len(out[i].Related) < maxRelated && !slices.Contains(out[i].Related, r) {
					out[i].Related = append(slices.Clip(out[i].Related), r)
				}
			}
			continue
		}
		seen[k] = len(out)
		if s := l.files[d.Subject.File]; s != nil && s.body != nil && d.In == "" {
			d.In = declarationAt(s.body, d.Subject.Start.Byte)
		}
		out = append(out, d)
	}
	out.Sort()
	return out
}
