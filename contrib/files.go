package contrib

import (
	"context"
	"fmt"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/config/prompt"
)

// files yields the files that patterns match, each behind its intro: one content each
// or one with all of them.
func files(c config.Contributor, o Options) source {
	return func(ctx context.Context) ([]content, error) {
		paths, err := (prompt.Globs{Folder: c.Folder, Include: c.Include, Exclude: c.Exclude}).Find(o.Files)
		if err != nil {
			return nil, withoutPath(err)
		}
		if len(paths) == 0 && !c.Optional.V {
			return nil, fmt.Errorf("%s matches no file", c.Origin)
		}
		var out []content
		var total prompt.Total
		for _, path := range paths {
			if err := ctx.Err(); err != nil {
				return nil, context.Cause(ctx)
			}
			name := o.shown(path)
			text, err := read(o.Files, path, name)
			if err != nil {
				return nil, err
			}
			if p := total.Add(path, len(text)); p != nil {
				return nil, p
			}
			if out, err = section(out, c, name, text); err != nil {
				return nil, err
			}
		}
		if c.Split.V {
			return out, nil
		}
		return join(out), nil
	}
}

// section adds the content of a file, which the model is told by name, unless it is
// blank. It is held to max_file_bytes.
func section(to []content, c config.Contributor, name, text string) ([]content, error) {
	text = newlines(c, text)
	if max := c.MaxFileBytes.V; max > 0 && len(text) > max && !blank(text) {
		if c.Oversize.V == "error" {
			return nil, &OversizeError{Size: len(text), Limit: max, Of: "max_file_bytes", Origin: name}
		}
		text = cut(text, max, c.Oversize.V)
	}
	if blank(text) {
		return to, nil
	}
	return append(to, content{intro: prompt.Intro(name), text: text, origin: name}), nil
}

// join makes one content of those of several files. Its origin names the first.
func join(list []content) []content {
	var sections []string
	for _, one := range list {
		sections = append(sections, one.intro+one.text)
	}
	switch len(list) {
	case 0:
		return nil
	case 1:
		return list
	}
	return []content{{text: prompt.Join(sections), origin: fmt.Sprintf("%s and %d more", list[0].origin, len(list)-1)}}
}
