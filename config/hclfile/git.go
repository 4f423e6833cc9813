package hclfile

import (
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
)

// gitFacts is what the workspace's repository has checked out; "" where there is
// nothing, or nothing that may be read.
type gitFacts struct{ branch, commit string }

// workspaceObject is workspace as one expression reads it. The repository is read
// when branch or commit is asked for.
func (l *loader) workspaceObject(t hcl.Traversal) cty.Value {
	facts := &gitFacts{}
	if name, named := memberName(t); !named || name != "name" && name != "root" || l.git != nil {
		if l.git == nil {
			l.git = l.readGit()
		}
		facts = l.git
	}
	orNull := func(s string) cty.Value {
		if s == "" {
			return cty.NullVal(cty.String)
		}
		return cty.StringVal(s)
	}
	return cty.ObjectVal(map[string]cty.Value{
		"name":   cty.StringVal(filepath.Base(l.workspace)),
		"root":   cty.StringVal(l.workspace),
		"branch": orNull(facts.branch),
		"commit": orNull(facts.commit),
	})
}

var commitName = regexp.MustCompile(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`)

// readGit reads the files of the repository; no process is started. What cannot
// be read counts as absent: a worktree's repository may lie outside of what the
// configuration may read.
func (l *loader) readGit() *gitFacts {
	f := &gitFacts{}
	dir := filepath.Join(l.workspace, ".git")
	if link, ok := l.gitText(dir); ok {
		target, isLink := strings.CutPrefix(link, "gitdir: ")
		if !isLink {
			return f
		}
		dir = l.below(l.workspace, target)
	}
	head, ok := l.gitText(filepath.Join(dir, "HEAD"))
	if !ok {
		return f
	}
	ref, symbolic := strings.CutPrefix(head, "ref: ")
	if !symbolic {
		if commitName.MatchString(head) {
			f.commit = head
		}
		return f
	}
	if !filepath.IsLocal(filepath.FromSlash(ref)) {
		return f
	}
	if branch, ok := strings.CutPrefix(ref, "refs/heads/"); ok && branch != ".invalid" {
		f.branch = branch
	}
	// A worktree has its own HEAD; branches are those of the repository.
	common := dir
	if link, ok := l.gitText(filepath.Join(dir, "commondir")); ok {
		common = l.below(dir, link)
	}
	if commit, ok := l.gitText(filepath.Join(common, filepath.FromSlash(ref))); ok && commitName.MatchString(commit) {
		f.commit = commit
		return f
	}
	packed, _ := l.gitText(filepath.Join(common, "packed-refs"))
	for line := range strings.Lines(packed) {
		if commit, name, ok := strings.Cut(strings.TrimSpace(line), " "); ok && name == ref && commitName.MatchString(commit) {
			f.commit = commit
		}
	}
	return f
}

func (l *loader) below(base, path string) string {
	path = filepath.FromSlash(path)
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(base, path)
}

// gitText is the trimmed content of a file of the repository.
func (l *loader) gitText(path string) (string, bool) {
	text, err := l.opts.Files.ReadFile(path, maxGit)
	if err != nil || !utf8.Valid(text) {
		return "", false
	}
	return strings.TrimSpace(string(text)), true
}
