package chat

import (
	"context"

	"github.com/dsh-hcl/dsh/engine/ref/mention"
)

// picker is the menu below a line in which an @ is being typed.
type picker struct {
	lookups mention.Lookups

	open     bool
	token    mention.Token
	from     int // where the @ stands, in characters
	answer   mention.Answer
	choices  []mention.Row
	selected int
	moved    bool               // the selection is the person's
	cancel   context.CancelFunc // of the lookups for the token
	shut     int                // where the @ stands whose menu was closed, -1 for none
}

// loading is shown while nothing was found yet.
const loading = "  Loading…"

// close takes the menu away and ends its lookups.
func (p *picker) close() {
	if p.cancel != nil {
		p.cancel()
	}
	*p = picker{lookups: p.lookups, shut: p.shut}
}

// dismiss closes the menu until another @ is typed.
func (p *picker) dismiss() {
	from := p.from
	p.close()
	p.shut = from
}

// known reports whether nothing more comes.
func (p *picker) known() bool { return p.answer.FilesKnown && p.answer.SessionsKnown }

// rows are what is drawn of the menu.
func (p *picker) rows(columns, room int) []string {
	switch {
	case !p.open || room < 1:
		return nil
	case len(p.choices) > 0:
		return menuRows(p.choices, p.selected, columns, room)
	case !p.known():
		return []string{shorten(loading, columns-1)}
	}
	return nil
}

// edited follows a line that was edited. Where another token stands at the cursor, its
// lookups start, and show is told what they find.
func (p *picker) edited(in *input, show func(context.Context, mention.Answer)) {
	if p.lookups.Files == nil && p.lookups.Sessions == nil {
		return
	}
	token, ok := mention.At(string(in.text), mention.Units(string(in.text[:in.at])))
	from := 0
	if ok {
		from = in.at - len([]rune(token.Prefix))
		ok = !in.touches(from, in.at) && !isCommand(in.text)
	}
	switch {
	case !ok:
		p.shut = -1
		p.close()
		return
	case from == p.shut:
		return
	}
	p.shut = -1
	var left mention.Answer
	if p.open && from == p.from {
		if token == p.token {
			return
		}
		left = p.answer.Narrow(p.token, token)
	}
	moved, choices, selected := p.moved, p.choices, p.selected
	p.close()
	p.open, p.token, p.from = true, token, from
	p.moved, p.choices, p.selected = moved && len(choices) > 0, choices, selected
	p.answer = left
	p.show()
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	go p.lookups.Ask(ctx, token, func(a mention.Answer) { show(ctx, a) })
}

// isCommand reports whether a line is one for the chat.
func isCommand(text []rune) bool {
	return len(text) > 0 && text[0] == '/' && (len(text) == 1 || text[1] != '/')
}

// found takes what was found so far; what is not known yet is what an earlier token
// left.
func (p *picker) found(a mention.Answer) {
	if !a.FilesKnown {
		a.Files = p.answer.Files
	}
	if !a.SessionsKnown {
		a.Sessions = p.answer.Sessions
	}
	p.answer = a
	p.show()
}

// show makes the choices of what was found. The one that a person went to stays chosen.
func (p *picker) show() {
	chosen := p.chosen()
	p.choices, p.selected = mention.Rows(mention.English, p.token.Quoted, p.answer.Files, p.answer.Sessions), 0
	if !p.moved {
		return
	}
	for i, c := range p.choices {
		if c == chosen {
			p.selected = i
			return
		}
	}
	p.moved = false
}

// chosen is the choice that the menu stands at.
func (p *picker) chosen() mention.Row {
	if p.selected < len(p.choices) {
		return p.choices[p.selected]
	}
	return mention.Row{}
}

// move goes to another choice, from the last to the first.
func (p *picker) move(by int) {
	n := len(p.choices)
	p.selected, p.moved = (p.selected+by+n)%n, true
}

// maxLabel is how many columns of a label a chip shows.
const maxLabel = 40

// pick puts the choice into the line. The menu of a directory goes on at its next
// level.
func (p *picker) pick(in *input) {
	c, from := p.chosen(), p.from
	switch c.Kind {
	case mention.Directory:
		in.replace(from, in.at, []rune(c.Text))
		return
	case mention.Session:
		in.cite(from, "@"+shorten(plain(c.Label), maxLabel), c.Text)
	default:
		in.cite(from, c.Text, "")
	}
	p.shut = -1
	p.close()
}
