package chat

import (
	"bufio"
	"io"
	"strings"

	"golang.org/x/term"
)

// Pipe is a console without a person at it: a line waits for the turn before it.
type Pipe struct {
	in  *bufio.Reader
	out io.Writer
}

// NewPipe returns a console over streams.
func NewPipe(in io.Reader, out io.Writer) *Pipe { return &Pipe{bufio.NewReader(in), out} }

// Write implements Console.
func (p *Pipe) Write(b []byte) (int, error) { return p.out.Write(b) }

// Interrupts implements Console.
func (p *Pipe) Interrupts() <-chan struct{} { return nil }

// Live implements Console.
func (p *Pipe) Live() bool { return false }

// ReadLine implements Console.
func (p *Pipe) ReadLine() (string, error) {
	line, err := p.in.ReadString('\n')
	if err == io.EOF && line != "" {
		err = nil
	}
	return strings.TrimRight(line, "\r\n"), err
}

// Terminal is a console with line editing and history. The terminal is in raw mode
// while it is used.
type Terminal struct {
	t          *term.Terminal
	interrupts chan struct{}
}

// NewTerminal returns a console over a terminal in raw mode.
func NewTerminal(in io.Reader, out io.Writer, prompt string, width, height int) *Terminal {
	c := &Terminal{interrupts: make(chan struct{}, 1)}
	c.t = term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{&keys{in: in, interrupt: c.interrupt}, out}, prompt)
	if width > 0 && height > 0 {
		_ = c.t.SetSize(width, height) // the default stays
	}
	return c
}

// interrupt is told a Ctrl-C; one that nobody has taken yet stands for both.
func (c *Terminal) interrupt() {
	select {
	case c.interrupts <- struct{}{}:
	default:
	}
}

// Write implements Console.
func (c *Terminal) Write(b []byte) (int, error) { return c.t.Write(b) }

// ReadLine implements Console.
func (c *Terminal) ReadLine() (string, error) {
	line, err := c.t.ReadLine()
	if err == term.ErrPasteIndicator {
		err = nil
	}
	return line, err
}

// Interrupts implements Console.
func (c *Terminal) Interrupts() <-chan struct{} { return c.interrupts }

// Live implements Console.
func (c *Terminal) Live() bool { return true }

// keys takes Ctrl-C out of what is typed: in raw mode it is a byte like another,
// and the line editor would take it for the end of the input.
type keys struct {
	in        io.Reader
	interrupt func()
}

// Read implements io.Reader.
func (k *keys) Read(p []byte) (int, error) {
	for {
		n, err := k.in.Read(p)
		kept := 0
		for _, b := range p[:n] {
			if b == 3 {
				k.interrupt()
				continue
			}
			p[kept] = b
			kept++
		}
		if kept > 0 || err != nil || n == 0 {
			return kept, err
		}
	}
}
