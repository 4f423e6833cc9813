package contrib

import (
	"context"
	"fmt"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/config/prompt"
)

// messages yields the messages of the configuration, or those of a JSON Lines file.
func messages(c config.Contributor, o Options) source {
	return func(context.Context) ([]content, error) {
		var out []content
		for _, m := range c.Messages {
			out = append(out, content{text: newlines(c, m.Content), origin: m.Origin, role: m.Role})
		}
		if c.Path.V == "" {
			return out, nil
		}
		text, err := read(o.Files, c.Path.V, c.Origin)
		if err != nil {
			return nil, err
		}
		list, problems := prompt.Messages(c.Path.V, text)
		if len(problems) > 0 {
			return nil, located(problems[0], c.Origin)
		}
		for _, m := range list {
			out = append(out, content{text: newlines(c, m.Content), origin: fmt.Sprintf("%s:%d", c.Origin, m.Line), role: m.Role})
		}
		return out, nil
	}
}

// located is a problem as an error that names the file, by its origin, and the line.
func located(p *prompt.Problem, origin string) error {
	if n := p.Line(); n > 0 {
		return fmt.Errorf("%s:%d: %w", origin, n, p)
	}
	return p
}
