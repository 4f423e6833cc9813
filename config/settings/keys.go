package settings

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// key is one setting: its name in the file and how its value is checked. parse
// takes what a format decodes to, mostly a string or a []any, and returns a string
// or a []string; its errors continue a sentence that begins with the setting.
type key struct {
	name  string
	list  bool
	parse func(at place, raw any) (any, error)
}

// keys is every setting there is, in the order in which they are shown.
var keys = [...]key{
	{name: "store", parse: parsePath},
	{name: "color", parse: oneOf("auto", "always", "never")},
	{name: "agent", parse: parseText},
	{name: "trusted_paths", list: true, parse: parsePaths},
}

// keyOf returns the setting of that name. There must be one.
func keyOf(name string) key {
	k, ok := lookup(name)
	if !ok {
		panic("settings: no setting " + name)
	}
	return k
}

func lookup(name string) (key, bool) {
	i := slices.IndexFunc(keys[:], func(k key) bool { return k.name == name })
	if i < 0 {
		return key{}, false
	}
	return keys[i], true
}

func names() []string {
	var out []string
	for _, k := range keys {
		out = append(out, k.name)
	}
	return out
}

func (k key) variable() string { return "DSH_" + strings.ToUpper(k.name) }

func (k key) flag() string { return strings.ReplaceAll(k.name, "_", "-") }

// fromText shapes the text of a flag or a variable like a decoded value.
func (k key) fromText(text string) any {
	if !k.list {
		return text
	}
	var out []any
	for _, item := range filepath.SplitList(text) {
		out = append(out, item)
	}
	return out
}

// place is what relative paths and the tilde start from.
type place struct{ dir, home string }

// path makes a written path absolute and clean.
func (at place) path(written string) (string, error) {
	rest, tilde := strings.CutPrefix(filepath.ToSlash(written), "~")
	switch {
	case tilde && (rest == "" || rest[0] == '/'):
		if at.home == "" {
			return "", fmt.Errorf("is %q, but there is no home folder", written)
		}
		return filepath.Join(at.home, rest), nil
	case filepath.IsAbs(written):
		return filepath.Clean(written), nil
	}
	return filepath.Join(at.dir, written), nil
}

func text(raw any) (string, error) {
	s, ok := raw.(string)
	if !ok {
		return "", errors.New("must be a string")
	}
	if s == "" {
		return "", errors.New("must not be empty")
	}
	return s, nil
}

func parseText(_ place, raw any) (any, error) { return text(raw) }

func parsePath(at place, raw any) (any, error) {
	s, err := text(raw)
	if err != nil {
		return nil, err
	}
	return at.path(s)
}

func parsePaths(at place, raw any) (any, error) {
	list, ok := raw.([]any)
	if !ok {
		return nil, errors.New("must be a list of strings")
	}
	paths := make([]string, 0, len(list))
	for _, item := range list {
		s, err := text(item)
		if err != nil {
			return nil, errors.New("must be a list of strings, none of them empty")
		}
		path, err := at.path(s)
		if err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

func oneOf(allowed ...string) func(place, any) (any, error) {
	return func(_ place, raw any) (any, error) {
		s, err := text(raw)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(allowed, s) {
			return nil, fmt.Errorf("is %q, but must be %s", s, orList(allowed))
		}
		return s, nil
	}
}

// orList joins words as a sentence does: a, b or c.
func orList(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
