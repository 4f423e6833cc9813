package wire

// segment is how many parts lie together. A list of parts grows by whole
// segments, so that growing never moves a part that a Body refers to.
const segment = 512

// parts is a list of strings that only grows. A copy of it is a snapshot: it
// keeps its length while the original goes on.
type parts struct {
	segments []*[segment]string
	n        int
}

func (p *parts) add(s string) {
	if p.n == len(p.segments)*segment {
		p.segments = append(p.segments, new([segment]string))
	}
	p.segments[p.n/segment][p.n%segment] = s
	p.n++
}

func (p *parts) at(i int) string { return p.segments[i/segment][i%segment] }
