package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/dsh-hcl/dsh/config/confine"
)

// folderFlag is a flag that names a folder. An empty one is a mistake: whoever wrote
// it meant a variable of a script that is not set, and not the default.
type folderFlag struct{ to *string }

// Set implements pflag.Value.
func (f folderFlag) Set(text string) error {
	if text == "" {
		return errors.New("it is empty. Name a folder, or leave the flag out")
	}
	*f.to = text
	return nil
}

// String implements pflag.Value.
func (f folderFlag) String() string { return "" }

// Type implements pflag.Value.
func (f folderFlag) Type() string { return "string" }

// folderArg is the folder that an argument names, "" for none. A command takes it or
// --config: of two folders one would be passed over.
func (c *command) folderArg(args []string) (string, error) {
	dir := first(args)
	if dir != "" && c.flags.config != "" {
		return "", usageErrorf("the argument %s and --config both name the configuration folder: use one", inLine(dir))
	}
	return dir, nil
}

// maxText bounds a file in the language, in bytes, as it is when a configuration is
// read.
const maxText = 512 << 10

// readText reads a file in the language that the command line names. It never waits
// for a writer and never reads on without end: a pipe or a device is refused.
func (c *command) readText(path string) ([]byte, error) {
	text, err := confine.ReadFile(path, maxText)
	var special *confine.NotRegularError
	var large *confine.TooLargeError
	switch {
	case errors.As(err, &special):
		special.Path = c.shown(path)
		return nil, usageErrorf("%s", inLine(special.Error()))
	case errors.As(err, &large):
		return nil, tooLarge(c.shown(path))
	}
	return text, err
}

func tooLarge(name string) error {
	return usageErrorf("%s is larger than %d KiB", inLine(name), maxText>>10)
}

// readLimited reads a text to its end; name begins the sentence about one that is
// too large.
func readLimited(from io.Reader, name string) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(from, maxText+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(text) > maxText {
		return nil, tooLarge(name)
	}
	return text, nil
}
