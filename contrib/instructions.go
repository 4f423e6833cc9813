package contrib

import (
	"context"
	"fmt"
	"strings"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/config/prompt"
)

// instructions yields the files of a cascade as one content, each behind its intro.
func instructions(c config.Contributor, o Options) source {
	return func(context.Context) ([]content, error) {
		list, _, problems := prompt.Cascade{Folders: c.Folders, Names: c.Names}.Read(prompt.Reading{
			Files: o.Files, Shown: o.shown,
			Text: func(path string, _ prompt.Import) (string, error) { return read(o.Files, path, o.shown(path)) },
		})
		if len(problems) > 0 {
			return nil, located(problems[0], o.shown(problems[0].Path))
		}
		if len(list) == 0 && c.Required.V {
			return nil, fmt.Errorf("there is no %s", strings.Join(c.Names, " and no "))
		}
		var out []content
		for _, d := range list {
			var err error
			if out, err = section(out, c, o.shown(d.Path), d.Text); err != nil {
				return nil, err
			}
		}
		return join(out), nil
	}
}
