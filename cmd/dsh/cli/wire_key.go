package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/config/diag"
	"github.com/dsh-hcl/dsh/engine/proc"
)

// maxKey bounds, in bytes, a key that is read from a file or a program.
const maxKey = 64 << 10

// How long a program that prints a key may take, and how long its answer counts.
const (
	keyTimeout = 30 * time.Second
	keyLife    = 5 * time.Minute
)

// key is the credential of a provider, wherever it comes from; unset when it has none.
func (c *command) key(p *project, declared *config.Provider) config.Secret {
	switch {
	case declared.APIKeyFile.Set:
		return config.NewSecret(declared.APIKeyFile.At, func() (string, diag.List) {
			key, err := readKey(declared.APIKeyFile.V)
			return key, keyProblem(declared.APIKeyFile.At, "api_key_file", declared.Name, err)
		})
	case len(declared.APIKeyCommand.V) > 0:
		return p.printedKey(c, declared)
	}
	return declared.APIKey
}

func keyProblem(at diag.Range, argument, provider string, err error) diag.List {
	if err == nil {
		return nil
	}
	return diag.List{diag.Errorf(at, "No credential", "The argument %q of provider %q gives no key: %s.", argument, provider, printable(err.Error()))}
}

// readKey reads a key from a regular file. Its errors tell nothing of what is in it.
func readKey(path string) (string, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a regular file")
	}
	var f *os.File
	if err == nil {
		f, err = os.Open(path)
	}
	var failed *fs.PathError
	if errors.As(err, &failed) {
		err = failed.Err
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxKey+1))
	switch key := strings.TrimSpace(string(text)); {
	case err != nil:
		return "", fmt.Errorf("%s cannot be read", path)
	case len(text) > maxKey:
		return "", fmt.Errorf("%s has more than 64 KiB", path)
	case key == "":
		return "", fmt.Errorf("%s is empty", path)
	default:
		return key, nil
	}
}

// printedKeys are the secrets of providers whose key a program prints, by name. All
// clients of a provider share one, so that the program is not asked twice.
type printedKeys struct {
	mu sync.Mutex
	of map[string]config.Secret
}

// printedKey is the secret of a provider whose key a program prints.
func (p *project) printedKey(c *command, declared *config.Provider) config.Secret {
	p.keys.mu.Lock()
	defer p.keys.mu.Unlock()
	if s, ok := p.keys.of[declared.Name]; ok {
		return s
	}
	running := &proc.Running{}
	c.atOnce(running.Kill)
	var mu sync.Mutex
	var key string
	var asked time.Time
	s := config.NewSecret(declared.APIKeyCommand.At, func() (string, diag.List) {
		mu.Lock()
		defer mu.Unlock()
		if key != "" && c.env.Now().Sub(asked) < keyLife {
			return key, nil
		}
		var err error
		if key, err = c.printed(p, declared.APIKeyCommand.V, running); err != nil {
			return "", keyProblem(declared.APIKeyCommand.At, "api_key_command", declared.Name, err)
		}
		asked = c.env.Now()
		return key, nil
	})
	if p.keys.of == nil {
		p.keys.of = map[string]config.Secret{}
	}
	p.keys.of[declared.Name] = s
	return s
}

// printed runs a program and returns what it printed. Its errors tell nothing of
// that; what it wrote to standard error is not shown either, for nobody knows which
// part of it is secret.
func (c *command) printed(p *project, command []string, running *proc.Running) (string, error) {
	env, err := c.environment(p.known, nil)
	if err != nil {
		return "", err
	}
	r := inWorkspace(context.Background(), p, command, proc.Command{Env: env, Timeout: keyTimeout, MaxOutput: maxKey, Running: running})
	switch key := strings.TrimSpace(string(r.Stdout)); {
	case r.Err != nil:
		return "", r.Err
	case r.TimedOut:
		return "", fmt.Errorf("%s took longer than %s", command[0], keyTimeout)
	case r.ExitCode != 0:
		return "", fmt.Errorf("%s ended with exit code %d", command[0], r.ExitCode)
	case r.Cut:
		return "", fmt.Errorf("%s printed more than 64 KiB", command[0])
	case key == "":
		return "", fmt.Errorf("%s printed nothing", command[0])
	default:
		return key, nil
	}
}
