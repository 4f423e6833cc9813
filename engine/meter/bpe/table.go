package bpe

import (
	"bytes"
	"compress/flate"
	_ "embed" // the vocabularies
	"fmt"
	"io"
	"strings"
)

// The vocabularies of o200k and cl100k, made by TestTables: for each token in the
// order of ranks its length, in one byte, and its bytes, deflated.
var (
	//go:embed tables/o200k.bin
	o200k []byte
	//go:embed tables/cl100k.bin
	cl100k []byte
)

// Names are the tokenizers that Open knows.
func Names() []string { return []string{"o200k", "cl100k"} }

// UnknownError says that the program has no such vocabulary.
type UnknownError struct{ Name string }

func (e *UnknownError) Error() string {
	return fmt.Sprintf("there is no exact tokenizer %q; there are %s", e.Name, strings.Join(Names(), ", "))
}

// StableCode returns the error's code.
func (e *UnknownError) StableCode() string { return "UNKNOWN_TOKENIZER" }

// Open returns the tokenizer of a name. It unpacks the vocabulary, which takes some
// 50 ms and 20 MB: whoever asks often keeps the tokenizer. Errors: *UnknownError.
func Open(name string) (*Tokenizer, error) {
	packed, split := o200k, splitter(splitO200k)
	switch name {
	case "o200k":
	case "cl100k":
		packed, split = cl100k, splitCL100k
	default:
		return nil, &UnknownError{name}
	}
	tokens, err := unpack(packed)
	if err != nil {
		return nil, fmt.Errorf("the vocabulary of %s: %w", name, err)
	}
	t := &Tokenizer{name: name, vocab: make(map[string]uint32, len(tokens)), whole: true}
	for i, token := range tokens {
		t.vocab[token] = uint32(i)
	}
	for i := range t.bytes {
		t.bytes[i] = t.vocab[string([]byte{byte(i)})]
	}
	t.join = func(_, _ uint32, s string) (rank, token uint32, ok bool) {
		token, ok = t.vocab[s]
		return token, token, ok
	}
	t.pieces = split.all
	return t, nil
}

// unpack returns the tokens of a table, in the order of their ranks.
func unpack(packed []byte) ([]string, error) {
	raw, err := io.ReadAll(flate.NewReader(bytes.NewReader(packed)))
	if err != nil {
		return nil, err
	}
	text := string(raw)
	var out []string
	for text != "" {
		n := int(text[0]) + 1
		if n > len(text) {
			return nil, io.ErrUnexpectedEOF
		}
		out = append(out, text[1:n])
		text = text[n:]
	}
	return out, nil
}
