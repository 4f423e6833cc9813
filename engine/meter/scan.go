package meter

import (
	"unicode"
	"unicode/utf8"
)

// class is what a tokenizer treats alike.
type class uint8

const (
	space class = iota
	newline
	lower // Latin
	upper // Latin
	accent
	digit
	mark // ASCII punctuation
	han
	kana
	hangul
	cyrillic
	eastern  // Greek, Arabic, Hebrew
	southern // Devanagari, Bengali, Tamil, Thai
	distant  // further scripts that tokenizers know a little
	sign     // punctuation outside of ASCII
	symbol   // control characters and everything else that is common
	rare     // other scripts and planes, of which tokenizers know little but bytes
)

func classOf(r rune) class {
	switch {
	case r == '\n' || r == '\r':
		return newline
	case r == ' ' || r == '\t':
		return space
	case 'a' <= r && r <= 'z':
		return lower
	case 'A' <= r && r <= 'Z':
		return upper
	case '0' <= r && r <= '9':
		return digit
	case r < ' ' || r == 0x7f:
		return symbol
	case r < utf8.RuneSelf:
		return mark
	case unicode.Is(unicode.Latin, r):
		return accent
	case r > 0xffff:
		if r >= 0x1f000 && r < 0x1fc00 { // pictures
			return symbol
		}
		return rare
	case unicode.Is(unicode.Han, r) || 0x3000 <= r && r <= 0x303f || 0xff00 <= r && r <= 0xff65:
		return han
	case unicode.In(r, unicode.Hiragana, unicode.Katakana):
		return kana
	case unicode.Is(unicode.Hangul, r):
		return hangul
	case unicode.Is(unicode.Cyrillic, r):
		return cyrillic
	case unicode.In(r, unicode.Greek, unicode.Arabic, unicode.Hebrew):
		return eastern
	case unicode.In(r, unicode.Devanagari, unicode.Bengali, unicode.Tamil, unicode.Thai):
		return southern
	case unicode.In(r, unicode.Armenian, unicode.Georgian, unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Gujarati, unicode.Gurmukhi,
		unicode.Sinhala, unicode.Myanmar, unicode.Khmer):
		return distant
	case unicode.IsSpace(r):
		return space
	case unicode.IsPunct(r):
		return sign
	case unicode.IsLetter(r) || unicode.Is(unicode.Co, r):
		return rare
	}
	return symbol
}

func (c class) latin() bool { return c == lower || c == upper || c == accent }

// dense is from how many letters and digits without a break a run is looked at as
// data (base64, digests): words are broken by case and digits far less often.
const dense = 24

// The features of a text: what the factors of a family are multiplied with.
const (
	words       = iota // pieces of Latin letters of one case pattern
	longLetters        // Latin letters behind the sixth of a piece
	capitals           // capitals behind the first of a piece
	accents            // Latin letters outside of ASCII
	digits             // groups of up to three digits
	marks              // runs of ASCII punctuation
	joined             // those of them right before a letter, which may take the last mark
	moreMarks          // punctuation behind the second of a run
	lines              // runs of white space with a line break that no mark precedes
	blanks             // indents, and other runs of two and more blanks
	gaps               // single blanks before a digit, which join no word
	data               // letters and digits of dense runs
	hans
	kanas
	hanguls
	cyrillics
	easterns
	southerns
	distants
	signs
	symbols // pictures twice
	rares   // bytes of them
	features
)

// What runs cost besides their features, by their length, in thousandths of a token:
// ordinary text has no long ones, and a tool may well return some.
const (
	perMark    = 50   // ASCII punctuation behind the sixteenth of a run
	perBlank   = 10   // blanks behind the hundredth between two other characters
	perBreak   = 500  // line breaks behind blanks, besides the first of a run
	perUnusual = 1000 // blanks outside of ASCII, besides the first of a run
)

// scan counts the features of a text, and what long runs cost besides, in thousandths
// of a token.
func scan(s string) (f [features]int64, long int64) {
	before := newline // class of what precedes the run
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		c := classOf(r)
		start := i
		switch {
		case c.latin() || c == digit:
			end, changes := alphanumeric(s, i)
			if end-i >= dense && changes*5 >= end-i {
				f[data] += int64(end - i)
			} else {
				wordFeatures(&f, s[i:end])
			}
			i = end
		case c == mark:
			for i < len(s) && classOf(rune(s[i])) == mark && s[i] < utf8.RuneSelf {
				i++
			}
			f[marks]++
			if i < len(s) && classOf(rune(s[i])).latin() {
				f[joined]++
			}
			f[moreMarks] += int64(max(0, i-start-2))
			long += perMark * int64(max(0, i-start-16))
		case c == space || c == newline:
			broken := false
			blank := 0 // behind the last line break
			stretch, breaks, unusual := 0, 0, 0
			for i < len(s) {
				r, n = utf8.DecodeRuneInString(s[i:])
				switch classOf(r) {
				case newline:
					if blank > 0 {
						breaks++
					}
					long += perBlank * int64(max(0, stretch-100))
					broken, blank, stretch = true, 0, 0
				case space:
					if r >= utf8.RuneSelf {
						unusual++
					} else {
						stretch++
					}
					blank++
				default:
					n = 0
				}
				if n == 0 {
					break
				}
				i += n
			}
			long += perBlank*int64(max(0, stretch-100)) + perBreak*int64(max(0, breaks-1)) + perUnusual*int64(max(0, unusual-1))
			if broken && before != mark {
				f[lines]++
			}
			switch {
			case blank > 1:
				f[blanks]++
			case blank == 1 && i < len(s) && classOf(rune(s[i])) == digit:
				f[gaps]++
			}
		default:
			switch {
			case c == rare:
				f[rares] += int64(n)
			case c == symbol && r > 0xffff:
				f[symbols] += 2
			default:
				f[hans+int(c-han)]++ // the classes and their features have one order
			}
			i += n
		}
		before = c
	}
	return f, long
}

// alphanumeric returns the end of a run of Latin letters and digits, and how often
// it changes between lower case, upper case and digits.
func alphanumeric(s string, i int) (end, changes int) {
	first, _ := utf8.DecodeRuneInString(s[i:])
	last := classOf(first)
	for end = i; end < len(s); {
		r, n := utf8.DecodeRuneInString(s[end:])
		c := classOf(r)
		// Base64 has these two among its letters.
		if (r == '+' || r == '/') && end > i && end+n < len(s) && end-i >= dense {
			c = last
		}
		if !c.latin() && c != digit {
			break
		}
		if c != last {
			changes++
		}
		last = c
		end += n
	}
	return end, changes
}

// wordFeatures counts the words and numbers of an alphanumeric run. A word ends
// before a capital that follows a small letter.
func wordFeatures(f *[features]int64, s string) {
	letters, figures := 0, 0
	last := space
	for _, r := range s {
		c := classOf(r)
		if c == digit {
			if figures%3 == 0 {
				f[digits]++
			}
			figures++
			letters = 0
			last = c
			continue
		}
		figures = 0
		if letters == 0 || c == upper && last != upper {
			f[words]++
			letters = 0
		} else if c == upper {
			f[capitals]++
		}
		letters++
		if letters > 6 {
			f[longLetters]++
		}
		if c == accent {
			f[accents]++
		}
		last = c
	}
}
