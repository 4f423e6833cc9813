package bpe

import (
	"errors"
	"os"
	"strings"
	"testing"
)

func testFile(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile("testdata/tokenizer.json")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The file has the merges he, ll, ld, hell, hello, " hello", " w", or, " wor",
// " world" and é, digits apart, and two added tokens.
func TestRead(t *testing.T) {
	tk, err := Read("small", []byte(testFile(t)))
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int{
		"":                     0,
		"hello":                1,
		"hello world":          2, // not the token of this name, which no merge makes
		"hellohello":           2,
		"hel lo":               2 + 1 + 2, // he l, space, l o
		"ello":                 3,
		"é":                    1,
		"e\u0301":              1, // normalised
		"日":                    3,
		"2026":                 4,
		"hello 7 world":        1 + 1 + 1 + 1,
		"<|end|>":              1,
		"hello<|end|>  hello":  3, // white space behind goes with the added token
		"hello  <|endless|>ld": 3, // the longer one, with the white space before
		"<|end|":               2 + 3 + 1,
	} {
		if got := tk.Count(text); got != want {
			t.Errorf("%q has %d tokens, not %d", text, got, want)
		}
	}
	whole, err := Read("small", []byte(strings.Replace(testFile(t), `"dropout"`, `"ignore_merges":true,"dropout"`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	if got := whole.Count("hello world"); got != 2 {
		t.Errorf("hello world has %d tokens without merges", got)
	}
}

// What a file says that cannot be counted with is named.
func TestReadErrors(t *testing.T) {
	text := testFile(t)
	for _, c := range []struct {
		old, new, want string
		unsupported    bool
	}{
		{`{"version"`, `["version"`, "invalid character", false},
		{text, `{"vocab": {}}`, `unknown field "vocab"`, false},
		{text, `{"version": "1.0"}`, "there is no model: it is no tokenizer.json", false},
		{`"padding"`, `"paddings"`, `unknown field "paddings"`, false},
		{`"fuse_unk"`, `"fuse_unks"`, `model: unknown field "fuse_unks"`, false},
		{`"type": "BPE"`, `"type": "Unigram"`, `model.type is "Unigram"; only "BPE" can be counted with`, true},
		{`"type": "BPE"`, `"type": "WordPiece"`, `model.type is "WordPiece"; only "BPE" can be counted with`, true},
		{`"byte_fallback": false`, `"byte_fallback": true`, "model.byte_fallback is true: the model is not one of byte level", true},
		{`"dropout": null`, `"dropout": 0.1`, "model.dropout is set: no count would be certain", true},
		{`"end_of_word_suffix": ""`, `"end_of_word_suffix": "</w>"`, "model.end_of_word_suffix is set: the model is not one of byte level", true},
		{`"continuing_subword_prefix": ""`, `"continuing_subword_prefix": "##"`, "model.continuing_subword_prefix is set: the model is not one of byte level", true},
		{`"a": 97, `, ``, "model.vocab has no token for the byte 0x61: the model is not one of byte level", true},
		{`"h e"`, `"h x"`, `model: merge 0 joins "h" and "x", and not all of these and what they make are in the vocabulary`, false},
		{`"h e"`, `["h", "e", "l"]`, "model: a merge has 3 tokens", false},
		{`"h e"`, `"he"`, `model: the merge "he" has no space`, false},
		{`"Regex": "\\p{N}"`, `"Regex": "("`, "pre_tokenizer 1.pattern is not supported: missing closing )", true},
		{`"Regex": "\\p{N}"`, `"Regexp": "("`, `pre_tokenizer: unknown field "Regexp"`, false},
		{`"behavior": "Isolated"`, `"behavior": "MergedWithNext"`, `pre_tokenizer 1.behavior is "MergedWithNext", which is not supported; Isolated is, and Removed with invert`, true},
		{`"type": "Split"`, `"type": "Metaspace"`, `pre_tokenizer 1.type is "Metaspace"; ByteLevel, Split, Digits and Sequence are supported`, true},
		{`{"type": "ByteLevel", "add_prefix_space": false`, `{"type": "ByteLevel", "add_prefix_space": true`, "pre_tokenizer 2.add_prefix_space is true, which is not supported", true},
		{`, {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true}]`, `]`, "pre_tokenizer has no ByteLevel: the model is not one of byte level", true},
		{`"type": "NFC"`, `"type": "Lowercase"`, `normalizer.type is "Lowercase"; NFC, NFD, NFKC, NFKD and Sequence are supported`, true},
		{`{"type": "NFC"}`, strings.Repeat(`{"type": "Sequence", "normalizers": [`, 9) + strings.Repeat(`]}`, 9), "normalizer has sequences more than 8 deep", true},
		{`{"type": "Split"`, strings.Repeat(`{"type": "Sequence", "pretokenizers": [`, 9) + strings.Repeat(`]}`, 9) + `,{"type": "Split"`, "pre_tokenizer has sequences more than 8 deep", true},
		{`"single_word": false`, `"single_word": true`, `added_tokens "<|end|>" has single_word, which is not supported`, true},
		{`"content": "<|end|>"`, `"content": ""`, "added_tokens has one without content", false},
	} {
		changed := strings.Replace(text, c.old, c.new, 1)
		if changed == text {
			t.Errorf("the file has no %s", c.old)
			continue
		}
		_, err := Read("small", []byte(changed))
		var un *UnsupportedError
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || errors.As(err, &un) != c.unsupported {
			t.Errorf("%s for %.40s: the error is %v, not %s", c.new, c.old, err, c.want)
		}
	}
}

// A file may write the same in several ways.
func TestReadForms(t *testing.T) {
	text := testFile(t)
	for _, c := range []struct {
		old, new, text string
		want           int
	}{
		{`"h e"`, `["h", "e"]`, "hello world", 2},
		{`"type": "BPE", `, ``, "hello world", 2},
		{`"normalizer": {"type": "Sequence", "normalizers": [{"type": "NFC"}]}`, `"normalizer": null`, "e\u0301", 3},
		{`"type": "Split", "pattern": {"Regex": "\\p{N}"}, "behavior": "Isolated", "invert": false`, `"type": "Digits", "individual_digits": true`, "hello22", 3},
		{`"pattern": {"Regex": "\\p{N}"}`, `"pattern": {"String": "ll"}`, "hello", 3}, // he, ll, o
		{`"pattern": {"Regex": "\\p{N}"}, "behavior": "Isolated", "invert": false`, `"pattern": {"Regex": "[a-z ]+"}, "behavior": "Removed", "invert": true`, "hello77 world", 2},
		{`"use_regex": true}]`, `"use_regex": false}]`, "hello world", 2},
	} {
		changed := strings.Replace(text, c.old, c.new, 1)
		if changed == text {
			t.Errorf("the file has no %s", c.old)
			continue
		}
		tk, err := Read("small", []byte(changed))
		if err != nil {
			t.Errorf("%s: %v", c.new, err)
			continue
		}
		if got := tk.Count(c.text); got != c.want {
			t.Errorf("%s: %q has %d tokens, not %d", c.new, c.text, got, c.want)
		}
	}
}

// A pattern that takes time without end ends the cutting, and counts too much.
func TestPatience(t *testing.T) {
	changed := strings.Replace(testFile(t), `\\p{N}`, `(?:h+)+x`, 1)
	tk, err := Read("small", []byte(changed))
	if err != nil {
		t.Fatal(err)
	}
	if got := tk.Count("hello " + strings.Repeat("h", 64)); got < 64 {
		t.Errorf("there are %d tokens", got)
	}
}
