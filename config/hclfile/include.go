package hclfile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/config/diag"
	"github.com/dsh-hcl/dsh/schema"
)

// group is a prefix block outside of agents.
type group struct {
	body   *body
	cyclic bool // it includes itself, which was reported
	read   bool // an agent, or another group, included it
	of     []includer
}

// includer is an agent that a group is part of, and where: "prefix" or "system".
type includer struct{ agent, where string }

// declareGroups opens the groups and reports those that include themselves.
func (l *loader) declareGroups(root *body) {
	for _, b := range l.unique(root.of("prefix"), "") {
		if b.label == "system" {
			l.errorf(b.at, "Invalid name", "The name system is taken: system.KIND.NAME is the address of a contributor in system. Give the group another name.")
		}
		l.groups[b.label] = &group{body: b}
		l.groupList = append(l.groupList, b.label)
	}
	l.breakGroupCycles()
}

// step is an include block in a group: the group it names, and where.
type step struct {
	group string
	at    diag.Range
}

// steps are the groups that a group names. What is wrong with a reference is
// reported when the group is read.
func (l *loader) steps(name string) []step {
	var out []step
	for _, n := range l.groups[name].body.of("include") {
		attrs, _ := n.block.Body.JustAttributes()
		for _, a := range attrs {
			for _, t := range a.Expr.Variables() {
				if next, named := memberName(t); t.RootName() == "prefix" && named && l.groups[next] != nil {
					out = append(out, step{next, place(a.Expr.Range())})
				}
			}
		}
	}
	return out
}

// breakGroupCycles reports every cycle of groups with its path, and marks its
// members, which are then not included anywhere.
func (l *loader) breakGroupCycles() {
	const visiting, visited = 1, 2
	state := map[string]int{}
	var path []step // how each group on the way was reached
	var visit func(to step)
	visit = func(to step) {
		state[to.group] = visiting
		path = append(path, to)
		for _, next := range l.steps(to.group) {
			switch state[next.group] {
			case visiting:
				first := slices.IndexFunc(path, func(s step) bool { return s.group == next.group })
				l.reportGroupCycle(append(slices.Clone(path[first+1:]), next))
			case 0:
				visit(next)
			}
		}
		path = path[:len(path)-1]
		state[to.group] = visited
	}
	for _, name := range l.groupList {
		if state[name] == 0 {
			visit(step{group: name})
		}
	}
}

// reportGroupCycle reports the includes that lead from a group back to it.
func (l *loader) reportGroupCycle(cycle []step) {
	last := cycle[len(cycle)-1]
	names := []string{"prefix." + last.group}
	var related []diag.Related
	for i, s := range cycle {
		names = append(names, "prefix."+s.group)
		l.groups[s.group].cyclic = true
		if i > 0 {
			related = append(related, diag.Related{Message: "prefix." + s.group + " is included", At: s.at})
		}
	}
	d := diag.Errorf(cycle[0].at, "Cycle", "A group cannot include itself: %s.", strings.Join(names, " -> "))
	d.Related = related
	l.report(d)
}

// include decodes the contributors of the group that an include block names.
func (l *loader) include(b *body, in *composition) []*contributor {
	name := l.reference(b, "prefix", l.groupList)
	g := l.groups[name.V]
	if g == nil || g.cyclic {
		return nil
	}
	if earlier, again := in.included[name.V]; again {
		d := diag.Errorf(name.At, "Included twice", "The group prefix.%s is included here twice, so that its contributors would have the same addresses. Remove one of the two.", name.V)
		d.Related = []diag.Related{{Message: "first included", At: earlier}}
		l.report(d)
		return nil
	}
	if in.included == nil {
		in.included = map[string]diag.Range{}
	}
	in.included[name.V] = name.At
	g.read = true
	by := includer{l.agentName, "prefix"}
	if in.system {
		by.where = "system"
	}
	if l.agentName != "" && !slices.Contains(g.of, by) {
		g.of = append(g.of, by)
	}
	outer := in.prefix
	base := ""
	if in.system {
		base = "system."
	}
	in.prefix = base + name.V + "."
	before := len(l.diags)
	out := l.contributors(g.body, in)
	in.prefix = outer
	if outer == base && l.agentName != "" {
		for i := before; i < len(l.diags); i++ {
			l.diags[i].Related = append(l.diags[i].Related, diag.Related{Message: fmt.Sprintf("included by agent %q", l.agentName), At: name.At})
		}
	}
	if in.system {
		for _, c := range out {
			l.inSystem(c, name)
		}
	}
	return out
}

// inSystem takes the role from a contributor that a group brought into the system
// prompt.
func (l *loader) inSystem(c *contributor, group config.Attr[string]) {
	if c.config.Kind == config.KindMessages {
		d := diag.Errorf(group.At, "Messages in the system prompt", "The system prompt is one text, and %s yields messages with roles. Take it out of prefix.%s, or include the group in prefix.", c.config.Address, group.V)
		d.Related = []diag.Related{{Message: "declared", At: c.config.At}}
		l.report(d)
	}
	if c.config.Role.Set {
		d := diag.Warnf(schema.RuleNoEffect, c.config.Role.At, "Argument without effect", "The system prompt is one text, so the role of a contributor of prefix.%s changes nothing there.", group.V)
		d.Related = []diag.Related{{Message: "included in system", At: group.At}}
		l.report(d)
	}
	c.config.Role = config.Attr[string]{V: "user", At: c.config.At}
	c.digest = c.canonical()
}

// readOtherGroups checks the groups that no agent includes. Which agent and which
// model they are for is not known.
func (l *loader) readOtherGroups() {
	sc := everything().with(map[string]cty.Value{"agent": cty.DynamicVal, "model": cty.DynamicVal})
	for _, name := range l.groupList {
		if g := l.groups[name]; !g.read {
			g.read = true
			l.contributors(g.body, &composition{scope: sc, prefix: name + ".", included: map[string]diag.Range{name: g.body.at}})
		}
	}
}
