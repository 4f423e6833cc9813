package exchange

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// cut is a reader that delivers data in pieces of the given sizes, over and over.
type cut struct {
	data, sizes []byte
	at          int
}

func (c *cut) Read(p []byte) (int, error) {
	if len(c.data) == 0 {
		return 0, io.EOF
	}
	n := len(c.data)
	if len(c.sizes) > 0 {
		n = 1 + int(c.sizes[c.at%len(c.sizes)])
		c.at++
	}
	n = copy(p[:min(n, len(p))], c.data)
	c.data = c.data[n:]
	return n, nil
}

// eventsOf reads all events, one string each, and how it ended.
func eventsOf(r io.Reader) (events []string, err error) {
	reader := eventReader{done: "[DONE]", br: bufio.NewReaderSize(r, 16), max: 1 << 20}
	for {
		name, data, err := reader.next()
		if err != nil {
			return events, err
		}
		events = append(events, name+"|"+string(data))
	}
}

var lineEnd = regexp.MustCompile("\r\n|\r|\n")

// specified says the same of a whole stream by the letter of the standard, plus
// what [DONE] adds: it needs no blank line, no line end and no more bytes.
func specified(stream string) (events []string) {
	name, data, has := "", "", false
	lines := lineEnd.Split(stream, -1)
	for i, line := range lines {
		ended := i < len(lines)-1
		if line == "" {
			if ended && data != "" {
				events = append(events, name+"|"+data)
			}
			name, data, has = "", "", false
			continue
		}
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch field {
		case "event":
			name = value
		case "data":
			if has {
				data += "\n"
			}
			data, has = data+value, true
			if data == "[DONE]" {
				events = append(events, name+"|"+data)
				name, data, has = "", "", false
			}
		}
	}
	return events
}

func checkEvents(t *testing.T, stream, sizes []byte) {
	t.Helper()
	got, err := eventsOf(&cut{data: stream, sizes: sizes})
	if err != io.EOF {
		t.Fatalf("ended with %v", err)
	}
	if want := specified(string(stream)); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
		t.Fatalf("stream %q in pieces %v\n got %q\nwant %q", stream, sizes, got, want)
	}
}

var streams = []string{
	"",
	"data: a\n\n",
	"data:a\r\n\r\ndata:  b\r\rdata\n\ndata:\n\ndata: c",
	": comment\n\nevent: x\ndata: a\ndata:\ndata: b\n\nevent: y\n\ndata: c\n\n",
	"id: 1\nretry: 5\nunknown: z\ndatax: no\ndata : no\nevent\ndata: yes\n\n",
	"data: [DONE]",
	"data: [DONE]\n",
	"data: a\ndata: [DONE]\n\n",
	"\r\n\ndata: \r\n\r\n\r\r\n\n",
	"data: " + strings.Repeat("0123456789", 10) + "\n\ndata: x\r\n\r\n",
	"data: \x00\xff\r\n\r",
}

func TestEvents(t *testing.T) {
	for _, s := range streams {
		for _, sizes := range [][]byte{nil, {0}, {1}, {2, 0}, {6, 3, 0, 1}, {100}} {
			checkEvents(t, []byte(s), sizes)
		}
	}
}

// TestEventIsNotLate: an event is there as soon as its last byte is, be the byte
// behind a CR still to come.
func TestEventIsNotLate(t *testing.T) {
	for _, s := range []string{"data: a\n\n", "data: a\r\n\r", "data: a\r\r", "data: [DONE]\r"} {
		blocked := errors.New("waits for more")
		r := eventReader{done: "[DONE]", br: bufio.NewReader(io.MultiReader(strings.NewReader(s), failing{blocked})), max: maxEvent}
		if _, data, err := r.next(); err != nil || len(data) == 0 {
			t.Errorf("%q: %q, %v", s, data, err)
		}
		if _, _, err := r.next(); err != blocked {
			t.Errorf("%q: then %v", s, err)
		}
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// TestTooLong: a stream cannot exhaust the memory with one line, nor with one event
// of many lines.
func TestTooLong(t *testing.T) {
	for _, line := range []string{"data: " + strings.Repeat("x", 1<<12), "data: " + strings.Repeat("x", 1<<12) + "\n"} {
		if events, err := eventsOf(&endless{line: line}); err != errTooLong || len(events) != 0 {
			t.Errorf("got %d events, %v", len(events), err)
		}
	}
}

// endless repeats a line for ever.
type endless struct {
	line string
	at   int
}

func (e *endless) Read(p []byte) (int, error) {
	n := copy(p, e.line[e.at:])
	e.at = (e.at + n) % len(e.line)
	return n, nil
}

// FuzzEvents: any stream in any pieces yields the events that the standard says.
func FuzzEvents(f *testing.F) {
	for i, s := range streams {
		f.Add([]byte(s), []byte{byte(i), 1})
	}
	f.Fuzz(func(t *testing.T, stream, sizes []byte) { checkEvents(t, stream, sizes) })
}

func BenchmarkEvents(b *testing.B) {
	raw, err := os.ReadFile(filepath.Join("../openai/testdata", "openai.sse"))
	if err != nil {
		b.Fatal(err)
	}
	raw = bytes.Repeat(raw, 200)
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		r := eventReader{done: "[DONE]", br: bufio.NewReaderSize(bytes.NewReader(raw), 16<<10), max: maxEvent}
		for {
			if _, _, err := r.next(); err == io.EOF {
				break
			}
		}
	}
}
