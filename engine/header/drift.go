package header

import "slices"

// Change says how a contributor's part of a header differs from what it was.
type Change struct {
	Address string
	Kind    string // ChangeContent, ChangeAdded, ChangeRemoved or ChangeMoved
}

// The kinds of change.
const (
	ChangeContent = "changed"
	ChangeAdded   = "added"
	ChangeRemoved = "removed"
	ChangeMoved   = "moved"
)

// Drift compares what two compositions came from and names the contributors that
// differ: system first, then prefix, in the order of next, removed ones last. Equal
// sources have no drift. A contributor is moved when nothing but order differs.
func Drift(prev, next Sources) []Change {
	return append(drift(prev.System, next.System), drift(prev.Prefix, next.Prefix)...)
}

func drift(prev, next []Source) []Change {
	old, now := group(prev), group(next)
	var out []Change
	for _, g := range now {
		i := slices.IndexFunc(old, func(o grouped) bool { return o.address == g.address })
		switch {
		case i < 0:
			out = append(out, Change{g.address, ChangeAdded})
		case !slices.Equal(old[i].sums, g.sums):
			out = append(out, Change{g.address, ChangeContent})
		}
	}
	for _, o := range old {
		if !slices.ContainsFunc(now, func(g grouped) bool { return g.address == o.address }) {
			out = append(out, Change{o.address, ChangeRemoved})
		}
	}
	if len(out) > 0 {
		return out
	}
	for i := range now {
		if old[i].address != now[i].address {
			out = append(out, Change{now[i].address, ChangeMoved})
		}
	}
	return out
}

// grouped is all that one contributor contributed.
type grouped struct {
	address string
	sums    []string
}

func group(sources []Source) []grouped {
	var out []grouped
	for _, s := range sources {
		i := slices.IndexFunc(out, func(g grouped) bool { return g.address == s.Address })
		if i < 0 {
			out = append(out, grouped{address: s.Address})
			i = len(out) - 1
		}
		out[i].sums = append(out[i].sums, s.SHA256)
	}
	return out
}
