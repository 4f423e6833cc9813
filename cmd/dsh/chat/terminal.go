package chat

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/term"
)

// Terminal is a console with line editing, history and completion. The terminal is
// in raw mode while it is used.
type Terminal struct {
	t    *term.Terminal
	keys *keys
	size func() (width, height int, err error) // nil when there is nobody to ask

	mu    sync.Mutex // guards what follows
	width int
	row   string // what was written of a row that is not whole yet
}

// NewTerminal returns a console over a terminal in raw mode. Where out is a file, it
// is asked for its size from then on.
func NewTerminal(in io.Reader, out io.Writer, prompt string, width, height int) *Terminal {
	c := &Terminal{width: 80}
	c.keys = &keys{in: in, typed: func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.resize()
	}}
	c.t = term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{c.keys, out}, prompt)
	c.setSize(width, height)
	if f, ok := out.(interface{ Fd() uintptr }); ok {
		c.size = func() (int, int, error) { return term.GetSize(int(f.Fd())) }
	}
	c.t.SetBracketedPasteMode(true)
	return c
}

// Close takes the prompt off the screen and lets go of the terminal, which is still
// in raw mode then.
func (c *Terminal) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t.SetBracketedPasteMode(false)
	c.t.SetPrompt("")
	text := ""
	if c.row != "" {
		text = c.row + "\n"
		c.row = ""
	}
	io.WriteString(c.t, text) // draws the input anew, without its prompt
}

// setSize takes a size that is one; the caller holds mu or is alone.
func (c *Terminal) setSize(width, height int) {
	if width > 0 && height > 0 && c.t.SetSize(width, height) == nil {
		c.width = width
	}
}

// resize asks whether the terminal has another size by now. That is soon enough when
// something is drawn, and needs no signal; the caller holds mu.
func (c *Terminal) resize() {
	if c.size == nil {
		return
	}
	if w, h, err := c.size(); err == nil && w != c.width {
		c.setSize(w, h)
	}
}

// Write implements Console. It shows whole rows only: the prompt and what is typed
// stand below the last one, and a row that went on would begin behind them.
func (c *Terminal) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.resize()
	var whole []string
	whole, c.row = rows(c.row+string(b), c.width)
	if len(whole) > 0 {
		if _, err := io.WriteString(c.t, strings.Join(whole, "\n")+"\n"); err != nil {
			return 0, err
		}
	}
	return len(b), nil
}

// maxTyped is how many characters the line editor takes; it drops the rest without
// a word.
const maxTyped = 4096

// ReadLine implements Console. A paste of several lines is one, with what was typed
// before and behind it.
func (c *Terminal) ReadLine() (string, error) {
	var pasted []string
	cut := false
	for {
		line, err := c.t.ReadLine()
		if err != nil && err != term.ErrPasteIndicator {
			return "", err
		}
		cut = cut || utf8.RuneCountInString(line) >= maxTyped
		// The indicator is missing for a paste into a line that was begun.
		if !c.keys.pasting {
			if cut {
				return "", ErrTooLong
			}
			return strings.Join(append(pasted, line), "\n"), nil
		}
		pasted = append(pasted, line)
	}
}

// Live implements Console.
func (c *Terminal) Live() bool { return true }

// Complete lets Tab complete a line at its end; lines returns what a line may be
// completed to. It must be called before the first ReadLine.
func (c *Terminal) Complete(lines func(line string) []string) {
	c.t.AutoCompleteCallback = func(line string, pos int, key rune) (string, int, bool) {
		if key != '\t' || pos != len(line) {
			return "", 0, false
		}
		found := lines(line)
		if len(found) == 0 {
			return "", 0, false
		}
		common := found[0]
		for _, f := range found[1:] {
			for !strings.HasPrefix(f, common) {
				common = common[:len(common)-1]
			}
		}
		if len(common) > len(line) {
			return common, len(common), true
		}
		if len(found) > 1 {
			c.list(found)
		}
		return "", 0, false
	}
}

// list shows the last words of some lines above the prompt.
func (c *Terminal) list(lines []string) {
	const most = 10
	var b strings.Builder
	for _, l := range lines[:min(len(lines), most)] {
		l = strings.TrimSpace(l)
		b.WriteString("  " + l[strings.LastIndexByte(l, ' ')+1:] + "\n")
	}
	if len(lines) > most {
		b.WriteString("  …\n")
	}
	io.WriteString(c.t, b.String())
}

const ctrlC = 3

// keys stands between the terminal and the line editor. It takes Ctrl-C out of what
// is typed: in raw mode it is a byte like another, and the editor would take it for
// the end of the input. And it hands over one line at a time, so that it knows of the
// line which the editor returned whether its end was pasted.
type keys struct {
	in    io.Reader
	typed func() // called when something was read

	buf     [1024]byte
	rest    []byte // read and not handed over
	begun   []byte // of a character whose end was not read yet
	err     error  // to be returned behind the rest
	last    []byte // the bytes handed over last, enough for a mark
	pasting bool   // between the marks of a paste
}

// The marks that a terminal puts around a paste.
const pasteStart, pasteEnd = "\x1b[200~", "\x1b[201~"

// Read implements io.Reader. It returns ErrInterrupt for each Ctrl-C.
func (k *keys) Read(p []byte) (int, error) {
	for {
		for len(k.rest) == 0 {
			if k.err != nil {
				return 0, k.err
			}
			n, err := k.in.Read(k.buf[:])
			k.take(k.buf[:n])
			k.err = err
			k.typed()
		}
		n := 0
		for n < len(p) && len(k.rest) > 0 {
			b := k.rest[0]
			if b == ctrlC && n > 0 {
				break
			}
			k.rest = k.rest[1:]
			if b == ctrlC {
				return 0, ErrInterrupt
			}
			behindReturn := len(k.last) > 0 && k.last[len(k.last)-1] == '\r'
			k.note(b)
			if b == '\n' && behindReturn {
				continue // the same end of the line
			}
			p[n] = b
			n++
			if b == '\r' || b == '\n' {
				break
			}
		}
		if n > 0 {
			return n, nil
		}
	}
}

// take makes what was read ready to be handed over. What is no UTF-8 becomes a
// question mark, and so does U+FFFD: the editor takes both for a character whose end
// has not come yet, and would show nothing more.
func (k *keys) take(b []byte) {
	b = append(k.begun, b...)
	whole := len(b)
	for i := 1; i < utf8.UTFMax && i <= len(b); i++ {
		if last := b[len(b)-i:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				whole -= i
			}
			break
		}
	}
	k.begun = slices.Clone(b[whole:])
	k.rest = bytes.ReplaceAll(bytes.ToValidUTF8(b[:whole], []byte("?")), []byte("\uFFFD"), []byte("?"))
}

// note looks for the marks of a paste in what is handed over.
func (k *keys) note(b byte) {
	k.last = append(k.last, b)
	if extra := len(k.last) - len(pasteStart); extra > 0 {
		k.last = slices.Delete(k.last, 0, extra)
	}
	switch string(k.last) {
	case pasteStart:
		k.pasting = true
	case pasteEnd:
		k.pasting = false
	}
}
