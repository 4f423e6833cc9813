package canon

import (
	"errors"
	"math/bits"
	"strings"
	"unicode/utf8"
)

// parser walks a text; i is the offset of the next byte. In strict mode white
// space, needless escapes and repeated members are errors. script asks whether
// JavaScript writes the text's numbers and orders its members just so; odd is set
// when it does not. beyond is set where a string has bytes beyond ASCII.
type parser struct {
	s      string
	i      int
	beyond bool
	strict bool
	script bool
	odd    bool
}

func (p *parser) fail(reason string) error { return &SyntaxError{Offset: p.i, Reason: reason} }

// space skips white space. A strict parser skips none, so that any there is met
// by the caller as an unexpected character.
func (p *parser) space() {
	if p.strict {
		return
	}
	for p.i < len(p.s) {
		switch p.s[p.i] {
		case ' ', '\t', '\n', '\r':
			p.i++
		default:
			return
		}
	}
}

func (p *parser) peek() byte {
	if p.i < len(p.s) {
		return p.s[p.i]
	}
	return 0
}

func (p *parser) value(depth int) error {
	if depth > maxDepth {
		return p.fail("nested too deeply")
	}
	if p.i >= len(p.s) {
		return p.fail("unexpected end")
	}
	switch c := p.s[p.i]; {
	case c == '{':
		return p.object(depth)
	case c == '[':
		return p.array(depth)
	case c == '"':
		return p.string()
	case c == '-' || c >= '0' && c <= '9':
		return p.number()
	}
	for _, lit := range [...]string{"null", "true", "false"} {
		if len(p.s)-p.i >= len(lit) && p.s[p.i:p.i+len(lit)] == lit {
			p.i += len(lit)
			return nil
		}
	}
	return p.fail("unexpected character")
}

func (p *parser) object(depth int) error {
	p.i++
	p.space()
	if p.peek() == '}' {
		p.i++
		return nil
	}
	var few [12]string // most objects of a log are small: no map for them
	seen := few[:0]
	var many map[string]bool
	for {
		if p.peek() != '"' {
			return p.fail("expected a member name")
		}
		at := p.i
		if err := p.string(); err != nil {
			return err
		}
		if p.strict {
			// Canonical escapes are unique, so the raw names can be compared.
			name := p.s[at:p.i]
			if p.script && !p.odd {
				_, p.odd = arrayIndex(name[1 : len(name)-1])
			}
			if many != nil {
				if many[name] {
					p.i = at
					return p.fail("member name repeated")
				}
				many[name] = true
			} else {
				for _, k := range seen {
					if k == name {
						p.i = at
						return p.fail("member name repeated")
					}
				}
				seen = append(seen, name)
				if len(seen) == len(few) {
					many = make(map[string]bool, 4*len(few))
					for _, k := range seen {
						many[k] = true
					}
				}
			}
		}
		p.space()
		if p.peek() != ':' {
			return p.fail("expected a colon")
		}
		p.i++
		p.space()
		if err := p.value(depth + 1); err != nil {
			return err
		}
		p.space()
		switch p.peek() {
		case ',':
			p.i++
			p.space()
		case '}':
			p.i++
			return nil
		default:
			return p.fail("expected a comma or a closing brace")
		}
	}
}

// outermost is object for an outermost object in strict mode; it appends what it
// moves over to room. Every name is compared with every other: it gives up, and
// returns nil, when there are many members.
func (p *parser) outermost(room []Member) ([]Member, error) {
	const many = 64
	p.i++
	if p.peek() == '}' {
		p.i++
		return room, nil
	}
	for {
		if p.peek() != '"' {
			return nil, p.fail("expected a member name")
		}
		at := p.i
		if err := p.string(); err != nil {
			return nil, err
		}
		name := p.s[at:p.i]
		for _, m := range room {
			if m.Name.raw == name {
				p.i = at
				return nil, p.fail("member name repeated")
			}
		}
		if p.peek() != ':' {
			return nil, p.fail("expected a colon")
		}
		p.i++
		at = p.i
		if err := p.value(1); err != nil {
			return nil, err
		}
		if len(room) == many {
			return nil, nil
		}
		room = append(room, Member{Value{name}, Value{p.s[at:p.i]}})
		switch p.peek() {
		case ',':
			p.i++
		case '}':
			p.i++
			return room, nil
		default:
			return nil, p.fail("expected a comma or a closing brace")
		}
	}
}

func (p *parser) array(depth int) error {
	p.i++
	p.space()
	if p.peek() == ']' {
		p.i++
		return nil
	}
	for {
		if err := p.value(depth + 1); err != nil {
			return err
		}
		p.space()
		switch p.peek() {
		case ',':
			p.i++
			p.space()
		case ']':
			p.i++
			return nil
		default:
			return p.fail("expected a comma or a closing bracket")
		}
	}
}

func (p *parser) string() error {
	start := p.i
	p.i++
	p.beyond = false
	err := p.inside()
	if p.beyond && !utf8.ValidString(p.s[start:p.i]) {
		// What stands first in the text is what is wrong with it.
		var text *TextError
		if errors.As(CheckText(p.s[start:p.i]), &text) {
			p.i = start + text.Offset
			return p.fail("invalid UTF-8")
		}
	}
	return err
}

// inside moves behind the quotation mark that ends a string.
func (p *parser) inside() error {
	for {
		p.plain()
		if p.i >= len(p.s) {
			return p.fail("unterminated string")
		}
		switch c := p.s[p.i]; {
		case c == '"':
			p.i++
			return nil
		case c == '\\':
			if err := p.escape(); err != nil {
				return err
			}
		case c < 0x20:
			return p.fail("control character in a string")
		default:
			p.beyond = p.beyond || c >= utf8.RuneSelf
			p.i++
		}
	}
}

// plain moves over bytes of a string that are neither quotation mark, backslash
// nor control character, eight at a time.
func (p *parser) plain() {
	const (
		ones = 0x0101010101010101
		high = 0x8080808080808080
	)
	s, i := p.s, p.i
	var all uint64
	for ; i+8 <= len(s); i += 8 {
		w := uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 |
			uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
		quote, slash := w^'"'*ones, w^'\\'*ones
		all |= w
		// A byte whose high bit comes out set is below 0x20, or zero after the
		// exclusive or, or, by a borrow, stands right behind such a one.
		if found := ((w - 0x20*ones) | (quote - ones) | (slash - ones)) &^ w & high; found != 0 {
			i += bits.TrailingZeros64(found) / 8
			break
		}
	}
	p.beyond = p.beyond || all&high != 0
	p.i = i
}

// escape checks one escape sequence. The only canonical \u escapes are those of
// control characters without a short form, in lower case.
func (p *parser) escape() error {
	if p.i+1 >= len(p.s) {
		return p.fail("unterminated string")
	}
	switch p.s[p.i+1] {
	case '"', '\\', 'b', 't', 'n', 'f', 'r':
		p.i += 2
		return nil
	case '/':
		if p.strict {
			return p.fail("escape is not canonical")
		}
		p.i += 2
		return nil
	case 'u':
		if p.i+6 > len(p.s) {
			return p.fail("unterminated string")
		}
		h := p.s[p.i+2 : p.i+6]
		for k := range 4 {
			if unhex(h[k]) == 0xff {
				return p.fail("escape is not hexadecimal")
			}
		}
		if p.strict {
			r := hex4(h)
			short := r == '\b' || r == '\t' || r == '\n' || r == '\f' || r == '\r'
			upper := h[2] >= 'A' && h[2] <= 'F' || h[3] >= 'A' && h[3] <= 'F'
			if r >= 0x20 || short || upper {
				return p.fail("escape is not canonical")
			}
		}
		p.i += 6
		return nil
	}
	return p.fail("unknown escape")
}

func (p *parser) number() error {
	start := p.i
	digits := func() bool {
		at := p.i
		for p.peek() >= '0' && p.peek() <= '9' {
			p.i++
		}
		return p.i > at
	}
	if p.peek() == '-' {
		p.i++
	}
	if p.peek() == '0' {
		p.i++
	} else if !digits() {
		return p.fail("expected a digit")
	}
	if p.peek() == '.' {
		p.i++
		if !digits() {
			return p.fail("expected a digit")
		}
	}
	if c := p.peek(); c == 'e' || c == 'E' {
		p.i++
		if c := p.peek(); c == '+' || c == '-' {
			p.i++
		}
		if !digits() {
			return p.fail("expected a digit")
		}
	}
	if raw := p.s[start:p.i]; p.script && !p.odd && !plainInteger(raw) {
		text, ok := javaScriptNumber(raw)
		p.odd = !ok || text != raw
	}
	return nil
}

// skip moves past one value of a text that is known to be valid, without
// checking it again.
func (p *parser) skip() {
	switch p.s[p.i] {
	case '"':
		p.skipString()
	case '{', '[':
		depth := 0
		for {
			switch p.s[p.i] {
			case '"':
				p.skipString()
				continue
			case '{', '[':
				depth++
			case '}', ']':
				depth--
			}
			p.i++
			if depth == 0 {
				return
			}
		}
	default:
		for p.i < len(p.s) {
			switch p.s[p.i] {
			case ',', '}', ']', ' ', '\t', '\n', '\r', ':':
				return
			}
			p.i++
		}
	}
}

// skipString moves past a string that is known to be valid: to the first quotation
// mark that an even number of backslashes stands before.
func (p *parser) skipString() {
	start := p.i + 1
	at := start
	for {
		at += strings.IndexByte(p.s[at:], '"')
		first := at
		for first > start && p.s[first-1] == '\\' {
			first--
		}
		at++
		if (at-1-first)%2 == 0 {
			p.i = at
			return
		}
	}
}
