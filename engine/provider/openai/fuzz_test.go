package openai_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/provider"
	"github.com/dsh-hcl/dsh/engine/provider/exchange"
	"github.com/dsh-hcl/dsh/engine/provider/openai"
)

// pieces delivers data in pieces of the given sizes, over and over.
type pieces struct {
	data, sizes []byte
	at          int
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.data) == 0 {
		return 0, io.EOF
	}
	n := len(p.data)
	if len(p.sizes) > 0 {
		n = 1 + int(p.sizes[p.at%len(p.sizes)])
		p.at++
	}
	n = copy(b[:min(n, len(b))], p.data)
	p.data = p.data[n:]
	return n, nil
}

// FuzzAnswer: whatever a provider sends, in whatever pieces, gives the same chunks;
// usage comes before finish, finish is the last one and excludes an error; every
// block is started before it is extended, with indexes in order; and text is valid,
// so that what was assembled can be kept.
func FuzzAnswer(f *testing.F) {
	for _, raw := range fixtures(f) {
		f.Add(raw, []byte{0})
		f.Add(raw, []byte{5, 0, 30})
	}
	f.Fuzz(func(t *testing.T, raw, sizes []byte) {
		ask := func(r io.Reader) ([]msg.Chunk, error) {
			return collect(t.Context(), openai.New(exchange.Access{BaseURL: "http://h", Transport: answering("text/event-stream", func() io.Reader { return r })}))
		}
		chunks, err := ask(bytes.NewReader(raw))
		whole := transcript(chunks, err)
		if got := transcript(ask(&pieces{data: raw, sizes: sizes})); got != whole {
			t.Fatalf("in pieces %v:\n%s\nwhole:\n%s", sizes, got, whole)
		}
		var a provider.Assembler
		kinds := map[int]string{}
		extends := func(index int, kind string) {
			if kinds[index] != kind {
				t.Fatalf("%s delta for block %d of type %q", kind, index, kinds[index])
			}
		}
		for i, chunk := range chunks {
			last := i == len(chunks)-1
			switch c := chunk.(type) {
			case msg.BlockStart:
				if c.Index != len(kinds) {
					t.Fatalf("block %d is started as number %d", c.Index, len(kinds))
				}
				kinds[c.Index] = c.BlockType
			case msg.TextDelta:
				extends(c.Index, "text")
			case msg.ReasoningDelta:
				extends(c.Index, "reasoning")
			case msg.ToolCallDelta:
				extends(c.Index, "tool-call")
			case msg.UsageChunk:
				if last || i != len(chunks)-2 || c.Usage.Input < 0 || c.Usage.Output < 0 {
					t.Fatalf("usage %v at %d of %d", c, i, len(chunks))
				}
			case msg.FinishChunk:
				if !last || err != nil {
					t.Fatalf("finish at %d of %d, error %v", i, len(chunks), err)
				}
			}
			a.Add(chunk)
		}
		if _, e := a.Content(); e != nil {
			t.Fatal(e)
		}
		if err == nil && len(chunks) == 0 {
			t.Fatal("neither chunks nor an error")
		}
		a.Partial()
	})
}

// BenchmarkStream is a whole answer of 1,000 events, from bytes to chunks.
func BenchmarkStream(b *testing.B) {
	raw, err := os.ReadFile(filepath.Join("testdata", "deepseek.sse"))
	if err != nil {
		b.Fatal(err)
	}
	events := strings.SplitAfter(string(raw), "\n\n")
	stream := []byte(strings.Repeat(events[5], 1000) + "data: [DONE]\n\n")
	c := openai.New(exchange.Access{BaseURL: "http://h", Transport: answering("text/event-stream", func() io.Reader { return bytes.NewReader(stream) })})
	b.SetBytes(int64(len(stream)))
	b.ReportAllocs()
	for b.Loop() {
		if chunks, err := collect(b.Context(), c); err != nil || len(chunks) < 1000 {
			b.Fatal(len(chunks), err)
		}
	}
}
