package scenarios

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"time"
	"unicode"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/rogpeppe/go-internal/txtar"
)

// Options say which scenarios to run and how.
type Options struct {
	Dir     string         // folder that holds the *.txtar files, at any depth
	Golden  string         // folder that holds the goldens
	Project string         // the configuration folder, $PROJECT; "" for none
	Agents  []string       // of the project's configuration, whose headers are to be pinned
	Match   *regexp.Regexp // names to run, nil for all
	Update  bool           // rewrite goldens and the files of cmp
	Keep    bool           // keep the scenarios' folders
	Host    Host
	// OnMove is asked before a golden is rewritten that pins bytes which providers
	// cache, and those moved; an error leaves it and fails the line. wrote is called once
	// it is rewritten. nil allows it.
	OnMove func(path string) (wrote func(), err error)
	// OnUpdate is told each golden that was rewritten. May be nil.
	OnUpdate func(path string)
	// Order puts the scenarios into another order than that of their names; nil leaves
	// them there.
	Order func(names []string)
	// Deadline is when programs that scenarios started are ended, for go test to have
	// time to say so; zero for never. A Suite sets it.
	Deadline time.Time
	// Unguarded lets scenarios pass that assert nothing, and leaves goldens alone: for
	// scripts that are not about an agent.
	Unguarded bool

	audit *audit
	ctx   context.Context // of the run, nil for one without end
}

// context is the context of the run.
func (o Options) context() context.Context {
	if o.ctx == nil {
		return context.Background()
	}
	return o.ctx
}

// Find returns the names of the scenarios below a folder: their paths there
// without the suffix, with slashes, in byte order.
func Find(dir string) ([]string, error) {
	var names []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		name, ok := strings.CutSuffix(filepath.ToSlash(rel), ".txtar")
		if why := unusable(rel, d, ok); why != "" {
			return fmt.Errorf("%q below %s would never run: %s", rel, dir, why)
		}
		if d.Type().IsRegular() && ok {
			names = append(names, name)
		}
		return nil
	})
	sort.Strings(names)
	for _, name := range names {
		if i, folder := slices.BinarySearch(names, name+"/"); err == nil && !folder && i < len(names) && strings.HasPrefix(names[i], name+"/") {
			err = fmt.Errorf("%q below %s and the folder of that name are one in reports: rename one of them", name+".txtar", dir)
		}
	}
	return names, err
}

// unusable is why something below scenarios/ that was probably meant to run would not.
func unusable(rel string, d fs.DirEntry, suffixed bool) string {
	name := d.Name()
	switch {
	case d.Type()&fs.ModeSymlink != 0:
		return "it is a symbolic link, and only what lies there itself is run"
	case !d.IsDir() && !d.Type().IsRegular() && suffixed:
		return "it is no plain file"
	case d.IsDir():
		return ""
	case !suffixed && strings.EqualFold(filepath.Ext(name), ".txtar"):
		return "write its ending as .txtar"
	case suffixed && name == ".txtar":
		return "it has no name"
	case suffixed && filepath.ToSlash(rel) == GoldensTest+".txtar":
		return "the name " + GoldensTest + " is that of what is wrong with the goldens"
	case suffixed && strings.ContainsFunc(rel, unicode.IsControl):
		return "its name has control characters"
	}
	return ""
}

// Run runs the scenarios as subtests of t. Finding none is a failure: a suite
// that checks nothing must not pass. When all subtests have ended, audit tells what
// is wrong with the goldens, one finding a string.
func Run(t testscript.T, o Options) (audit func() []string) {
	o.audit = newAudit()
	names, err := Find(o.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		t.Fatal(fmt.Sprintf("there is no folder %s; scenarios are the *.txtar files below it", o.Dir))
	}
	if err != nil {
		t.Fatal(err)
	}
	var base []File
	if o.Host.Reads != nil {
		if base, err = o.Host.Reads(); err != nil {
			t.Fatal(err)
		}
	}
	everything := slices.Clone(names)
	all := len(names)
	if o.Match != nil {
		names = slices.DeleteFunc(names, func(name string) bool { return !o.Match.MatchString(name) })
	}
	if o.Order != nil {
		o.Order(names)
	}
	command := o.Host.Command
	o.Host.Command = func(_ context.Context, args []string, s Surroundings) int { return command(o.context(), args, s) }
	for _, name := range names {
		run(t, o, name, base)
	}
	if len(names) == 0 {
		if o.Match != nil {
			t.Fatal(fmt.Sprintf("none of the %d scenarios in %s has a name that matches %q", all, o.Dir, o.Match))
		}
		t.Fatal(fmt.Sprintf("there is no scenario in %s", o.Dir))
	}
	if o.Unguarded {
		return func() []string { return nil }
	}
	return func() []string { return o.audit.findings(o.Golden, everything, o.Agents) }
}

// run runs one scenario under its whole name.
func run(t testscript.T, o Options, name string, base []File) {
	file := filepath.Join(o.Dir, filepath.FromSlash(name)+".txtar")
	t.Run(name, func(t testscript.T) {
		if t, ok := t.(told); ok {
			t.testing(file)
		}
		t.Parallel()
		if o.context().Err() != nil {
			t.Skip("it was not run: the run was over")
		}
		if name := strange(file); name != "" {
			t.Fatal(fmt.Sprintf("the file %q would not lie in the scenario's folder: name it by a path below that", name))
		}
		if text, err := os.ReadFile(file); err == nil && !o.Unguarded {
			if err := mistaken(text); err != nil {
				t.Fatal(fmt.Sprintf("scenarios/%s.txtar: %v", name, err))
			}
		}
		if name := misnamed(file); name != "" && !o.Unguarded {
			t.Fatal(fmt.Sprintf("nothing reads the file %s: did you mean model.hcl?", name))
		}
		before, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var w *world
		// However it ends: a line in front of the one that fails or skips may have rewritten it.
		defer func() { o.keepHonest(t, file, before, w) }()
		skips := func() { o.audit.skipped(name, before, o.Golden) }
		testscript.RunT(alone{promised{T: t, file: file, root: filepath.Dir(o.Dir)}, skips}, params(o, name, file, base, &w))
		if w != nil && w.left != nil && !o.Unguarded {
			t.Fatal(w.left.Error())
		}
		if !o.Unguarded && !asserts(before) {
			t.Fatal("the scenario asserts nothing: it drives no agent and no command line, or no line that certainly runs could fail because they changed. Add a line such as: prefix order ..., request text ..., stdout ..., reproducible")
		}
		o.audit.ran(name)
	})
}

// params are what testscript needs to know of a scenario.
func params(o Options, name, file string, base []File, made **world) testscript.Params {
	return testscript.Params{
		Files:              []string{file},
		UpdateScripts:      o.Update,
		TestWork:           o.Keep,
		RequireUniqueNames: true,
		Cmds:               commands(),
		Deadline:           o.Deadline,
		Setup: func(env *testscript.Env) error {
			if err := lay(base, env.WorkDir); err != nil {
				return err
			}
			w := newWorld(o, name, env.WorkDir)
			if o.Host.Reads != nil {
				w.openings = newOpenings(base, env.WorkDir)
			}
			w.ownModel = bringsModel(file)
			*made = w
			env.Values[worldKey{}] = w
			env.Vars = append(env.Vars,
				"PROJECT="+o.Project,
				"XDG_STATE_HOME="+filepath.Join(env.WorkDir, ".tmp", "state"),
				"XDG_CONFIG_HOME="+filepath.Join(env.WorkDir, ".tmp", "config"),
				"XDG_CACHE_HOME="+filepath.Join(env.WorkDir, ".tmp", "cache"),
			)
			env.Defer(w.close)
			return nil
		},
	}
}

// misnamed is the name of a file in a scenario that was probably meant to be the
// scripted model.
func misnamed(file string) string {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		return ""
	}
	near := ""
	text, _ := os.ReadFile(file)
	models := modelFiles(text)
	for _, f := range archive.Files {
		if slices.Contains(models, f.Name) {
			return ""
		}
		if didYouMean(f.Name, []string{"model.hcl"}) != "" {
			near = f.Name
		}
	}
	return near
}

// strange is the name of a file in a scenario that does not lie below its folder.
func strange(file string) string {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		return "" // testscript says so
	}
	for _, f := range archive.Files {
		if !inside(f.Name) {
			return f.Name
		}
	}
	return ""
}

// bringsModel reports whether a scenario brings files that may be its scripted model.
func bringsModel(file string) bool {
	archive, err := txtar.ParseFile(file)
	return err == nil && slices.ContainsFunc(archive.Files, func(f txtar.File) bool { return expects.Match(f.Data) })
}

// alone runs the one script of a RunT in the test that it was called in, which has
// waited for its turn already.
type alone struct {
	testscript.T
	skips func() // is told that the script does not go on
}

// Run implements testscript.T.
func (a alone) Run(_ string, f func(testscript.T)) { f(a) }

// Parallel implements testscript.T.
func (a alone) Parallel() {}

// Skip implements testscript.T.
func (a alone) Skip(args ...any) {
	a.skips()
	a.T.Skip(args...)
}

// keepHonest looks at the file of a scenario that has ended, whichever way. With updates
// on, cmp may have rewritten the files in it: what was rewritten is reported, and what
// would not hold in the next run, such as the path of this run's folder, is taken back.
func (o Options) keepHonest(t testscript.T, file string, before []byte, w *world) {
	if !o.Update {
		return
	}
	after, err := os.ReadFile(file)
	if err != nil || bytes.Equal(before, after) {
		return
	}
	holds := func(name string) bool { return bytes.Count(after, []byte(name)) > bytes.Count(before, []byte(name)) }
	if holds("go-test-script") || w != nil && holds(w.runFolder()) {
		if err := os.WriteFile(file, before, 0o644); err != nil {
			t.Fatal(err)
		}
		t.Fatal("what cmp would write into the scenario holds the path of its folder, which is another one in every run: compare with cmpenv, which knows $WORK")
	}
	if o.OnUpdate != nil {
		o.OnUpdate(file)
	}
}

// lay copies the files that a scenario starts with; those of its archive stay.
func lay(files []File, dir string) error {
	for _, f := range files {
		to := filepath.Join(dir, filepath.FromSlash(f.Name))
		if _, err := os.Lstat(to); err == nil {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		in, err := os.Open(f.Path)
		if err != nil {
			return err
		}
		info, err := in.Stat()
		if err != nil {
			in.Close()
			return err
		}
		// A program stays one.
		out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, info.Mode().Perm()|0o600)
		if err == nil {
			_, err = io.Copy(out, in)
			if cerr := out.Close(); err == nil {
				err = cerr
			}
		}
		in.Close()
		if err != nil {
			return err
		}
	}
	return nil
}
