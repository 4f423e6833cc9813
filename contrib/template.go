package contrib

import "github.com/dsh-hcl/dsh/config"

// template yields the rendered template, whose line endings are always LF: what
// its values bring along is not of one file.
func template(c config.Contributor, _ Options) source {
	return one(func() (string, error) {
		content, problems := c.Template.Render()
		if err := problems.Err(); err != nil {
			return "", err
		}
		return lf(content), nil
	})
}
