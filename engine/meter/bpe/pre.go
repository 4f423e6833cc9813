package bpe

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/dlclark/regexp2/v2"
	"golang.org/x/text/unicode/norm"
)

// pretokenizer cuts a text into pieces.
type pretokenizer func(text string, yield func(piece string))

// preTokenizer is the description of one.
type preTokenizer struct {
	Type           string            `json:"type"`
	PreTokenizers  []json.RawMessage `json:"pretokenizers"`
	Pattern        *pattern          `json:"pattern"`
	Behavior       string            `json:"behavior"`
	Invert         bool              `json:"invert"`
	AddPrefixSpace bool              `json:"add_prefix_space"`
	TrimOffsets    bool              `json:"trim_offsets"` // changes no count
	UseRegex       *bool             `json:"use_regex"`
	Individual     bool              `json:"individual_digits"`
}

type pattern struct {
	Regex  *string `json:"Regex"`
	String *string `json:"String"`
}

// gpt2 is the pattern of ByteLevel with use_regex.
const gpt2 = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`

// readPreTokenizer returns the pre-tokenizer that a tokenizer.json describes. At
// some place it has to be of byte level.
func readPreTokenizer(raw json.RawMessage) (pretokenizer, error) {
	if isNull(raw) {
		return nil, unsupported("pre_tokenizer", "is missing: the model is not one of byte level")
	}
	list, err := flatten("pre_tokenizer", raw, 0)
	if err != nil {
		return nil, err
	}
	if len(list) > maxSteps {
		return nil, unsupported("pre_tokenizer", "has %d steps, and more than %d are not supported", len(list), maxSteps)
	}
	var steps []pretokenizer
	byteLevel := false
	for i, p := range list {
		at := "pre_tokenizer"
		if len(list) > 1 {
			at = fmt.Sprintf("pre_tokenizer %d", i+1)
		}
		if byteLevel {
			return nil, unsupported(at, "follows one of type ByteLevel, which is not supported")
		}
		var step pretokenizer
		switch p.Type {
		case "ByteLevel":
			byteLevel = true
			if p.AddPrefixSpace {
				return nil, unsupported(at+".add_prefix_space", "is true, which is not supported")
			}
			if p.UseRegex == nil || *p.UseRegex {
				step, err = bySplit(at, gpt2, "Isolated", false)
			}
		case "Split":
			switch {
			case p.Pattern == nil || (p.Pattern.Regex == nil) == (p.Pattern.String == nil):
				return nil, unsupported(at+".pattern", "has neither Regex nor String, or both")
			case p.Pattern.Regex != nil:
				step, err = bySplit(at, *p.Pattern.Regex, p.Behavior, p.Invert)
			default:
				step, err = bySplit(at, regexp2.Escape(*p.Pattern.String), p.Behavior, p.Invert)
			}
		case "Digits":
			digits := `\p{N}+`
			if p.Individual {
				digits = `\p{N}`
			}
			step, err = bySplit(at, digits, "Isolated", false)
		default:
			return nil, unsupported(at+".type", "is %q; ByteLevel, Split, Digits and Sequence are supported", p.Type)
		}
		if err != nil {
			return nil, err
		}
		if step != nil {
			steps = append(steps, step)
		}
	}
	if !byteLevel {
		return nil, unsupported("pre_tokenizer", "has no ByteLevel: the model is not one of byte level")
	}
	return chain(steps), nil
}

func isNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// maxDepth is how deep sequences may lie in each other.
const maxDepth = 8

// flatten returns the pre-tokenizers in a sequence of sequences.
func flatten(at string, raw json.RawMessage, depth int) ([]preTokenizer, error) {
	if depth > maxDepth {
		return nil, unsupported(at, "has sequences more than %d deep", maxDepth)
	}
	var p preTokenizer
	if err := strictly(raw, &p); err != nil {
		return nil, fmt.Errorf("%s: %w", at, err)
	}
	if p.Type != "Sequence" {
		return []preTokenizer{p}, nil
	}
	var out []preTokenizer
	for _, inner := range p.PreTokenizers {
		list, err := flatten(at, inner, depth+1)
		if err != nil {
			return nil, err
		}
		out = append(out, list...)
	}
	return out, nil
}

// chain cuts the pieces of each step by the next one.
func chain(steps []pretokenizer) pretokenizer {
	if len(steps) == 0 {
		return func(text string, yield func(string)) { yield(text) }
	}
	first, rest := steps[0], steps[1:]
	if len(rest) == 0 {
		return first
	}
	then := chain(rest)
	return func(text string, yield func(string)) {
		first(text, func(piece string) { then(piece, yield) })
	}
}

// patience bounds one match of a pattern, and with perByte all matches of a text, since
// one that somebody wrote badly may take time without end.
const (
	patience = time.Second
	perByte  = 2 * time.Microsecond
)

var errImpatient = errors.New("the pattern takes too long")

// maxSteps is how many pre-tokenizers may follow each other.
const maxSteps = 32

// bySplit cuts a text at the matches of a pattern: what matches is a piece of its
// own, and so is what lies between, unless that is removed. Where a match takes too
// long, each character from there on is a piece: that counts too much, never too
// little.
func bySplit(at, expr, behavior string, invert bool) (pretokenizer, error) {
	switch {
	case behavior == "Isolated", behavior == "Removed" && invert:
	default:
		return nil, unsupported(at+".behavior", "is %q, which is not supported; Isolated is, and Removed with invert", behavior)
	}
	switch expr { // many models have one of these two
	case patternCL100k:
		return splitter(splitCL100k).all, nil
	case patternO200k:
		return splitter(splitO200k).all, nil
	}
	re, err := regexp2.Compile("(?:"+expr+")", regexp2.None)
	if err != nil {
		return nil, unsupported(at+".pattern", "is not supported: %s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	re.MatchTimeout = patience
	removed := behavior == "Removed"
	return func(text string, yield func(string)) {
		m, err := re.FindStringMatch(text)
		end, matches := 0, 0
		begun := time.Now()
		for m != nil && err == nil {
			if matches++; matches%64 == 0 && time.Since(begun) > patience+time.Duration(len(text))*perByte {
				err = errImpatient
				break
			}
			start, length := m.ByteRange()
			if length > 0 {
				if start > end && !removed {
					yield(text[end:start])
				}
				yield(text[start : start+length])
				end = start + length
			}
			m, err = re.FindNextMatch(m)
		}
		if err != nil {
			for _, r := range text[end:] {
				yield(string(r))
			}
			return
		}
		if end < len(text) && !removed {
			yield(text[end:])
		}
	}, nil
}

// readNormalizer returns the normalizer that a tokenizer.json describes, nil for
// none.
func readNormalizer(raw json.RawMessage, depth int) (func(string) string, error) {
	if isNull(raw) {
		return nil, nil
	}
	if depth > maxDepth {
		return nil, unsupported("normalizer", "has sequences more than %d deep", maxDepth)
	}
	var n struct {
		Type        string            `json:"type"`
		Normalizers []json.RawMessage `json:"normalizers"`
	}
	if err := json.Unmarshal(raw, &n); err != nil {
		return nil, fmt.Errorf("normalizer: %w", err)
	}
	switch n.Type {
	case "NFC":
		return norm.NFC.String, nil
	case "NFKC":
		return norm.NFKC.String, nil
	case "NFD":
		return norm.NFD.String, nil
	case "NFKD":
		return norm.NFKD.String, nil
	case "Sequence":
		var steps []func(string) string
		for _, inner := range n.Normalizers {
			step, err := readNormalizer(inner, depth+1)
			if err != nil {
				return nil, err
			}
			if step != nil {
				steps = append(steps, step)
			}
		}
		if len(steps) == 0 {
			return nil, nil
		}
		return func(s string) string {
			for _, step := range steps {
				s = step(s)
			}
			return s
		}, nil
	}
	return nil, unsupported("normalizer.type", "is %q; NFC, NFD, NFKC, NFKD and Sequence are supported", n.Type)
}
