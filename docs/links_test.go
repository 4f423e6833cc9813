package docs

import (
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

func TestLinks(t *testing.T) {
	for _, p := range checkLinks(repository()) {
		t.Error(p)
	}
}

// checkLinks follows every relative link in the Markdown of a repository, to a
// file or folder and to the heading behind a #. Where docs/architecture.md and
// the decisions quote a path, it is there too, or is a row of the table.
func checkLinks(repo fs.FS) []string {
	rows, _ := readTable(repo) // checkArchitecture reports what is wrong with it
	files := markdown(repo)
	if len(files) == 0 {
		return []string{"no Markdown file was found"}
	}
	var problems []string
	for _, name := range files {
		data, err := fs.ReadFile(repo, name)
		if err != nil {
			return append(problems, err.Error())
		}
		text := withoutBlocks(string(data))
		for _, target := range links(text) {
			if why := follow(repo, name, target); why != "" {
				problems = append(problems, fmt.Sprintf("%s: link to %s: %s", name, target, why))
			}
		}
		if name == "docs/architecture.md" || path.Dir(name) == "docs/decisions" {
			for _, m := range quoted.FindAllStringSubmatch(text, -1) {
				if _, ok := rows.find(m[1]); !ok && isPath(m[1]) && !exists(repo, m[1]) {
					problems = append(problems, fmt.Sprintf("%s: names %s, which is not there", name, m[1]))
				}
			}
		}
	}
	return problems
}

// markdown lists the Markdown files of a repository in byte order.
func markdown(repo fs.FS) []string {
	var out []string
	// A folder that cannot be read makes the list shorter, and other tests fail.
	_ = fs.WalkDir(repo, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && skipped(name):
			return fs.SkipDir
		case !d.IsDir() && path.Ext(name) == ".md":
			out = append(out, name)
		}
		return nil
	})
	return out
}

var (
	inlineLink    = regexp.MustCompile(`\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)`)
	referenceLink = regexp.MustCompile(`(?m)^ {0,3}\[[^\]]+\]:\s*<?([^\s>]+)>?`)
	codeSpan      = regexp.MustCompile("`[^`\n]*`")
	scheme        = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]*:`)
	pathLike      = regexp.MustCompile(`^\.?[A-Za-z0-9_-]+(/[A-Za-z0-9._-]+)+/?$`)
)

// links returns the targets of the relative links in a text.
func links(text string) []string {
	text = codeSpan.ReplaceAllString(text, "``")
	var out []string
	for _, pattern := range []*regexp.Regexp{inlineLink, referenceLink} {
		for _, m := range pattern.FindAllStringSubmatch(text, -1) {
			if !scheme.MatchString(m[1]) && !strings.HasPrefix(m[1], "//") {
				out = append(out, m[1])
			}
		}
	}
	return out
}

// withoutBlocks drops fenced code, in which brackets are no links.
func withoutBlocks(text string) string {
	var b strings.Builder
	fence := ""
	for line := range strings.Lines(text) {
		trimmed := strings.TrimLeft(line, " ")
		mark := trimmed[:len(trimmed)-len(strings.TrimLeft(trimmed, "`~"))]
		switch {
		case fence == "" && len(mark) >= 3:
			fence = mark
		case fence != "" && strings.HasPrefix(mark, fence):
			fence = ""
		case fence == "":
			b.WriteString(line)
		}
	}
	return b.String()
}

// follow says why a link of a file leads nowhere, or "".
func follow(repo fs.FS, from, target string) string {
	target, fragment, _ := strings.Cut(target, "#")
	target, err := url.PathUnescape(target)
	if err != nil {
		return err.Error()
	}
	name := from
	if target != "" {
		name = path.Join(path.Dir(from), target)
	}
	if !exists(repo, name) {
		return "there is no " + name
	}
	if fragment == "" || path.Ext(name) != ".md" {
		return ""
	}
	data, err := fs.ReadFile(repo, name)
	if err != nil {
		return err.Error()
	}
	if !hasHeading(string(data), fragment) {
		return "there is no heading #" + fragment
	}
	return ""
}

func exists(repo fs.FS, name string) bool {
	_, err := fs.Stat(repo, path.Clean(name))
	return err == nil
}

// hasHeading reports whether a heading has this anchor, as code hosts make it:
// lower case, letters, digits, - and _ kept, blanks turned into -, a number
// after one that stood there before.
func hasHeading(text, anchor string) bool {
	seen := map[string]int{}
	for line := range strings.Lines(withoutBlocks(text)) {
		title := strings.TrimLeft(line, "#")
		if level := len(line) - len(title); level == 0 || level > 6 || !strings.HasPrefix(title, " ") {
			continue
		}
		slug := strings.Map(func(r rune) rune {
			switch {
			case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_':
				return unicode.ToLower(r)
			case r == ' ':
				return '-'
			}
			return -1
		}, strings.TrimSpace(title))
		n := seen[slug]
		seen[slug]++
		if n > 0 {
			slug = fmt.Sprintf("%s-%d", slug, n)
		}
		if slug == anchor {
			return true
		}
	}
	return false
}

// isPath reports whether a quoted word is a path of this repository: some words
// with slashes between them, and no module path, which begins with a host.
func isPath(word string) bool {
	first, _, _ := strings.Cut(word, "/")
	return pathLike.MatchString(word) && !strings.Contains(strings.TrimPrefix(first, "."), ".")
}
