package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
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
	info, err := os.Stat(path) // a device may act on being opened
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, usageErrorf("%s is %s, not a regular file", inLine(c.shown(path)), kindOfFile(info.Mode()))
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readLimited(f, inLine(c.shown(path)))
}

// readLimited reads a text to its end; name begins the sentence about one that is
// too large.
func readLimited(from io.Reader, name string) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(from, maxText+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(text) > maxText {
		return nil, usageErrorf("%s is larger than %d KiB", name, maxText>>10)
	}
	return text, nil
}

// kindOfFile is what a file is that is not regular, with an article.
func kindOfFile(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a folder"
	case m&fs.ModeNamedPipe != 0:
		return "a pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	}
	return "a device"
}
