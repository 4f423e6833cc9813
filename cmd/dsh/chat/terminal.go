package chat

import (
	"context"
	"io"
	"slices"
	"strings"
	"sync"

	"golang.org/x/term"

	"github.com/dsh-hcl/dsh/engine/ref/mention"
)

// Terminal is a console with line editing, history, completion, and a menu of files
// and sessions behind an @. The terminal is in raw mode while it is used.
type Terminal struct {
	out      io.Writer
	keys     *keys
	size     func() (width, height int, err error) // nil when there is nobody to ask
	prompt   string
	complete func(line string) []string

	mu            sync.Mutex // guards what follows
	width, height int
	row           string // what was written of a row that is not whole yet
	line          input
	picker        picker
	history       []input
	past          int      // which of the history is shown, len(history) for none
	present       input    // the line under way while one of the history is shown
	drawn         bool     // the line stands on the screen
	changed       bool     // the line differs from what stands there
	above         []string // its rows down to that of the cursor
	cursor        place    // where the cursor was left
	closed        bool
}

// NewTerminal returns a console over a terminal in raw mode. Where out is a file, it
// is asked for its size from then on.
func NewTerminal(in io.Reader, out io.Writer, prompt string, width, height int) *Terminal {
	c := &Terminal{out: out, prompt: prompt, width: 80, height: 24, picker: picker{shut: -1}}
	c.keys = &keys{in: in, idle: func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.resize() || c.changed {
			_ = c.draw("")
		}
	}, typed: func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.changed = c.resize() || c.changed
	}}
	c.setSize(width, height)
	if f, ok := out.(interface{ Fd() uintptr }); ok {
		c.size = func() (int, int, error) { return term.GetSize(int(f.Fd())) }
	}
	_, _ = io.WriteString(out, "\x1b[?2004h")
	return c
}

// Close takes the prompt off the screen and lets go of the terminal, which is still
// in raw mode then.
func (c *Terminal) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	c.closed = true
	c.resize()
	c.picker.close()
	text := c.erase()
	if c.row != "" {
		text += c.row + "\r\n"
		c.row = ""
	}
	if len(c.line.text) > 0 {
		rows, _ := lay("", &c.line, c.width)
		text += strings.Join(rows, "\r\n") + "\r\n"
	}
	_, _ = io.WriteString(c.out, text+"\x1b[?2004l")
}

// setSize takes a size that is one; the caller holds mu or is alone.
func (c *Terminal) setSize(width, height int) {
	if width > 0 && height > 0 {
		c.width, c.height = width, height
	}
}

// resize asks whether the terminal has another size by now. That is soon enough when
// something is drawn, and needs no signal; the caller holds mu.
func (c *Terminal) resize() (changed bool) {
	if c.size == nil {
		return false
	}
	w, h, err := c.size()
	if err != nil || w == c.width && h == c.height {
		return false
	}
	c.setSize(w, h)
	return true
}

// erase is what takes the line and the menu off the screen and leaves the cursor where
// they began. A terminal that became narrower has broken the rows anew; the caller
// holds mu.
func (c *Terminal) erase() string {
	if !c.drawn {
		return ""
	}
	above := 0
	for i, row := range c.above {
		rows, at := broken(row, c.width, c.cursor.column)
		if i == c.cursor.row {
			rows = at
		}
		above += rows
	}
	c.drawn = false
	return up(above) + "\r\x1b[J"
}

// draw shows text in whole rows, each with its end, and the line below it, if it is on
// the screen; the caller holds mu.
func (c *Terminal) draw(text string) error {
	c.resize()
	if drawn := c.drawn; drawn {
		text = c.erase() + text + c.shown()
	}
	if text == "" {
		return nil
	}
	_, err := io.WriteString(c.out, text)
	return err
}

// shown is the line with its menu as it is drawn, and the cursor in its place. Of what
// is higher than the screen the part around the cursor is shown; the caller holds mu.
func (c *Terminal) shown() string {
	lines, cursor := lay(c.prompt, &c.line, c.width)
	room := c.height
	if c.picker.open && room > 3 {
		room -= min(3, room-1)
	}
	from, to := window(len(lines), room, cursor.row)
	lines = lines[from:to]
	cursor.row -= from
	menu := c.picker.rows(c.width, c.height-len(lines))
	c.drawn, c.changed = true, false
	c.above, c.cursor = slices.Clone(lines[:cursor.row+1]), cursor
	return strings.Join(append(lines, menu...), "\r\n") + up(len(lines)+len(menu)-1-cursor.row) + right(cursor.column)
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
		if err := c.draw(strings.Join(whole, "\r\n") + "\r\n"); err != nil {
			return 0, err
		}
	}
	return len(b), nil
}

// maxTyped is how many characters a line has room for.
const maxTyped = 4096

// maxHistory is how many lines are remembered.
const maxHistory = 100

// ReadLine implements Console. A paste of several lines is one, with what was typed
// before and behind it.
func (c *Terminal) ReadLine() (string, error) {
	var pasted []string
	cut := false
	for {
		line, inPaste, err := c.readLine()
		if err != nil {
			return "", err
		}
		cut = cut || len(line.text) >= maxTyped
		pasted = append(pasted, line.sent())
		if !inPaste {
			if cut {
				return "", ErrTooLong
			}
			return strings.Join(pasted, "\n"), nil
		}
	}
}

// readLine returns the next line and whether its end stands in a paste.
func (c *Terminal) readLine() (line input, inPaste bool, err error) {
	c.mu.Lock()
	c.resize()
	if !c.drawn && !c.closed {
		_, _ = io.WriteString(c.out, c.shown())
	}
	c.mu.Unlock()
	for {
		pressed, pasted, err := c.keys.next()
		c.mu.Lock()
		switch {
		case err != nil:
			c.mu.Unlock()
			return input{}, false, err
		case pressed == keyInterrupt:
			c.picker.close()
			_ = c.draw("")
			c.mu.Unlock()
			return input{}, false, ErrInterrupt
		case pressed == keyEOF && len(c.line.text) == 0:
			c.mu.Unlock()
			return input{}, false, io.EOF
		}
		ended := c.press(pressed, pasted)
		if ended {
			line = c.enter()
		} else {
			c.changed = true // many keys may come at once, as those of a paste do
		}
		c.mu.Unlock()
		if ended {
			return line, pasted, nil
		}
	}
}

// enter takes the line, which stays on the screen as it is shown; the caller holds mu.
func (c *Terminal) enter() input {
	c.resize()
	c.picker.shut = -1
	c.picker.close()
	line := c.line
	lines, _ := lay(c.prompt, &line, c.width)
	if last := len(lines) - 1; last > 0 && lines[last] == "" {
		lines = lines[:last]
	}
	_, _ = io.WriteString(c.out, c.erase()+strings.Join(lines, "\r\n")+"\r\n")
	c.line = input{}
	if len(line.text) > 0 {
		c.history = append(c.history, line.clone())
		c.history = c.history[max(0, len(c.history)-maxHistory):]
	}
	c.past, c.present = len(c.history), input{}
	return line
}

// press does what a key means and reports whether the line has ended; the caller holds
// mu, which is let go while a completion is looked for.
func (c *Terminal) press(k key, pasted bool) (ended bool) {
	in, p := &c.line, &c.picker
	if len(p.choices) > 0 && !pasted {
		switch k {
		case keyUp:
			p.move(-1)
			return false
		case keyDown:
			p.move(1)
			return false
		case keyEnter, keyTab:
			p.pick(in)
			if p.open {
				p.edited(in, c.answered)
			}
			return false
		}
	}
	if k == keyEscape {
		if p.open {
			p.dismiss()
		}
		return false
	}
	if c.edit(k) {
		if !pasted {
			p.edited(in, c.answered)
		}
		return false
	}
	switch k {
	case keyEnter:
		return true
	case keyTab:
		c.tab()
	case keyClear:
		c.resize()
		c.drawn = false
		_, _ = io.WriteString(c.out, "\x1b[2J\x1b[H"+c.shown())
	case keyUp:
		c.recall(c.past - 1)
	case keyDown:
		c.recall(c.past + 1)
	case keyLeft:
		in.at = max(0, in.at-1)
	case keyRight:
		in.at = min(len(in.text), in.at+1)
	case keyWordLeft:
		in.at = in.wordLeft()
	case keyWordRight:
		in.at = in.wordRight()
	case keyHome:
		in.at = 0
	case keyLineEnd:
		in.at = len(in.text)
	}
	if k != keyClear {
		p.close()
	}
	return false
}

// edit does what a key does to the text and reports whether it is one that does.
func (c *Terminal) edit(k key) bool {
	in := &c.line
	switch k {
	case keyBackspace:
		in.backspace()
	case keyDelete, keyEOF:
		in.remove()
	case keyDeleteWord:
		in.removeWord()
	case keyDeleteBefore:
		in.replace(0, in.at, nil)
	case keyDeleteBehind:
		in.replace(in.at, len(in.text), nil)
	case keyTranspose:
		in.transpose()
	default:
		if k < 0 {
			return false
		}
		if len(in.text) < maxTyped {
			in.insert(rune(k))
		}
	}
	return true
}

// recall shows a line of the history, or the one under way behind the last.
func (c *Terminal) recall(n int) {
	if n < 0 || n > len(c.history) {
		return
	}
	if c.past == len(c.history) {
		c.present = c.line.clone()
	}
	if c.past = n; n == len(c.history) {
		c.line = c.present.clone()
		return
	}
	c.line = c.history[n].clone()
	c.line.at = len(c.line.text)
}

// answered takes what lookups found, from their goroutines, unless the menu went on to
// something else meanwhile.
func (c *Terminal) answered(ctx context.Context, a mention.Answer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ctx.Err() != nil || c.closed {
		return
	}
	c.picker.found(a)
	_ = c.draw("")
}

// Offer gives the menu behind an @ what it offers from now on; it may be called at any
// time.
func (c *Terminal) Offer(l mention.Lookups) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.picker.close()
	c.picker.lookups = l
	_ = c.draw("")
}

// Live implements Console.
func (c *Terminal) Live() bool { return true }

// Complete lets Tab complete a line at its end; lines returns what a line may be
// completed to. It must be called before the first ReadLine.
func (c *Terminal) Complete(lines func(line string) []string) { c.complete = lines }

// tab completes the line; the caller holds mu.
func (c *Terminal) tab() {
	in := &c.line
	if c.complete == nil || in.at != len(in.text) || len(in.chips) > 0 {
		return
	}
	line := string(in.text)
	c.mu.Unlock() // nobody else changes the line
	found := c.complete(line)
	c.mu.Lock()
	if len(found) == 0 {
		return
	}
	common := found[0]
	for _, f := range found[1:] {
		for !strings.HasPrefix(f, common) {
			common = common[:len(common)-1]
		}
	}
	if len(common) > len(line) {
		in.replace(0, len(in.text), []rune(common))
	} else if len(found) > 1 {
		c.list(found)
	}
}

// list shows the last words of some lines above the prompt; the caller holds mu.
func (c *Terminal) list(lines []string) {
	const most = 10
	var b strings.Builder
	for _, l := range lines[:min(len(lines), most)] {
		l = strings.TrimSpace(l)
		b.WriteString("  " + l[strings.LastIndexByte(l, ' ')+1:] + "\r\n")
	}
	if len(lines) > most {
		b.WriteString("  …\r\n")
	}
	_ = c.draw(b.String())
}
