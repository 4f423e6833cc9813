package chat

import (
	"bufio"
	"errors"
	"io"
	"strings"

	"github.com/dsh-hcl/dsh/engine/ref/mention"
)

// ErrInterrupt is what a console returns for a Ctrl-C, in its place among the lines.
var ErrInterrupt = errors.New("interrupted by Ctrl-C")

// ErrTooLong is what a console returns in place of a line that is too long to be
// taken whole.
var ErrTooLong = errors.New("the line is too long")

// maxPiped bounds a line from a pipe, in bytes.
const maxPiped = 16 << 20

// Console is where lines come from and text goes to. Write may be called while
// ReadLine waits.
type Console interface {
	io.Writer
	// ReadLine returns what was entered next without its line feed, ErrInterrupt or
	// ErrTooLong, after which there may be more, or io.EOF.
	ReadLine() (string, error)
	// Live reports that a person types while the agent works, so that a line
	// entered then is steering. Without, a line waits for the turn to end.
	Live() bool
}

// Picker is a console with a menu of files and sessions behind an @.
type Picker interface {
	// Offer says what the menu offers from now on. Its lookups run in goroutines of
	// their own, several at a time, and are told when nobody wants their answer.
	Offer(mention.Lookups)
}

// Pipe is a console without a person at it: a line waits for the turn before it.
type Pipe struct {
	in  *bufio.Reader
	out io.Writer
}

// NewPipe returns a console over streams.
func NewPipe(in io.Reader, out io.Writer) *Pipe { return &Pipe{bufio.NewReader(in), out} }

// Write implements Console.
func (p *Pipe) Write(b []byte) (int, error) { return p.out.Write(b) }

// Live implements Console.
func (p *Pipe) Live() bool { return false }

// ReadLine implements Console.
func (p *Pipe) ReadLine() (string, error) {
	var line []byte
	for {
		part, err := p.in.ReadSlice('\n')
		if len(line) <= maxPiped {
			line = append(line, part...)
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case len(line) > maxPiped:
			return "", ErrTooLong
		case err == io.EOF && len(line) > 0:
			err = nil
		}
		return strings.TrimRight(string(line), "\r\n"), err
	}
}
