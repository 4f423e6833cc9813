package ref

import (
	"container/heap"
	"strings"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/msg"
)

// Stats says what became of a session that was held to a budget.
type Stats struct {
	Compacted        bool // one of its messages was a checkpoint
	OriginalMessages int
	RetainedMessages int // emptied ones included
	OmittedMessages  int
	OmittedBytes     int // of dropped messages and of what was cut out of others
	Truncated        bool
}

// Excerpt is a session held to a byte budget. JSON is its tag-safe text, at most as
// long as the budget.
type Excerpt struct {
	SessionID    string
	Label        string
	Cwd          msg.Opt[string]
	Through      msg.Opt[int64]
	Conversation []Item
	Stats        Stats
	JSON         string
}

// retained is an item with what it has cost so far.
type retained struct {
	Item
	original string
	omitted  int // bytes that cutting left out
	size     int // of its text in tag-safe JSON, quotes included
}

func (r *retained) set(text string) {
	r.Text = text
	r.size = quotedSize(text)
}

// quotedSize is the length of TagSafe(canon.Quote(s)).
func quotedSize(s string) int {
	n := len(`""`) + len(s)
	for i := range len(s) {
		n += int(escaped[s[i]])
	}
	return n
}

// escaped is by how many bytes the escape of a byte is longer than the byte.
var escaped = [256]uint8{
	0: 5, 1: 5, 2: 5, 3: 5, 4: 5, 5: 5, 6: 5, 7: 5, '\b': 1, '\t': 1, '\n': 1, 11: 5, '\f': 1, '\r': 1, 14: 5, 15: 5,
	16: 5, 17: 5, 18: 5, 19: 5, 20: 5, 21: 5, 22: 5, 23: 5, 24: 5, 25: 5, 26: 5, 27: 5, 28: 5, 29: 5, 30: 5, 31: 5,
	'"': 1, '\\': 1, '<': 5,
}

// cost is the length of an item in tag-safe JSON.
func cost(it Item) int {
	return len(`{"role":"`) + len(it.Role) + len(`","text":}`) + quotedSize(it.Text)
}

// Retain holds a session to a budget, in bytes of its tag-safe JSON: the oldest
// messages are left out whole, checkpoints and the newest one never; then what is
// left is cut, the longest first. ok is false when the label, the folder and the id
// alone are too long. Errors are those of Project (spec/references.md section 5).
func (s Snapshot) Retain(label string, budget int) (x Excerpt, ok bool, err error) {
	projected, err := s.Project()
	if err != nil {
		return Excerpt{}, false, err
	}
	x = Excerpt{SessionID: s.SessionID, Label: label, Cwd: s.Cwd, Through: s.Through}
	x.Stats.OriginalMessages = len(projected)
	for _, p := range projected {
		x.Stats.Compacted = x.Stats.Compacted || p.Protected
	}
	items, size := x.drop(projected, budget)
	if least := size - emptied(items); least > budget {
		return Excerpt{}, false, nil // whatever is cut
	}
	var order *longest
	for size > budget {
		if order == nil {
			order = newLongest(items)
		}
		i, ok := order.top()
		if !ok {
			return Excerpt{}, false, nil
		}
		it := &items[i]
		before := it.size
		var text string
		text, it.omitted = cutTo(it.original, max(len(it.Text)-(size-budget), 0))
		it.set(text)
		order.settle()
		size += it.size - before
	}
	x.Conversation = make([]Item, 0, len(items))
	for _, it := range items {
		x.Conversation = append(x.Conversation, it.Item)
		x.Stats.OmittedBytes += it.omitted
	}
	x.Stats.RetainedMessages = len(items)
	x.Stats.Truncated = x.Stats.OmittedMessages > 0 || x.Stats.OmittedBytes > 0
	x.JSON = x.json(size)
	return x, true, nil
}

// emptied is by how much cutting all texts to nothing would make items smaller.
func emptied(items []retained) int {
	n := 0
	for _, it := range items {
		n += it.size - len(`""`)
	}
	return n
}

// drop leaves out the oldest items that may be, as long as the whole is too large, and
// says how large it is then. What stays is found from the newest on, so that the size of
// what goes is never asked for.
func (x *Excerpt) drop(projected []Item, budget int) ([]retained, int) {
	size := len(x.head()) + len(`]}`)
	last := len(projected) - 1
	stays := make([]bool, len(projected))
	n := 0
	costs := func(i int) int {
		if n == 0 {
			return cost(projected[i])
		}
		return cost(projected[i]) + len(`,`)
	}
	for i, p := range projected {
		if p.Protected || i == last {
			size += costs(i)
			stays[i] = true
			n++
		}
	}
	for i := last - 1; i >= 0; i-- {
		if !stays[i] {
			c := costs(i)
			if size+c > budget {
				break
			}
			size += c
			stays[i] = true
			n++
		}
	}
	kept := make([]retained, 0, n)
	for i, p := range projected {
		if stays[i] {
			it := retained{Item: p, original: p.Text}
			it.set(p.Text)
			kept = append(kept, it)
			continue
		}
		x.Stats.OmittedMessages++
		x.Stats.OmittedBytes += len(p.Text)
	}
	return kept, size
}

// head is the excerpt's tag-safe text up to its conversation.
func (x *Excerpt) head() string {
	var o canon.Object
	o.String("sessionId", x.SessionID)
	o.String("label", x.Label)
	if cwd, ok := x.Cwd.Get(); ok {
		o.String("cwd", cwd)
	} else {
		o.Raw("cwd", "null")
	}
	if n, ok := x.Through.Get(); ok {
		o.Int("capturedThroughSeq", n)
	} else {
		o.Raw("capturedThroughSeq", "null")
	}
	o.Raw("conversation", "[")
	return TagSafe(strings.TrimSuffix(o.End(), "}"))
}

// json is the excerpt's tag-safe text, which is size bytes long.
func (x *Excerpt) json(size int) string {
	b := append(make([]byte, 0, size), x.head()...)
	for i, it := range x.Conversation {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, `{"role":"`...), it.Role...), `","text":`...)
		if strings.IndexByte(it.Text, '<') < 0 {
			b = canon.AppendString(b, it.Text)
		} else {
			b = append(b, TagSafe(canon.Quote(it.Text))...)
		}
		b = append(b, '}')
	}
	return string(append(b, `]}`...))
}

// longest is the places of items, a heap by the length of their texts. It makes cutting
// many of them cost no more than sorting them.
type longest struct {
	items  []retained
	places []int
}

func newLongest(items []retained) *longest {
	h := &longest{items, make([]int, len(items))}
	for i := range items {
		h.places[i] = i
	}
	heap.Init(h)
	return h
}

// top is the place of the item with the longest text; ok is false when none has any.
func (h *longest) top() (i int, ok bool) {
	if len(h.places) == 0 || h.items[h.places[0]].Text == "" {
		return 0, false
	}
	return h.places[0], true
}

// settle puts the top where it belongs after its text was cut.
func (h *longest) settle() { heap.Fix(h, 0) }

// Len implements heap.Interface.
func (h *longest) Len() int { return len(h.places) }

// Less implements heap.Interface.
func (h *longest) Less(a, b int) bool {
	i, j := h.places[a], h.places[b]
	if n, m := len(h.items[i].Text), len(h.items[j].Text); n != m {
		return n > m
	}
	return i < j
}

// Swap implements heap.Interface.
func (h *longest) Swap(a, b int) { h.places[a], h.places[b] = h.places[b], h.places[a] }

// Push implements heap.Interface; nothing is added.
func (h *longest) Push(any) {}

// Pop implements heap.Interface; nothing is taken out.
func (h *longest) Pop() any { return nil }
