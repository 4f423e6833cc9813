// Package settings is what belongs to a person or a machine and not to an agent:
// where sessions are kept, whether output is coloured, which agent is meant when
// none is named, which further folders a configuration may read. A value comes
// from the command line, else from the environment, else from the settings file,
// else from the default, and says which. The package promises that no key and no
// value is silently ignored, and it alone knows viper.
package settings

import (
	"path/filepath"

	"github.com/spf13/viper"

	"github.com/dsh-hcl/dsh/config/diag"
)

// Settings is all of them.
type Settings struct {
	Store        Value[string]   // absolute path of the folder that holds sessions/ and the machine's records, "" where no home is known
	Color        Value[string]   // "auto", "always" or "never"
	Agent        Value[string]   // name of the agent to run when none is named, "" for none
	TrustedPaths Value[[]string] // absolute paths of further folders a configuration may read

	entries []Entry
}

// Entry is one setting for those who want to see what holds. Values has at most one
// element unless List.
type Entry struct {
	Name   string
	Values []string
	List   bool
	Origin string
}

// Entries are all settings that Load read, in the order in which they are shown.
func (s Settings) Entries() []Entry { return s.entries }

// Value is a setting and where it came from: "flag", the name of an environment
// variable, the path of the settings file, or "default".
type Value[T any] struct {
	V      T
	Origin string
}

// Origins that are not names of a place.
const (
	FromFlag    = "flag"
	FromDefault = "default"
)

// Options is what Load looks at; it reads nothing of the process itself.
type Options struct {
	// Flags holds the settings that were given on the command line, by key. A list
	// is written as in PATH. A key that is no setting panics.
	Flags map[string]string
	// Env looks up an environment variable, as os.LookupEnv does; it is required. An
	// empty variable counts as unset.
	Env func(name string) (string, bool)
	// Home is the person's home folder, "" when there is none.
	Home string
	// Dir is the working directory, an absolute path. Relative paths in flags and
	// variables start there, those in the settings file at its folder.
	Dir string
}

// Load reads the settings. Diagnostics cover every layer, those that a higher one
// overrides included; a setting with an error has its value from the next layer.
func Load(opts Options) (Settings, diag.List) {
	l := loader{opts: opts, layers: viper.New()}
	l.defaults()
	l.file()
	l.environment()
	l.flags()
	s := Settings{
		Store:        value[string](l, "store"),
		Color:        value[string](l, "color"),
		Agent:        value[string](l, "agent"),
		TrustedPaths: value[[]string](l, "trusted_paths"),
	}
	for _, k := range keys {
		s.entries = append(s.entries, l.entry(k))
	}
	l.problems.Sort()
	return s, l.problems
}

func (l loader) entry(k key) Entry {
	e := l.layers.Get(k.name).(entry)
	out := Entry{Name: k.name, List: k.list, Origin: e.origin}
	switch v := e.v.(type) {
	case []string:
		out.Values = v
	case string:
		if v != "" {
			out.Values = []string{v}
		}
	}
	return out
}

// loader gathers the layers. viper holds them and knows which one wins; what it
// holds are entries, checked and with their origin, since viper by itself would
// lower the case of keys, split them at dots, turn a number into a string and
// forget where a value came from.
type loader struct {
	opts     Options
	layers   *viper.Viper
	problems diag.List
}

// entry is a checked value: a string or a []string.
type entry struct {
	v      any
	origin string
}

func value[T any](l loader, name string) Value[T] {
	e := l.layers.Get(name).(entry)
	return Value[T]{V: e.v.(T), Origin: e.origin}
}

func (l *loader) defaults() {
	store := ""
	if dir := l.xdg("XDG_STATE_HOME", ".local/state"); dir != "" {
		store = filepath.Join(dir, "dsh")
	}
	for name, v := range map[string]any{"store": store, "color": "auto", "agent": "", "trusted_paths": []string(nil)} {
		l.layers.SetDefault(name, entry{v, FromDefault})
	}
}

// environment puts DSH_STORE and the like above the file: merging replaces.
func (l *loader) environment() {
	layer := map[string]any{}
	for _, k := range keys {
		raw, ok := l.env(k.variable())
		if !ok {
			continue
		}
		v, err := k.parse(l.place(l.opts.Dir), k.fromText(raw))
		if err != nil {
			l.problems = append(l.problems, diag.Errorf(diag.Range{}, "Invalid setting", "%s %s.", k.variable(), err))
			continue
		}
		layer[k.name] = entry{v, k.variable()}
	}
	l.merge(layer)
}

func (l *loader) flags() {
	for name := range l.opts.Flags {
		keyOf(name)
	}
	for _, k := range keys {
		raw, ok := l.opts.Flags[k.name]
		if !ok {
			continue
		}
		v, err := k.parse(l.place(l.opts.Dir), k.fromText(raw))
		if err != nil {
			l.problems = append(l.problems, diag.Errorf(diag.Range{}, "Invalid setting", "--%s %s.", k.flag(), err))
			continue
		}
		l.layers.Set(k.name, entry{v, FromFlag})
	}
}

func (l *loader) merge(layer map[string]any) {
	if err := l.layers.MergeConfigMap(layer); err != nil {
		panic("settings: " + err.Error()) // entries have nothing to conflict in
	}
}

func (l *loader) env(name string) (string, bool) {
	v, ok := l.opts.Env(name)
	return v, ok && v != ""
}

// xdg returns the folder a variable of the XDG Base Directory Specification names,
// or the one below home that stands for it, or "". The specification asks to
// ignore a relative path there.
func (l *loader) xdg(variable, home string) string {
	if dir, ok := l.env(variable); ok && filepath.IsAbs(dir) {
		return filepath.Clean(dir)
	}
	if l.opts.Home == "" {
		return ""
	}
	return filepath.Join(l.opts.Home, filepath.FromSlash(home))
}

func (l *loader) place(dir string) place { return place{dir: dir, home: l.opts.Home} }
