package cli

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"sync"

	"github.com/dsh-hcl/dsh/scenarios"
)

// test runs the scenarios once, or again and again.
func (c *command) test(ctx context.Context, o testOptions, dir string) error {
	updating, err := UpdateMode(c.env.Getenv, false)
	if err != nil {
		return err
	}
	switch {
	case o.parallel < 1:
		return usageErrorf("--parallel wants at least 1")
	case o.timeout < 0:
		return usageErrorf("--timeout wants a time, or 0 for none")
	case o.watch && o.json:
		return usageErrorf("--watch is for a person and --json for a program. Give one of them.")
	case o.watch && c.env.Within != "":
		return usageErrorf("--watch is for a person, not for a scenario")
	case o.watch && (o.update || updating):
		return usageErrorf("--watch with --update, or DSH_UPDATE, would keep goldens that nobody has read. Give one of them.")
	}
	if _, err := o.match(); err != nil {
		return err
	}
	if _, _, err := o.order(0); err != nil {
		return err
	}
	if o.junit != "" {
		o.junit = c.abs(o.junit)
		if err := c.within(o.junit); err != nil {
			return err
		}
	}
	if info, err := os.Lstat(o.junit); o.junit != "" && err == nil && info.Mode().IsRegular() {
		// What an earlier run reported says nothing about this one.
		if err := os.Remove(o.junit); err != nil {
			return err
		}
	}
	c.orderly()
	if o.watch {
		return c.watch(ctx, o, dir)
	}
	_, err = c.testOnce(ctx, o, dir)
	return err
}

// within refuses to write, from a scenario, outside of its folder. What is not there
// yet is judged by the nearest folder that is.
func (c *command) within(path string) error {
	if c.env.Within == "" {
		return nil
	}
	info, err := os.Lstat(path)
	folder := filepath.Dir(path)
	for {
		real, serr := filepath.EvalSymlinks(folder)
		if serr == nil {
			folder = real
			break
		}
		if folder == filepath.Dir(folder) {
			return serr
		}
		folder = filepath.Dir(folder)
	}
	if (folder != c.env.Within && !below(folder, c.env.Within)) || err == nil && info.Mode()&os.ModeSymlink != 0 {
		return &refusedError{"a scenario writes nothing outside of its own folder"}
	}
	return nil
}

// match is what --run asks for, nil for everything.
func (o testOptions) match() (*regexp.Regexp, error) {
	if o.run == "" {
		return nil, nil
	}
	re, err := regexp.Compile(o.run)
	if err != nil {
		return nil, usageErrorf("--run: %v", err)
	}
	return re, nil
}

// order is what --shuffle asks for, and its seed: nil for the order of names. now is
// the seed of "on".
func (o testOptions) order(now int64) (func([]string), int64, error) {
	seed := now
	switch o.shuffle {
	case "off":
		return nil, 0, nil
	case "on":
	default:
		var err error
		if seed, err = strconv.ParseInt(o.shuffle, 10, 64); err != nil {
			return nil, 0, usageErrorf("--shuffle is off, on or a number, not %q", o.shuffle)
		}
	}
	return func(names []string) {
		rand.New(rand.NewPCG(uint64(seed), 0)).Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	}, seed, nil
}

// testOnce runs the scenarios and reports them. It returns the files besides those of
// the configuration folder that the run depends on.
func (c *command) testOnce(ctx context.Context, o testOptions, dir string) (files []string, err error) {
	p, err := c.load(loadOptions{dir: dir})
	if err != nil {
		return nil, err
	}
	defer p.close()
	files = slices.Clone(p.read.paths())
	gate, err := c.requireTrustToTest(p, o.trust)
	if err != nil {
		return files, err
	}
	update, err := UpdateMode(c.env.Getenv, o.update)
	if err != nil {
		return files, err
	}
	if o.move != "" && !update {
		return files, usageErrorf("--accept-prefix-move says why goldens are rewritten; it goes with --update")
	}
	if c.env.Within != "" && !below(p.config.Dir, c.env.Within) {
		return files, &refusedError{"a scenario runs no scenarios outside of its own folder, which might run it"}
	}
	moved, err := c.moving(o, p.config.Dir)
	if err != nil {
		return files, err
	}
	inputs, err := c.readInputs(nil)
	if err != nil {
		return files, err
	}
	for i := range inputs {
		inputs[i].IfDeclared = true // scenarios write configurations of their own
	}
	initTesting()
	match, _ := o.match()
	order, seed, _ := o.order(c.env.Now().UnixNano())

	reports := c.reporters(o, p)
	if order != nil {
		reports.note(fmt.Sprintf("-shuffle %d", seed))
	}
	var mu sync.Mutex
	var updated []string
	options := scenarios.Options{
		Dir: filepath.Join(p.config.Dir, "scenarios"), Golden: filepath.Join(p.config.Dir, "golden"), Project: p.config.Dir, Agents: agentNames(p.config),
		Match: match, Update: update, Keep: o.work, Order: order, Unguarded: c.env.unguarded,
		Host: Host(func() ([]scenarios.File, error) { return p.reads() }, gate, inputs),
		OnUpdate: func(path string) {
			mu.Lock()
			defer mu.Unlock()
			updated = append(updated, path)
		},
	}
	if moved != nil {
		options.OnMove = moved.accept
	}
	result := scenarios.Suite{
		Reporters: reports.all, Parallel: o.parallel, Verbose: o.verbose, Now: c.env.Now, Timeout: o.timeout, AfterFunc: c.env.AfterFunc,
		Closing: func() {
			mu.Lock()
			defer mu.Unlock()
			for _, path := range updated {
				reports.note("updated " + path)
			}
		},
	}.Run(ctx, options)
	if err := c.record(moved); err != nil {
		return files, err
	}
	if err := reports.finish(o.junit); err != nil {
		return files, err
	}
	var late *scenarios.TimeoutError
	switch {
	case errors.As(result.Err, &late):
		return files, &silentError{exitFailed}
	case result.Err != nil:
		return files, c.interrupted(ctx)
	case result.Passed == 0 && result.Failed == 0:
		return files, errors.New("every scenario was skipped: nothing was checked")
	case result.Failed > 0:
		return files, &silentError{exitFailed}
	}
	return files, nil
}

// reports are the reporters of a run.
type reports struct {
	c     *command
	all   []scenarios.Reporter
	json  *scenarios.JSONReport
	junit *scenarios.JUnitReport
}

func (c *command) reporters(o testOptions, p *project) *reports {
	r := &reports{c: c}
	name := filepath.Base(p.config.Dir)
	annotations := c.env.Stdout
	onGitHub, _ := c.env.Getenv("GITHUB_ACTIONS")
	if o.json {
		r.json = &scenarios.JSONReport{Out: c.env.Stdout, Package: name}
		r.all = append(r.all, r.json)
		annotations = c.env.Stderr // standard output is for events alone
	} else {
		r.all = append(r.all, scenarios.TextReport{Out: c.env.Stdout, Verbose: o.verbose, Obeyed: onGitHub == "true"})
	}
	if o.junit != "" {
		r.junit = &scenarios.JUnitReport{Name: name}
		r.all = append(r.all, r.junit)
	}
	if onGitHub == "true" {
		r.all = append(r.all, scenarios.GitHubReport{Out: annotations, Path: func(file string) string {
			for _, root := range []string{p.config.Workspace, p.config.Dir} {
				if rel, err := filepath.Rel(root, file); err == nil && below(file, root) {
					return filepath.ToSlash(rel)
				}
			}
			return filepath.ToSlash(file)
		}})
	}
	return r
}

// note tells every reporter something about the run.
func (r *reports) note(text string) {
	for _, reporter := range r.all {
		reporter.Note(text, r.c.env.Now())
	}
}

// finish writes the report that is a file.
func (r *reports) finish(path string) error {
	if r.json != nil && r.json.Err() != nil {
		return r.json.Err()
	}
	if r.junit == nil {
		return nil
	}
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("--junit: %w", err)
	}
	return errors.Join(r.junit.Write(f), f.Close())
}
