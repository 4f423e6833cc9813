package contrib

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/dsh-hcl/dsh/config"
)

// MaxOutputBytes is how much a command may write, 4 MiB. More is an error, since what
// is left out would be left out in silence.
const MaxOutputBytes = 4 << 20

// Ran is what became of a command. Known secrets are taken out of what it wrote.
type Ran struct {
	Stdout, Stderr string
	ExitCode       int
	Cut            bool // it wrote more than MaxOutputBytes
	TimedOut       bool
	Err            error // it could not run to its end
}

// maxStderr is how many bytes of standard error an error shows.
const maxStderr = 400

// command yields the standard output of a command.
func command(c config.Contributor, o Options) source {
	return func(ctx context.Context) ([]content, error) {
		if o.Run == nil {
			return nil, errors.New("there is nothing that runs commands")
		}
		r := o.Run(ctx, c)
		switch err := checkText("the output of "+c.Command.V[0], r.Stdout); {
		case r.Err != nil:
			return nil, r.Err
		case r.TimedOut:
			return nil, fmt.Errorf("%s took longer than %s%s", c.Command.V[0], short(c.Timeout.V), said(r.Stderr))
		case r.ExitCode != 0:
			return nil, fmt.Errorf("%s ended with exit code %d%s", c.Command.V[0], r.ExitCode, said(r.Stderr))
		case r.Cut:
			return nil, fmt.Errorf("%s wrote more than %d MiB", c.Command.V[0], MaxOutputBytes>>20)
		case err != nil:
			return nil, err
		}
		return []content{{text: newlines(c, r.Stdout)}}, nil
	}
}

// said is the beginning of what a command wrote on standard error, behind a colon.
func said(stderr string) string {
	stderr = strings.Join(strings.Fields(strings.ToValidUTF8(stderr, "\uFFFD")), " ")
	if stderr == "" {
		return ""
	}
	if len(stderr) > maxStderr {
		stderr = first(stderr, maxStderr) + "..."
	}
	return ": " + stderr
}

// short writes a duration without its zeros: 10s, 1m, 2h.
func short(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
