package chat_test

import (
	"errors"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dsh-hcl/dsh/cmd/dsh/chat"
)

// screen is what a terminal of a width would show: it understands what the line
// editor sends.
type screen struct {
	mu    sync.Mutex
	width int
	high  int // how many rows there are, 0 for no end
	rows  [][]rune
	x, y  int
	low   int    // the lowest row the cursor was in
	wrap  bool   // the next character begins a row
	held  string // an escape that is not whole
}

var escape = regexp.MustCompile(`^\x1b\[([0-9?]*)([A-Za-z])`)

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := s.held + string(p)
	s.held = ""
	for text != "" {
		if text[0] == 0x1b {
			m := escape.FindStringSubmatch(text)
			if m == nil {
				s.held = text
				break
			}
			text = text[len(m[0]):]
			s.move(m[1], m[2])
			continue
		}
		r := []rune(text)[0]
		text = text[len(string(r)):]
		switch r {
		case '\r':
			s.x, s.wrap = 0, false
		case '\n':
			s.y, s.wrap = s.y+1, false
		default:
			columns := columnsOf(r)
			if columns == 0 {
				continue
			}
			if s.wrap || s.x+columns > s.width {
				s.x, s.y, s.wrap = 0, s.y+1, false
			}
			row := s.row()
			for len(*row) < s.x+columns {
				*row = append(*row, ' ')
			}
			(*row)[s.x] = r
			if columns == 2 {
				(*row)[s.x+1] = behind
			}
			if s.x += columns; s.x == s.width {
				s.x, s.wrap = s.width-1, true
			}
		}
		s.low = max(s.low, s.y)
	}
	return len(p), nil
}

// behind stands in the second column of a wide character.
const behind = -1

// columnsOf is how many columns the characters of these tests take.
func columnsOf(r rune) int {
	switch {
	case r == '\u0301':
		return 0
	case r >= 0x2e80 && r < 0xa000, r >= 0x1f300:
		return 2
	}
	return 1
}

func (s *screen) row() *[]rune {
	for len(s.rows) <= s.y {
		s.rows = append(s.rows, nil)
	}
	return &s.rows[s.y]
}

func (s *screen) move(number, kind string) {
	n, err := strconv.Atoi(number)
	if err != nil {
		n = 1
	}
	if kind != "h" && kind != "l" {
		s.wrap = false
	}
	switch kind {
	case "A":
		top := 0
		if s.high > 0 {
			top = max(0, s.low-s.high+1)
		}
		s.y = max(top, s.y-n)
	case "B":
		s.y += n
	case "C":
		s.x = min(s.width-1, s.x+n)
	case "D":
		s.x = max(0, s.x-n)
	case "J":
		if len(s.rows) > s.y+1 {
			s.rows = s.rows[:s.y+1]
		}
		fallthrough
	case "K":
		if row := s.row(); len(*row) > s.x {
			*row = (*row)[:s.x]
		}
	}
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, r := range s.rows {
		r = slices.DeleteFunc(slices.Clone(r), func(r rune) bool { return r == behind })
		out = append(out, strings.TrimRight(string(r), " "))
	}
	return strings.Join(out, "\n")
}

// shows waits until the screen shows exactly that.
func (s *screen) shows(t *testing.T, want string) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); s.String() != want; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the screen shows\n%s\nwant\n%s", s, want)
		}
	}
}

// What is written while a person types stands in whole rows above what they type.
func TestTextStreamsWhileAPersonTypes(t *testing.T) {
	s := &screen{width: 20}
	in, typing := io.Pipe()
	terminal := chat.NewTerminal(in, s, "> ", 20, 10)
	line := make(chan string)
	go func() {
		for {
			l, err := terminal.ReadLine()
			if err != nil {
				return
			}
			line <- l
		}
	}()
	io.WriteString(typing, "what I")
	s.shows(t, "> what I")
	for _, piece := range strings.SplitAfter("One of the lines, which is longer than the screen. \nWhole  \n\nrest", " ") {
		io.WriteString(terminal, piece)
	}
	s.shows(t, "One of the lines,\nwhich is longer than\nthe screen.\nWhole\n\n> what I")
	io.WriteString(typing, " type is longer, too")
	s.shows(t, "One of the lines,\nwhich is longer than\nthe screen.\nWhole\n\n> what I type is lon\nger, too")
	io.WriteString(terminal, " and\n")
	s.shows(t, "One of the lines,\nwhich is longer than\nthe screen.\nWhole\n\nrest and\n> what I type is lon\nger, too")
	io.WriteString(typing, "\r")
	if l := <-line; l != "what I type is longer, too" {
		t.Errorf("line %q", l)
	}
	s.shows(t, "One of the lines,\nwhich is longer than\nthe screen.\nWhole\n\nrest and\n> what I type is lon\nger, too\n>")
	io.WriteString(terminal, "the end")
	terminal.Close()
	s.shows(t, "One of the lines,\nwhich is longer than\nthe screen.\nWhole\n\nrest and\n> what I type is lon\nger, too\nthe end")
	typing.Close()
}

// A row is cut at spaces, else where it is full, by what its characters take.
func TestRows(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"12345678", ""},
		{"12345678\n", "12345678|"},
		{"123456789", "12345678|"},
		{"1234567 9", "1234567|"},
		{"12345678 ", ""},
		{"12345678  \n", "12345678|"},
		{"12345678  9\n", "12345678|9|"},
		{"12 45 78 0\n", "12 45 78|0|"},
		{"    indented text", "    inde|nted|"},
		{"\t2\n", "\t|2|"},
		{"你好世界再见\n", "你好世界|再见|"},
		{"1你好世界\n", "1你好世|界|"},
		{"e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301\n", "e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301|"},
		{"a\n\n\nb\n", "a|||b|"},
		{"✅⭐⚡🪀日\n", "✅⭐⚡🪀|日|"},
		{"\u1112\u1161\u11ab\u1112\u1161\u11ab12345\n", "\u1112\u1161\u11ab\u1112\u1161\u11ab1234|5|"},
	} {
		var out strings.Builder
		terminal := chat.NewTerminal(strings.NewReader(""), &out, "", 8, 8)
		out.Reset()
		io.WriteString(terminal, c.text)
		if got := strings.ReplaceAll(out.String(), "\r\n", "|"); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

// Each Ctrl-C is told, in its place among the lines and without what is typed.
func TestInterruptsStandAmongLines(t *testing.T) {
	in := &pieces{"a\r\x03\x03b", "c\x03\r", "\x1b[200", "~x\ry\x1b[20", "1~\r", "half \x1b[200~x\r", "y\x1b[201~\r", "p\r\n", "q\r", "\nr\r"}
	terminal := chat.NewTerminal(in, io.Discard, "> ", 80, 24)
	var got []string
	for {
		line, err := terminal.ReadLine()
		if errors.Is(err, chat.ErrInterrupt) {
			line = "^C"
		} else if err != nil {
			break
		}
		got = append(got, line)
	}
	want := "a|^C|^C|^C|bc|x\ny|half x\ny|p|q|r"
	if strings.Join(got, "|") != want {
		t.Errorf("%q, want %q", strings.Join(got, "|"), want)
	}
}

// pieces is an input that comes in pieces.
type pieces []string

func (p *pieces) Read(b []byte) (int, error) {
	if len(*p) == 0 {
		return 0, io.EOF
	}
	n := copy(b, (*p)[0])
	*p = (*p)[1:]
	return n, nil
}
