package ref

import (
	"slices"

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
	r.size = len(TagSafe(canon.Quote(text)))
}

// cost is the length of an item in tag-safe JSON.
func (r *retained) cost() int { return len(`{"role":"`) + len(r.Role) + len(`","text":}`) + r.size }

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
	items := make([]retained, len(projected))
	size := len(x.json(""))
	for i, p := range projected {
		items[i] = retained{Item: p, original: p.Text}
		items[i].set(p.Text)
		size += items[i].cost()
		x.Stats.Compacted = x.Stats.Compacted || p.Protected
	}
	size += max(len(items)-1, 0) // commas
	items, size = x.drop(items, size, budget)
	for size > budget {
		largest := -1
		for i := range items {
			if len(items[i].Text) > 0 && (largest < 0 || len(items[i].Text) > len(items[largest].Text)) {
				largest = i
			}
		}
		if largest < 0 {
			return Excerpt{}, false, nil
		}
		it := &items[largest]
		before := it.size
		var text string
		text, it.omitted = cutTo(it.original, max(len(it.Text)-(size-budget), 0))
		it.set(text)
		size += it.size - before
	}
	for _, it := range items {
		x.Conversation = append(x.Conversation, it.Item)
		x.Stats.OmittedBytes += it.omitted
	}
	x.Stats.RetainedMessages = len(items)
	x.Stats.Truncated = x.Stats.OmittedMessages > 0 || x.Stats.OmittedBytes > 0
	x.JSON = x.json(conversation(x.Conversation))
	return x, true, nil
}

// drop leaves out the oldest items that may be, as long as the whole is too large.
func (x *Excerpt) drop(items []retained, size, budget int) ([]retained, int) {
	last := len(items) - 1
	kept := items[:0:0]
	for i, it := range items {
		if size <= budget || it.Protected || i == last {
			kept = append(kept, it)
			continue
		}
		size -= it.cost() + 1 // and a comma: the last item stays
		x.Stats.OmittedMessages++
		x.Stats.OmittedBytes += len(it.original)
	}
	return slices.Clip(kept), size
}

// json is the excerpt's tag-safe text around that of its conversation.
func (x *Excerpt) json(conversation string) string {
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
	o.Raw("conversation", "["+conversation+"]")
	return TagSafe(o.End())
}

// conversation is the items as JSON, without the brackets around them.
func conversation(items []Item) string {
	raws := make([]string, len(items))
	for i, it := range items {
		var o canon.Object
		o.String("role", it.Role)
		o.String("text", it.Text)
		raws[i] = o.End()
	}
	list := canon.Array(raws...)
	return list[1 : len(list)-1]
}
