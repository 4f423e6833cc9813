package hclfile

import "path/filepath"

// Files reads files on behalf of a configuration; config/confine implements it.
// Paths are absolute.
type Files interface {
	// ReadFile returns the content of a regular file of at most max bytes. What
	// does not exist is reported by an error that is fs.ErrNotExist, what may not
	// be read by one that is Outside.
	ReadFile(path string, max int64) ([]byte, error)
	// ReadDir returns the base names of the regular files that are direct children
	// of a folder, in byte order.
	ReadDir(path string) ([]string, error)
	// ReadFolders returns the base names of the folders that are direct children of
	// a folder, in byte order; links says whether symbolic links to folders count.
	ReadFolders(path string, links bool) ([]string, error)
}

// Outside is an error of Files for a path that is not below what may be read, or
// that a symbolic link leads out of it. Outside is where the link leads, "" when
// the path itself is outside.
type Outside interface {
	error
	Outside() string
}

// Options is what a configuration is read with. Dir and Home are absolute;
// Config and Workspace may be relative to Dir.
type Options struct {
	Config    string // --config: a folder, or the dsh.hcl in it; "" to search
	Dir       string // working directory
	RealDir   string // where that really lies, without symbolic links; "" for the same
	Workspace string // --workspace; "" to find
	Home      string // "" when there is none
	Version   string // of the program, checked against required_version; "" for a build without one
	Env       func(name string) (string, bool)
	EnvNames  func() []string // names of all variables of the environment; nil when they cannot be listed
	Inputs    []Input         // --var and --var-file, in the order of the command line
	Files     Files           // for Load

	// OwnerOf tells the user id that owns a path; nil when owners do not count.
	// The search for a configuration stops at a folder whose owner is not that of
	// the working directory.
	OwnerOf func(path string) (uid int, ok bool)
	// Exists reports whether a path names anything.
	Exists func(path string) bool
	// Names are the names of everything in a folder; nil when they cannot be listed. They
	// are for advice, and for what Files does not list: pipes and devices.
	Names func(folder string) []string
	// IsDir reports whether an existing path is a folder; nil to take every path for
	// one.
	IsDir func(path string) bool
	// Executable reports whether an existing path is a program; nil to take every
	// path for one.
	Executable func(path string) bool
	// Tokenizer says why tokens cannot be counted with the tokenizer.json at a path,
	// nil when they can; nil to take every file for one.
	Tokenizer func(path string, text []byte) error
}

// abs makes a path absolute that a person gave.
func (o *Options) abs(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(o.Dir, path)
}

// shown is the form of an absolute path in messages: relative to the working
// directory where that is shorter.
func (o *Options) shown(path string) string {
	if o.Dir == "" {
		return path
	}
	if rel, err := filepath.Rel(o.Dir, path); err == nil && len(rel) < len(path) {
		return rel
	}
	return path
}

func (o *Options) env(name string) (string, bool) {
	if o.Env == nil {
		return "", false
	}
	return o.Env(name)
}

func (o *Options) exists(path string) bool { return o.Exists != nil && o.Exists(path) }

// Caps on what is read into memory, in bytes. A configuration and a template are
// parsed by recursion, so their cap also bounds the stack.
const (
	maxConfig = 512 << 10
	maxPrompt = 4 << 20
	maxGit    = 8 << 20

	maxTokenizer = 64 << 20
)
