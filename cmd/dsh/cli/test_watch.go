package cli

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dsh-hcl/dsh/config/hclfile"
)

// beat is how often watched files are looked at.
const beat = 300 * time.Millisecond

// watch runs the scenarios whenever a file has changed, until ctx is cancelled. What
// is wrong with the configuration is reported and ends nothing.
func (c *command) watch(ctx context.Context, o testOptions, dir string) error {
	opts := hclfile.Options{Config: c.flags.config, Workspace: c.flags.workspace, Dir: c.env.Dir, Home: c.env.Home, OwnerOf: ownerOf, Exists: exists}
	if dir != "" {
		opts.Config = dir
	}
	root, _, problems := locate(opts)
	if problems.HasErrors() {
		return problems.Err()
	}
	w := watched{root: root, written: o.junit}
	for _, out := range []io.Writer{c.env.Stdout, c.env.Stderr} {
		if f, ok := out.(interface{ Stat() (fs.FileInfo, error) }); ok {
			if info, err := f.Stat(); err == nil {
				w.printed = append(w.printed, info)
			}
		}
	}
	for {
		// What changes during a run is a change.
		before := w.states()
		files, err := c.testOnce(ctx, o, dir)
		if err != nil {
			c.exit(ctx, err) // prints it
		}
		if ctx.Err() != nil {
			return c.interrupted(ctx)
		}
		if len(files) > 0 {
			w.files = files
			for path, state := range w.states() {
				if _, ok := before[path]; !ok && !below(path, root) {
					before[path] = state
				}
			}
		}
		fmt.Fprintf(c.env.Stdout, "\nWaiting for a change below %s; Ctrl-C ends.\n", inLine(root))
		changed, err := c.change(ctx, w, before)
		if err != nil {
			return c.interrupted(ctx)
		}
		fmt.Fprintf(c.env.Stdout, "\n%s\n%s changed\n\n", strings.Repeat("-", 60), inLine(changed))
	}
}

// interrupted ends a command that was stopped, and whose output says so.
func (c *command) interrupted(ctx context.Context) error {
	return &silentError{exitCode(ctx, context.Cause(ctx))}
}

// watched is what a change of makes the scenarios run again.
type watched struct {
	root    string        // everything below it, the configuration folder
	files   []string      // other files that the configuration reads
	written string        // not this one, which a run writes; "" for none
	printed []fs.FileInfo // nor these, which what is printed goes to
}

// change waits until a file is another one than before, and returns its path. The
// error is the cause of ctx.
func (c *command) change(ctx context.Context, w watched, before map[string]fileState) (string, error) {
	pause := beat
	for {
		if err := c.pause(ctx, pause); err != nil {
			return "", err
		}
		start := time.Now()
		after := w.states()
		// A large folder is looked at less often, so that looking takes a tenth of the time.
		pause = max(beat, 10*time.Since(start))
		if !maps.Equal(before, after) {
			return difference(before, after), nil
		}
	}
}

// pause waits on the clock of time limits.
func (c *command) pause(ctx context.Context, d time.Duration) error {
	woken := make(chan struct{})
	ring := func() { close(woken) }
	var stop func()
	if c.env.AfterFunc != nil {
		stop = c.env.AfterFunc(d, ring)
	} else {
		t := time.AfterFunc(d, ring)
		stop = func() { t.Stop() }
	}
	defer stop()
	select {
	case <-woken:
		return context.Cause(ctx)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// fileState tells one state of a file from another.
type fileState struct {
	modified int64 // nanoseconds
	size     int64
}

// states are the states of the files, by path. Folders that begin with a dot, and
// packages of other languages, are none of the project's.
func (w watched) states() map[string]fileState {
	out := map[string]fileState{}
	// What cannot be read is as good as not there, until it can.
	add := func(path string) {
		info, err := os.Stat(path)
		own := func(o fs.FileInfo) bool { return os.SameFile(info, o) }
		if err == nil && path != w.written && !slices.ContainsFunc(w.printed, own) {
			out[path] = fileState{info.ModTime().UnixNano(), info.Size()}
		}
	}
	_ = filepath.WalkDir(w.root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
		case !d.IsDir():
			add(path)
		case path != w.root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules"):
			return fs.SkipDir
		}
		return nil
	})
	for _, path := range w.files {
		add(path)
	}
	return out
}

// difference is the first path, in byte order, that is not the same in both.
func difference(before, after map[string]fileState) string {
	first := ""
	for _, both := range []map[string]fileState{before, after} {
		for path := range both {
			b, ok := before[path]
			a, still := after[path]
			if (a != b || ok != still) && (first == "" || path < first) {
				first = path
			}
		}
	}
	return first
}
