package contrib

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/config/prompt"
)

// skills yields the catalogue of the skills below a folder.
func skills(c config.Contributor, o Options) source {
	return func(context.Context) ([]content, error) {
		list, problems, err := prompt.Skills(o.Files, c.Folder, func(path string) (string, error) { return read(o.Files, path, o.shown(path)) })
		absent := errors.Is(err, fs.ErrNotExist)
		switch {
		case absent && c.Optional.V:
			return nil, nil
		case absent:
			return nil, &absentError{origin: c.Origin, err: err}
		case err != nil:
			return nil, fmt.Errorf("%s: %w", c.Origin, withoutPath(err))
		case len(problems) > 0:
			return nil, located(problems[0], o.shown(problems[0].Path))
		case len(list) == 0 && !c.Optional.V:
			return nil, fmt.Errorf("%s has no skill", c.Origin)
		}
		// The model opens these files, so their paths are true from the workspace.
		return []content{{text: prompt.Catalogue(list, func(path string) string { return prompt.Shown(path, o.Workspace) })}}, nil
	}
}
