package bpe

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// UnsupportedError says that a tokenizer.json describes what this program cannot
// count with, and which member says so.
type UnsupportedError struct{ Member, Reason string }

func (e *UnsupportedError) Error() string { return e.Member + " " + e.Reason }

// StableCode returns the error's code.
func (e *UnsupportedError) StableCode() string { return "UNSUPPORTED_TOKENIZER" }

func unsupported(member, format string, args ...any) error {
	return &UnsupportedError{member, fmt.Sprintf(format, args...)}
}

// file is a tokenizer.json. Members that change no count are any JSON.
type file struct {
	Version       any             `json:"version"`
	Truncation    any             `json:"truncation"`
	Padding       any             `json:"padding"`
	AddedTokens   []addedToken    `json:"added_tokens"`
	Normalizer    json.RawMessage `json:"normalizer"`
	PreTokenizer  json.RawMessage `json:"pre_tokenizer"`
	PostProcessor any             `json:"post_processor"`
	Decoder       any             `json:"decoder"`
	Model         json.RawMessage `json:"model"`
}

type addedToken struct {
	ID         uint32 `json:"id"`
	Content    string `json:"content"`
	SingleWord bool   `json:"single_word"`
	LStrip     bool   `json:"lstrip"`
	RStrip     bool   `json:"rstrip"`
	Normalized bool   `json:"normalized"`
	Special    bool   `json:"special"`
}

type model struct {
	Type                    string            `json:"type"`
	Dropout                 *float64          `json:"dropout"`
	UnkToken                *string           `json:"unk_token"`
	ContinuingSubwordPrefix *string           `json:"continuing_subword_prefix"`
	EndOfWordSuffix         *string           `json:"end_of_word_suffix"`
	FuseUnk                 bool              `json:"fuse_unk"`
	ByteFallback            bool              `json:"byte_fallback"`
	IgnoreMerges            bool              `json:"ignore_merges"`
	Vocab                   map[string]uint32 `json:"vocab"`
	Merges                  []pair            `json:"merges"`
}

// pair is two tokens that are joined: "a b" or ["a", "b"].
type pair [2]string

// UnmarshalJSON implements json.Unmarshaler.
func (p *pair) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '[' {
		var list []string
		if err := json.Unmarshal(b, &list); err != nil {
			return err
		}
		if len(list) != 2 {
			return fmt.Errorf("a merge has %d tokens", len(list))
		}
		*p = pair(list)
		return nil
	}
	var text string
	if err := json.Unmarshal(b, &text); err != nil {
		return err
	}
	left, right, ok := strings.Cut(text, " ")
	if !ok {
		return fmt.Errorf("the merge %q has no space", text)
	}
	*p = pair{left, right}
	return nil
}

// strictly decodes JSON whose members are all known.
func strictly(b []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("more follows behind the JSON value")
	}
	return nil
}

// Read returns the tokenizer that a tokenizer.json describes, the format of the
// library "tokenizers" of Hugging Face: a byte level BPE model. Added tokens count as
// one wherever they stand in a text, special ones, too. What the post-processor adds
// is not counted. Errors: one of the JSON, *UnsupportedError.
func Read(name string, text []byte) (*Tokenizer, error) {
	var f file
	if err := strictly(text, &f); err != nil {
		return nil, err
	}
	if f.Model == nil {
		return nil, errors.New("there is no model: it is no tokenizer.json")
	}
	t := &Tokenizer{name: name}
	if err := t.readModel(f.Model); err != nil {
		return nil, err
	}
	split, err := readPreTokenizer(f.PreTokenizer)
	if err != nil {
		return nil, err
	}
	normalize, err := readNormalizer(f.Normalizer, 0)
	if err != nil {
		return nil, err
	}
	t.extra, err = readAdded(f.AddedTokens, normalize != nil)
	if err != nil {
		return nil, err
	}
	t.pieces = func(text string, yield func(string)) {
		if normalize != nil {
			text = normalize(text)
		}
		split(text, yield)
	}
	return t, nil
}

func (t *Tokenizer) readModel(raw []byte) error {
	var kind struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(raw, &kind); err != nil {
		return errors.New("model is no object")
	}
	if kind.Type != "BPE" && kind.Type != "" { // older files do not say it
		return unsupported("model.type", "is %q; only \"BPE\" can be counted with", kind.Type)
	}
	var m model
	if err := strictly(raw, &m); err != nil {
		return fmt.Errorf("model: %w", err)
	}
	switch {
	case m.ByteFallback:
		return unsupported("model.byte_fallback", "is true: the model is not one of byte level")
	case m.Dropout != nil && *m.Dropout != 0:
		return unsupported("model.dropout", "is set: no count would be certain")
	case m.ContinuingSubwordPrefix != nil && *m.ContinuingSubwordPrefix != "":
		return unsupported("model.continuing_subword_prefix", "is set: the model is not one of byte level")
	case m.EndOfWordSuffix != nil && *m.EndOfWordSuffix != "":
		return unsupported("model.end_of_word_suffix", "is set: the model is not one of byte level")
	}
	back := byteAlphabet()
	t.whole = m.IgnoreMerges
	t.vocab = make(map[string]uint32, len(m.Vocab))
	for token, id := range m.Vocab {
		if b, ok := asBytes(token, back); ok {
			t.vocab[b] = id
		} // else an added token: no piece is ever one
	}
	for i := range t.bytes {
		id, ok := t.vocab[string([]byte{byte(i)})]
		if !ok {
			id = none
			if inUTF8(byte(i)) {
				return unsupported("model.vocab", "has no token for the byte 0x%02x: the model is not one of byte level", i)
			}
		}
		t.bytes[i] = id
	}
	type made struct{ rank, token uint32 }
	merges := make(map[uint64]made, len(m.Merges))
	for rank, p := range m.Merges {
		left, okLeft := m.Vocab[p[0]]
		right, okRight := m.Vocab[p[1]]
		token, ok := m.Vocab[p[0]+p[1]]
		if !ok || !okLeft || !okRight {
			return fmt.Errorf("model: merge %d joins %q and %q, and not all of these and what they make are in the vocabulary", rank, p[0], p[1])
		}
		key := uint64(left)<<32 | uint64(right)
		merges[key] = made{uint32(rank), token} // a later one counts
	}
	t.join = func(left, right uint32, _ string) (rank, token uint32, ok bool) {
		m, ok := merges[uint64(left)<<32|uint64(right)]
		return m.rank, m.token, ok
	}
	return nil
}

// inUTF8 reports whether a byte occurs in UTF-8.
func inUTF8(b byte) bool { return b < 0xc0 || b > 0xc1 && b < 0xf5 }

// byteAlphabet are the bytes by the characters that stand for them in a
// vocabulary: printable ones of Latin-1 for themselves, the others from U+0100 on.
func byteAlphabet() map[rune]byte {
	out := make(map[rune]byte, 256)
	next := rune(0x100)
	for b := range rune(256) {
		if b >= '!' && b <= '~' || b >= 0xa1 && b <= 0xac || b >= 0xae {
			out[b] = byte(b)
			continue
		}
		out[next] = byte(b)
		next++
	}
	return out
}

// asBytes returns the bytes that a token of a vocabulary stands for.
func asBytes(token string, back map[rune]byte) (string, bool) {
	out := make([]byte, 0, len(token))
	for _, r := range token {
		b, ok := back[r]
		if !ok {
			return "", false
		}
		out = append(out, b)
	}
	return string(out), true
}

// added finds added tokens in a text.
type added struct {
	tokens []addedToken
	starts map[string][]int // of these, the longest first, by their first two bytes or the only one
	first  [256]bool        // bytes that one begins with
}

// maxAdded is how many bytes an added token may have.
const maxAdded = 256

func readAdded(list []addedToken, normalizes bool) (*added, error) {
	if len(list) == 0 {
		return nil, nil
	}
	for _, a := range list {
		at := fmt.Sprintf("added_tokens %q", a.Content)
		switch {
		case a.Content == "":
			return nil, errors.New("added_tokens has one without content")
		case len(a.Content) > maxAdded:
			return nil, unsupported("added_tokens", "has one of %d bytes, and more than %d are not supported", len(a.Content), maxAdded)
		case a.SingleWord:
			return nil, unsupported(at, "has single_word, which is not supported")
		case a.Normalized && normalizes && !isASCII(a.Content):
			return nil, unsupported(at, "is normalized, which is not supported")
		}
	}
	out := &added{tokens: slices.Clone(list), starts: map[string][]int{}}
	slices.SortStableFunc(out.tokens, func(a, b addedToken) int { return cmp.Compare(len(b.Content), len(a.Content)) })
	for i, a := range out.tokens {
		key := a.Content[:min(2, len(a.Content))]
		out.starts[key] = append(out.starts[key], i)
		out.first[a.Content[0]] = true
	}
	return out, nil
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// next returns the first added token in a text, the longest of those that begin at
// one place: where it starts and ends, with the white space that goes with it, -1 for
// none.
func (a *added) next(text string) (start, end int) {
	for i := range len(text) {
		if !a.first[text[i]] {
			continue
		}
		for n := min(2, len(text)-i); n > 0; n-- {
			for _, k := range a.starts[text[i:i+n]] {
				if t := a.tokens[k]; strings.HasPrefix(text[i:], t.Content) {
					start, end = i, i+len(t.Content)
					if t.LStrip {
						start = len(strings.TrimRightFunc(text[:i], unicode.IsSpace))
					}
					if t.RStrip {
						end = len(text) - len(strings.TrimLeftFunc(text[end:], unicode.IsSpace))
					}
					return start, end
				}
			}
		}
	}
	return -1, -1
}
