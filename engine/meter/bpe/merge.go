package bpe

// none is no token.
const none = ^uint32(0)

// joiner says which token two neighbours make together, whose text is s, and how
// early they are joined: a lower rank first. ok is false when they are not joined.
type joiner func(left, right uint32, s string) (rank, token uint32, ok bool)

// part is a token of a piece while its bytes are being joined. A part that was
// joined to the one before it has no token.
type part struct {
	token      uint32
	end        int32
	prev, next int32 // -1 at the ends
}

// candidate is two neighbours that can be joined: the part at left, and the token
// and end that they had when they were looked at.
type candidate struct {
	rank, token uint32
	left        int32
	with        uint32 // token of the left part then
	end         int32  // of the right part then
}

// candidates is a heap: the lowest rank first, of equal ones the leftmost. It is
// written out, since the one of the standard library boxes each candidate.
type candidates []candidate

func (c candidates) less(i, j int) bool {
	return c[i].rank < c[j].rank || c[i].rank == c[j].rank && c[i].left < c[j].left
}

func (c candidates) down(i int) {
	for {
		least := 2*i + 1
		if least >= len(c) {
			return
		}
		if right := least + 1; right < len(c) && c.less(right, least) {
			least = right
		}
		if !c.less(least, i) {
			return
		}
		c[i], c[least] = c[least], c[i]
		i = least
	}
}

func (c *candidates) push(x candidate) {
	*c = append(*c, x)
	h := *c
	for i := len(h) - 1; i > 0; {
		above := (i - 1) / 2
		if !h.less(i, above) {
			return
		}
		h[i], h[above] = h[above], h[i]
		i = above
	}
}

func (c *candidates) pop() candidate {
	h := *c
	top, last := h[0], len(h)-1
	h[0] = h[last]
	*c = h[:last]
	c.down(0)
	return top
}

// short is up to how many bytes of a piece looking at all neighbours again and
// again is cheaper than a heap. Without the heap a long run of one letter, which a
// tool may well return, would take quadratic time.
const short = 64

// merge joins the bytes of a piece and returns how many tokens are left. bytes are
// the tokens of single bytes.
func merge(piece string, bytes *[256]uint32, join joiner) int {
	if len(piece) > short {
		return mergeLong(piece, bytes, join)
	}
	var (
		tokens, ranks, made [short]uint32
		starts              [short + 1]int
	)
	n := len(piece)
	for i := range n {
		tokens[i], starts[i] = bytes[piece[i]], i
	}
	starts[n] = n
	look := func(i int) {
		ranks[i] = none
		if i+1 < n {
			if rank, token, ok := join(tokens[i], tokens[i+1], piece[starts[i]:starts[i+2]]); ok {
				ranks[i], made[i] = rank, token
			}
		}
	}
	for i := range n {
		look(i)
	}
	for {
		best := -1
		for i := range n {
			if ranks[i] != none && (best < 0 || ranks[i] < ranks[best]) {
				best = i
			}
		}
		if best < 0 {
			return n
		}
		tokens[best] = made[best]
		copy(tokens[best+1:n], tokens[best+2:n])
		copy(ranks[best+1:n], ranks[best+2:n])
		copy(made[best+1:n], made[best+2:n])
		copy(starts[best+1:n+1], starts[best+2:n+1])
		n--
		look(best)
		if best > 0 {
			look(best - 1)
		}
	}
}

func mergeLong(piece string, bytes *[256]uint32, join joiner) int {
	parts := make([]part, len(piece))
	for i := range parts {
		parts[i] = part{bytes[piece[i]], int32(i + 1), int32(i - 1), int32(i + 1)}
	}
	parts[len(parts)-1].next = -1
	var open candidates
	look := func(i int32) (candidate, bool) {
		next := parts[i].next
		if next < 0 {
			return candidate{}, false
		}
		end := parts[next].end
		rank, token, ok := join(parts[i].token, parts[next].token, piece[i:end])
		return candidate{rank, token, i, parts[i].token, end}, ok
	}
	for i := range parts {
		if c, ok := look(int32(i)); ok {
			open = append(open, c)
		}
	}
	for i := len(open)/2 - 1; i >= 0; i-- {
		open.down(i)
	}
	left := len(parts)
	for len(open) > 0 {
		c := open.pop()
		p := &parts[c.left]
		// One that a join has overtaken is not a candidate any more.
		if p.token != c.with || p.next < 0 || parts[p.next].end != c.end {
			continue
		}
		joined := p.next
		p.token, p.end, p.next = c.token, c.end, parts[joined].next
		parts[joined].token = none
		if p.next >= 0 {
			parts[p.next].prev = c.left
		}
		left--
		if again, ok := look(c.left); ok {
			open.push(again)
		}
		if p.prev >= 0 {
			if again, ok := look(p.prev); ok {
				open.push(again)
			}
		}
	}
	return left
}
