package chat_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/dsh-hcl/dsh/cmd/dsh/chat"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/ref"
	"github.com/dsh-hcl/dsh/engine/ref/mention"
)

// offered is a small workspace and two sessions.
func offered(t *testing.T) mention.Lookups {
	tree := fstest.MapFS{}
	for _, name := range []string{"main.go", "docs/a b.md", "docs/c.md", "docs/日本/文.md", "evil\x1b[2J\nname", "turn\u202eround", "node_modules/x.js"} {
		tree[name] = &fstest.MapFile{}
	}
	files, err := mention.NewFiles(tree, mention.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	return mention.Lookups{Files: files.Search, Sessions: func(ctx context.Context, query string) ([]ref.Candidate, error) {
		titles := map[string]string{"s1": "Parser, first look", "s2": "日本語の\x1b[31mも\nの]"}
		return ref.ListCandidates(ctx, ref.Record{}, query, 9, ref.Catalogue{
			List: func(context.Context) ([]ref.Record, error) {
				return []ref.Record{{SessionID: "s1", Cwd: msg.Some("/w")}, {SessionID: "s2"}}, nil
			},
			Titles: func(context.Context, []string) (map[string]string, error) { return titles, nil },
		})
	}}
}

// person is somebody at a terminal with a menu.
type person struct {
	t      *testing.T
	screen *screen
	typing *io.PipeWriter
	lines  chan string
	*chat.Terminal
}

func sit(t *testing.T, width, height int, l mention.Lookups) *person {
	in, typing := io.Pipe()
	p := &person{t: t, screen: &screen{width: width, high: height}, typing: typing, lines: make(chan string, 10)}
	p.Terminal = chat.NewTerminal(in, p.screen, "> ", width, height)
	p.Offer(l)
	go func() {
		for {
			line, err := p.ReadLine()
			if err != nil {
				close(p.lines)
				return
			}
			p.lines <- line
		}
	}()
	t.Cleanup(func() { typing.Close() })
	return p
}

// types presses keys: the next are pressed when these were taken.
func (p *person) types(keys string) {
	p.t.Helper()
	if _, err := io.WriteString(p.typing, keys); err != nil {
		p.t.Fatal(err)
	}
}

func (p *person) shows(want string) { p.t.Helper(); p.screen.shows(p.t, want) }

func (p *person) sent(want string) {
	p.t.Helper()
	select {
	case line := <-p.lines:
		if line != want {
			p.t.Errorf("sent %q, want %q", line, want)
		}
	case <-time.After(10 * time.Second):
		p.t.Fatalf("nothing is sent; the screen shows\n%s", p.screen)
	}
}

const up, down, left, esc = "\x1b[A", "\x1b[B", "\x1b[D", "\x1b"

// An @ opens the menu, letters narrow it, a directory goes on at its next level, and
// a session is a chip that sends its mention.
func TestMenu(t *testing.T) {
	p := sit(t, 44, 20, offered(t))
	p.types("see @")
	p.shows("> see @\nFiles & folders\n> Folder · docs/  docs\n  File · main.go  main.go\n  File · turn\\u202eround  turn\\u202eround\nSession conversations\n" +
		"  Session · 日本語の\\u001b[31mも\\nの]  s2 …\n  Session · Parser, first look  s1 · /w · …")
	p.types("do")
	p.shows("> see @do\nFiles & folders\n> Folder · docs/  docs\n  Folder · 日本/  docs/日本\n  File · c.md  docs/c.md\n  File · a b.md  docs/a b.md\n  File · 文.md  docs/日本/文.md")
	p.types("\t")
	p.shows("> see @docs/\nFiles & folders\n> Folder · 日本/  docs/日本\n  File · a b.md  docs/a b.md\n  File · c.md  docs/c.md")
	p.types(down + "\r")
	p.shows("> see @\"docs/a b.md\"")
	p.types("and @pars")
	p.shows("> see @\"docs/a b.md\" and @pars\nSession conversations\n> Session · Parser, first look  s1 · /w · …")
	p.types("\r, please")
	p.shows("> see @\"docs/a b.md\" and @Parser, first look\n , please")
	p.types("\r")
	p.sent(`see @"docs/a b.md" and @[Parser, first look](dsh-session:InMxIg) , please`)
	p.shows("> see @\"docs/a b.md\" and @Parser, first look\n , please\n>")
	// From the history it comes back as it was.
	p.types(up + "!\r")
	p.sent(`see @"docs/a b.md" and @[Parser, first look](dsh-session:InMxIg) , please!`)
	// What the label holds beyond what is shown is in the mention.
	before := p.fresh()
	p.types("@日本語")
	p.shows(before + "> @日本語\nSession conversations\n> Session · 日本語の\\u001b[31mも\\nの]  s2 …")
	p.types("\r")
	p.shows(before + "> @日本語の\\u001b[31mも\\nの]")
	p.types("\r")
	p.sent("@[日本語の\x1b[31mも\nの\\]](dsh-session:InMyIg) ")
	// A name that cannot be written is not offered, and Enter sends.
	p.types("@evil")
	p.shows(before + "> @日本語の\\u001b[31mも\\nの]\n> @evil")
	p.types("\r")
	p.sent("@evil")
}

// fresh waits for an empty line and returns what stands above it.
func (p *person) fresh() string {
	p.t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		if above, ok := strings.CutSuffix("\n"+p.screen.String(), "\n>"); ok {
			return strings.TrimPrefix(above+"\n", "\n")
		}
		if time.Now().After(deadline) {
			p.t.Fatalf("no empty line:\n%s", p.screen)
		}
	}
}

// No menu opens in a command, in a paste, in a word, on a chip, and behind one that was
// closed until another @ is typed.
func TestNoMenu(t *testing.T) {
	p := sit(t, 80, 20, offered(t))
	for _, keys := range []string{"/title @d", "\x1b[200~see @d\x1b[201~", "me@d", "(@d", "@d x", "@d\x01", "@d" + left} {
		above := p.fresh()
		p.types(keys)
		p.types("")
		time.Sleep(2 * time.Millisecond)
		if s := p.screen.String(); strings.Contains(strings.TrimPrefix(s, above), "\n") {
			t.Errorf("%q opens a menu:\n%s", keys, s)
		}
		p.types("\x05\x15")
		p.types("")
	}
	p.types("@do")
	p.shows("> @do\nFiles & folders\n> Folder · docs/  docs\n  Folder · 日本/  docs/日本\n  File · c.md  docs/c.md\n  File · a b.md  docs/a b.md\n  File · 文.md  docs/日本/文.md")
	p.types(esc)
	p.shows("> @do")
	p.types("c")
	p.types(" ")
	p.types("@main")
	p.shows("> @doc @main\nFiles & folders\n> File · main.go  main.go")
	p.types("\x03")
	if _, open := <-p.lines; open {
		t.Error("no interrupt")
	}
	p.shows("> @doc @main")
	// Nor behind a chip; and the bytes of one key may come apart.
	var asked []string
	p = sit(t, 80, 20, mention.Lookups{Sessions: func(_ context.Context, query string) ([]ref.Candidate, error) {
		asked = append(asked, query)
		return []ref.Candidate{{Record: ref.Record{SessionID: "s1"}, Label: "one"}}, nil
	}})
	p.types("@")
	p.shows("> @\nSession conversations\n> Session · one  s1 · (no cwd) · 1970-01-01T00:00:00.000Z")
	p.types("\r\x7fx")
	p.shows("> @onex")
	p.types("\r")
	p.sent("@[one](dsh-session:InMxIg)x")
	if len(asked) != 1 {
		t.Errorf("asked for %q", asked)
	}
	p.types("\x1b")
	p.types("[A")
	p.shows("> @onex\n> @onex")
}

// Behind a chip Backspace takes all of it, before it Delete; an edit inside makes it
// text.
func TestChips(t *testing.T) {
	const mention = "@[Parser, first look](dsh-session:InMxIg)"
	p := sit(t, 80, 20, offered(t))
	for _, c := range []struct{ keys, want string }{
		{"x", mention + " x"},
		{"\x7f\x7fx", "x"},
		{"\x17x", "x"},
		{"\x01\x1b[3~x", "x "},
		{"\x01before ", "before " + mention + " "},
		{left + left + "\x7fx", "@Parser, first loxk "},
		{left + "x", mention + "x "},
		{left + left + "x", "@Parser, first looxk "},
		{"\x0b\x01\x06\x06\x7f", "@arser, first look "},
		{left + left + "\x0b", "@Parser, first loo"},
		{"\x05y" + left + left + left + "\x14", "@Parser, first loko y"},
	} {
		before := p.fresh()
		p.types("@pars")
		p.shows(before + "> @pars\nSession conversations\n> Session · Parser, first look  s1 · /w · 1970-01-01T00:00:00.000Z")
		p.types("\t")
		p.types(c.keys)
		p.types(esc)
		p.types("\r")
		p.sent(c.want)
	}
}

// On few columns and rows, with wide characters, nothing is left of a menu.
func TestMenuOnASmallScreen(t *testing.T) {
	p := sit(t, 12, 5, offered(t))
	p.types("日本語日本語 @")
	p.shows("> 日本語日本\n語 @\nFiles & fo…\n> Folder ·…\n  File · m…")
	p.types(down + down)
	p.shows("> 日本語日本\n語 @\n  File · m…\n> File · t…\nSession co…")
	p.types(up + "\r")
	p.shows("> 日本語日本\n語 @main.go")
	p.types("\x15e\u0301")
	p.shows("> e")
	p.types("\r")
	p.sent("e\u0301")
	// A mark that stands above the last column is not in the next.
	above := p.fresh()
	p.types("123456789e\u0301")
	p.types(left)
	p.types("\x1b[C")
	p.shows(above + "> 123456789e")
	io.WriteString(p, "written\n")
	p.types(left)
	p.shows(above + "written\n> 123456789e")
}

// A lookup that does not answer holds no key up, and its answer to a menu that is gone
// shows nowhere.
func TestSlowLookups(t *testing.T) {
	release := make(chan struct{})
	started, ended := make(chan struct{}, 9), make(chan struct{}, 9)
	slow := func(context.Context, string) ([]mention.Found, error) {
		started <- struct{}{}
		<-release
		defer func() { ended <- struct{}{} }()
		return []mention.Found{{Path: "late"}}, nil
	}
	four := func(c chan struct{}) {
		for range 4 {
			<-c
		}
	}
	p := sit(t, 40, 10, mention.Lookups{Files: slow})
	p.types("a @")
	p.shows("> a @\n  Loading…")
	p.types("l")
	p.shows("> a @l\n  Loading…")
	io.WriteString(p, "an answer\n")
	p.shows("an answer\n> a @l\n  Loading…")
	p.types("a\r")
	p.sent("a @la")
	p.types("@")
	p.shows("an answer\n> a @la\n> @\n  Loading…")
	four(started)
	p.types(esc)
	p.shows("an answer\n> a @la\n> @")
	close(release)
	four(ended)
	p.types("x")
	p.shows("an answer\n> a @la\n> @x")
	p.types(" @")
	p.shows("an answer\n> a @la\n> @x @\nFiles & folders\n> File · late  late")
	p.types("\x03")
	if _, open := <-p.lines; open {
		t.Error("no interrupt")
	}
	p.Close()
	p.shows("an answer\n> a @la\n@x @")
}

// Whatever is pressed and written, in the end there is what was written and an empty
// line.
func TestNothingIsLeftOnTheScreen(t *testing.T) {
	keys := []string{"@", "d", "o", "/", "m", " ", "\"", "日", "e\u0301", "\t", "\t", up, down, left, "\x1b[C", "\x01", "\x05", "\x7f", "\x7f", "\x17", "\x0b", "\x14", "\x1b[3~", "\x1b[200~a\tb@\x1b[201~", "w", "w"}
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		width, height := 4+random.IntN(50), 2+random.IntN(12)
		if seed%2 == 1 {
			height = 60 // what left the screen at its top cannot be taken back
		}
		p := sit(t, width, height, offered(t))
		p.AskSize(p.screen.size)
		want := ""
		for n := range 60 {
			if random.IntN(8) == 0 {
				row := fmt.Sprintf("r%d", n)
				io.WriteString(p, row+"\n")
				want += row + "\n"
			}
			if seed%2 == 1 && random.IntN(10) == 0 {
				p.types("") // is read when everything before was drawn
				p.Still(func() { p.screen.resize(max(4, width+random.IntN(10)-7), height) })
				p.types("")
				p.types("")
			}
			p.types(keys[random.IntN(len(keys))])
		}
		p.types("\x05\x15")
		p.types("\x1b[200~")
		p.screen.shows(t, want+">")
		p.typing.Close()
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// size is what a program is told of the screen.
func (s *screen) size() (int, int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.width, s.high, nil
}

// resize gives the screen another width, as most terminals do it: a row that is too
// long goes on in the next.
func (s *screen) resize(width, high int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.row()
	var rows [][]rune
	x, y := s.x, s.y
	for i, row := range s.rows {
		if i == s.y {
			if s.wrap {
				x++ // behind the last column
			}
			y = len(rows)
		}
		for len(row) > width {
			end := width
			if row[end] == behind {
				end--
			}
			if i == s.y && x >= end {
				x, y = x-end, len(rows)+1
			}
			rows, row = append(rows, row[:end:end]), row[end:]
		}
		rows = append(rows, row)
	}
	s.rows, s.x, s.y, s.width, s.high, s.wrap = rows, x, y, width, high, false
	if x >= width {
		s.x, s.wrap = width-1, true
	}
	s.low = max(len(rows)-1, s.y)
}
