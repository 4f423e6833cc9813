package ref

import "errors"

// Retainer keeps the beginning and the end of a text that comes in pieces, cut
// anywhere. The zero budgets keep nothing.
type Retainer struct {
	head, tail  int
	first, last []byte
	total       int
}

// NewRetainer returns a retainer for so many bytes of the beginning and of the end.
// Errors: a negative number.
func NewRetainer(head, tail int) (*Retainer, error) {
	if head < 0 || tail < 0 {
		return nil, errors.New("a budget is not negative")
	}
	return &Retainer{head: head, tail: tail}, nil
}

// Push takes the next piece. kept says that nothing more was left out for it;
// truncated that something is left out by now.
func (r *Retainer) Push(piece []byte) (kept, truncated bool) {
	before := r.omitted()
	r.total += len(piece)
	if room := r.head - len(r.first); room > 0 {
		n := min(room, len(piece))
		r.first, piece = append(r.first, piece[:n]...), piece[n:]
	}
	r.last = append(r.last, piece...)
	if extra := len(r.last) - r.tail; extra > 0 {
		r.last = append(r.last[:0], r.last[extra:]...)
	}
	return r.omitted() == before, r.omitted() > 0
}

func (r *Retainer) omitted() int { return max(r.total-r.head-r.tail, 0) }

// Result is what is kept, as text, and how many bytes are not.
func (r *Retainer) Result() (text string, omitted int) {
	if r.omitted() == 0 {
		return decoded(string(r.first) + string(r.last)), 0
	}
	c := joined(string(r.first), string(r.last), r.total)
	return c.Text, c.OmittedBytes
}
