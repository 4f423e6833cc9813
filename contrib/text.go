package contrib

import "github.com/dsh-hcl/dsh/config"

// text yields the content that stands in the configuration.
func text(c config.Contributor, _ Options) source {
	return one(func() (string, error) { return newlines(c, c.Content.V), nil })
}
