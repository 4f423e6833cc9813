package ref_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/ref"
)

// The vectors are what the reference's own code answered. Those in testdata always
// run; a folder of the same form may be named by the environment variable
// DSH_VECTORS, and its files run besides. Cases whose strings hold a lone surrogate
// are counted and left out: such a string is refused at the door, as
// docs/format/divergences.md says.
func vectors[T any](t *testing.T, name string, check func(t *testing.T, c T)) {
	t.Helper()
	folders := []string{"testdata/vectors"}
	if f := os.Getenv("DSH_VECTORS"); f != "" {
		folders = append(folders, f)
	}
	for _, folder := range folders {
		b, err := os.ReadFile(filepath.Join(folder, name+".dev.json"))
		if err != nil {
			t.Fatal(err)
		}
		var raws []json.RawMessage
		if err := json.Unmarshal(b, &raws); err != nil || len(raws) == 0 {
			t.Fatalf("%s in %s: %d cases, %v", name, folder, len(raws), err)
		}
		ran, ill := 0, 0
		for _, raw := range raws {
			var head struct {
				Case      string
				IllFormed bool
			}
			if err := json.Unmarshal(raw, &head); err != nil {
				t.Fatal(err)
			}
			if head.IllFormed {
				ill++
				continue
			}
			var c T
			if err := json.Unmarshal(expanded(t, raw), &c); err != nil {
				t.Fatalf("%s: %v", head.Case, err)
			}
			ran++
			t.Run(head.Case, func(t *testing.T) { check(t, c) })
		}
		t.Logf("%s: %d cases of %s, and %d with lone surrogates", folder, ran, name, ill)
	}
}

// expanded is a case with its repeated strings written out.
func expanded(t *testing.T, raw []byte) []byte {
	t.Helper()
	if !strings.Contains(string(raw), `"rep"`) {
		return raw
	}
	v, err := canon.Parse(string(raw))
	if err != nil {
		t.Fatal(err)
	}
	return []byte(expand(v))
}

func expand(v canon.Value) string {
	switch v.Kind() {
	case canon.ArrayKind:
		var list []string
		for e := range v.Elements() {
			list = append(list, expand(e))
		}
		return canon.Array(list...)
	case canon.ObjectKind:
		if rep := v.Get("rep"); rep.Kind() == canon.ArrayKind {
			var b strings.Builder
			for pair := range rep.Elements() {
				var parts []canon.Value
				for p := range pair.Elements() {
					parts = append(parts, p)
				}
				unit, _ := parts[0].Text()
				n, _ := parts[1].Int()
				b.WriteString(strings.Repeat(unit, int(n)))
			}
			return canon.Quote(b.String())
		}
		var o canon.Object
		for name, m := range v.Members() {
			o.Member(name, expand(m))
		}
		return o.End()
	}
	return v.Raw()
}

func code(err error) string {
	if err == nil {
		return ""
	}
	return msg.CodeOf(err)
}

func TestURIVectors(t *testing.T) {
	vectors(t, "uri", func(t *testing.T, c struct {
		Op, ID, URI string
		Error       string
	}) {
		if c.Op == "encode" {
			if got, err := ref.EncodeURI(c.ID); err != nil || got != c.URI {
				t.Errorf("%q is %q, %v, not %q", c.ID, got, err, c.URI)
			}
		}
		id, err := ref.DecodeURI(c.URI)
		if code(err) != c.Error || c.Error == "" && id != c.ID {
			t.Errorf("%q is the id %q, %v; not %q, %s", c.URI, id, err, c.ID, c.Error)
		}
	})
}

func TestFormatVectors(t *testing.T) {
	vectors(t, "format", func(t *testing.T, c struct {
		SessionID        string
		Label            *string
		Mention          string
		ParsedText       string
		ParsedReferences []ref.Reference
	}) {
		r := ref.Reference{SessionID: c.SessionID, Label: c.SessionID}
		if c.Label != nil {
			r.Label = *c.Label
		}
		got, err := r.Mention()
		if err != nil || got != c.Mention {
			t.Fatalf("%+v is %q, %v, not %q", r, got, err, c.Mention)
		}
		text, refs, err := ref.Parse(got)
		if err != nil || text != c.ParsedText || fmt.Sprint(refs) != fmt.Sprint(c.ParsedReferences) {
			t.Errorf("%q says %q, %v, %v", got, text, refs, err)
		}
	})
}

func TestMentionVectors(t *testing.T) {
	vectors(t, "mention", func(t *testing.T, c struct {
		Text, Out, Error string
		References       []ref.Reference
	}) {
		out, refs, err := ref.Parse(c.Text)
		if code(err) != c.Error || out != c.Out || fmt.Sprint(refs) != fmt.Sprint(c.References) {
			t.Errorf("%q is %q, %v, %v; not %q, %v, %q", c.Text, out, refs, err, c.Out, c.References, c.Error)
		}
	})
}

func TestJSFactsVectors(t *testing.T) {
	vectors(t, "jsfacts", func(t *testing.T, c struct {
		Group, Value, Lower, JSON, TagSafeJSON string
		Input                                  json.RawMessage
		UTF8Bytes, TagSafeJSONBytes            int
	}) {
		switch c.Group {
		case "lower":
			if got := ref.Lower(c.Value); got != c.Lower {
				t.Errorf("%q is %q in lower case, not %q", c.Value, got, c.Lower)
			}
		case "value":
			v, err := canon.ParseJavaScript(string(c.Input))
			if err != nil || ref.TagSafe(v.Raw()) != c.TagSafeJSON {
				t.Errorf("%s is %s, %v, not %s", c.Input, ref.TagSafe(v.Raw()), err, c.TagSafeJSON)
			}
		default:
			if got := canon.Quote(c.Value); got != c.JSON || len(c.Value) != c.UTF8Bytes {
				t.Errorf("%q is %s, not %s", c.Value, got, c.JSON)
			}
			if got := ref.TagSafe(canon.Quote(c.Value)); got != c.TagSafeJSON || len(got) != c.TagSafeJSONBytes {
				t.Errorf("%q is %s, not %s", c.Value, got, c.TagSafeJSON)
			}
		}
	})
}

func TestRetainerVectors(t *testing.T) {
	vectors(t, "retainer", func(t *testing.T, c struct {
		HeadBytes, TailBytes float64
		Text                 string
		ChunksHex            []string
		Expect               struct {
			Text         string
			OmittedBytes int
			Truncated    bool
			Pushes       [][2]bool
			Error        string
		}
	}) {
		if c.HeadBytes != float64(int(c.HeadBytes)) || c.TailBytes != float64(int(c.TailBytes)) {
			return // a fraction is no budget that could be given
		}
		r, err := ref.NewRetainer(int(c.HeadBytes), int(c.TailBytes))
		if (err != nil) != (c.Expect.Error != "") {
			t.Fatalf("%v, not %q", err, c.Expect.Error)
		}
		if err != nil {
			return
		}
		pieces := [][]byte{[]byte(c.Text)}
		if c.ChunksHex != nil {
			pieces = nil
			for _, h := range c.ChunksHex {
				b, err := hex.DecodeString(h)
				if err != nil {
					t.Fatal(err)
				}
				pieces = append(pieces, b)
			}
		}
		for i, p := range pieces {
			kept, truncated := r.Push(p)
			if c.Expect.Pushes != nil && c.Expect.Pushes[i] != [2]bool{kept, truncated} {
				t.Errorf("piece %d: kept %v, truncated %v; not %v", i, kept, truncated, c.Expect.Pushes[i])
			}
		}
		text, omitted := r.Result()
		if text != c.Expect.Text || omitted != c.Expect.OmittedBytes || (omitted > 0) != c.Expect.Truncated {
			t.Errorf("%q and %d omitted, not %q and %d", text, omitted, c.Expect.Text, c.Expect.OmittedBytes)
		}
	})
}

// snapshot is a session as the vectors write it.
type snapshot struct {
	Session struct {
		ID  string
		Cwd *string
	}
	CapturedThroughSeq *int64
	Events             []struct {
		Type            string
		Source, Content json.RawMessage
	}
}

func (s snapshot) read(t *testing.T) ref.Snapshot {
	t.Helper()
	value := func(raw json.RawMessage) canon.Value {
		if raw == nil {
			return canon.Value{}
		}
		v, err := canon.Parse(string(raw))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	out := ref.Snapshot{SessionID: s.Session.ID}
	if s.Session.Cwd != nil {
		out.Cwd = msg.Some(*s.Session.Cwd)
	}
	if s.CapturedThroughSeq != nil {
		out.Through = msg.Some(*s.CapturedThroughSeq)
	}
	for _, e := range s.Events {
		out.Surface = append(out.Surface, ref.Surface{Type: e.Type, Source: value(e.Source), Content: value(e.Content)})
	}
	return out
}

func TestRetainVectors(t *testing.T) {
	vectors(t, "retain", func(t *testing.T, c struct {
		Snapshot snapshot
		Label    string
		MaxBytes int
		Expect   *struct {
			JSON  string
			Stats ref.Stats
		}
	}) {
		s := c.Snapshot.read(t)
		x, ok, err := s.Retain(c.Label, c.MaxBytes)
		if err != nil || ok != (c.Expect != nil) {
			t.Fatalf("fits: %v, %v", ok, err)
		}
		if !ok {
			return
		}
		if x.JSON != c.Expect.JSON {
			t.Errorf("got  %s\nwant %s", x.JSON, c.Expect.JSON)
		}
		if x.Stats != c.Expect.Stats {
			t.Errorf("got  %+v\nwant %+v", x.Stats, c.Expect.Stats)
		}
		if len(x.JSON) > c.MaxBytes {
			t.Errorf("%d bytes, and the budget is %d", len(x.JSON), c.MaxBytes)
		}
	})
}
