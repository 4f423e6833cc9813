package compact

import (
	"fmt"

	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/meter"
	"github.com/dsh-hcl/dsh/engine/msg"
)

// Node is one event on the surface: its message, when it yields one, what that is
// estimated at, and for a tool's result what it holds besides content.
type Node struct {
	Seq     int64
	Message msg.Opt[msg.Message]
	Result  *event.ToolResult
	// Checkpoint says that it is the summary of earlier ones.
	Checkpoint bool
	Price      meter.Tokens
}

// CorruptError says that a surface holds a tool's result without a call before it,
// so that no cut can be judged.
type CorruptError struct{ Seq int64 }

func (e *CorruptError) Error() string {
	return fmt.Sprintf("the history cannot be compacted: event %d is a tool result with no matching tool-call before it", e.Seq)
}

// StableCode returns the error's code.
func (e *CorruptError) StableCode() string { return "LOG_CORRUPT" }

// Cuts says for each place of the surface, from before the first node to behind the
// last, whether a cut there parts no call from its result (spec section 6.A, Tool
// pairing). A call that nothing answers binds nobody: the log closes every call of a
// turn, so such a one is of a log of the reference. Errors: *CorruptError.
func Cuts(nodes []Node) ([]bool, error) {
	waiting := map[string][]int{}    // nodes of calls by id, oldest first
	reach := make([]int, len(nodes)) // of a node with calls, the last node that answers one
	for i, n := range nodes {
		m, has := n.Message.Get()
		if !has {
			continue
		}
		if m.Role == msg.RoleAssistant {
			for _, c := range m.Content.ToolCalls() {
				waiting[c.ID] = append(waiting[c.ID], i)
			}
			continue
		}
		for b := range m.Content.Blocks() {
			r, ok := b.(msg.ToolResult)
			if !ok {
				continue
			}
			open := waiting[r.CallID]
			if len(open) == 0 {
				return nil, &CorruptError{n.Seq}
			}
			// The newest call of an id is the one that a result can mean: an older one
			// was of a turn that was never finished.
			last := open[len(open)-1]
			waiting[r.CallID] = open[:len(open)-1]
			reach[last] = max(reach[last], i)
		}
	}
	cuts := make([]bool, len(nodes)+1)
	cuts[0] = true
	bound := -1
	for i := range nodes {
		if reach[i] > i {
			bound = max(bound, reach[i])
		}
		cuts[i+1] = bound <= i
	}
	return cuts, nil
}

// unanswered is from which node on no model has answered yet, checkpoints aside: what was said since, its
// context and the results of tools are one with the next answer, and stay.
func unanswered(nodes []Node) int {
	for i := len(nodes); i > 0; i-- {
		if m, has := nodes[i-1].Message.Get(); !has || m.Role == msg.RoleAssistant || nodes[i-1].Checkpoint {
			return i
		}
	}
	return 0
}

// Region is how many nodes from the head on a compaction is about: from the tail,
// nodes are kept until they have retain tokens, one at least and all that no model has
// answered, and so many more that the cut is none between a call and its result. 0
// means that all are kept.
func Region(nodes []Node, cuts []bool, retain meter.Tokens) int {
	var kept meter.Tokens
	from := len(nodes)
	for from > 0 {
		from--
		if kept += nodes[from].Price; kept >= retain {
			break
		}
	}
	if kept < retain {
		return 0
	}
	return cutBefore(cuts, min(from, unanswered(nodes)))
}

// cutBefore is the last allowed cut at n or before it.
func cutBefore(cuts []bool, n int) int {
	for n > 0 && !cuts[n] {
		n--
	}
	return n
}

// Newest is the price of the newest unit, which no compaction touches: the last node, all
// that no model has answered, and the calls of results among them. Errors:
// *CorruptError.
func Newest(nodes []Node) (meter.Tokens, error) {
	cuts, err := Cuts(nodes)
	if err != nil || len(nodes) == 0 {
		return 0, err
	}
	return sum(nodes[cutBefore(cuts, min(len(nodes)-1, unanswered(nodes))):]), nil
}

func sum(nodes []Node) meter.Tokens {
	var out meter.Tokens
	for _, n := range nodes {
		out += n.Price
	}
	return out
}

// Price is what nodes are estimated at together.
func Price(nodes []Node) meter.Tokens { return sum(nodes) }
