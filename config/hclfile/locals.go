package hclfile

import (
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/dsh-hcl/dsh/config/diag"
)

// local is a named expression. value is NilVal until it was evaluated, and after
// that when it has none, which was reported.
type local struct {
	name  string
	attr  *hcl.Attribute
	done  bool
	value cty.Value
}

func (l *loader) declareLocals(root *body) {
	crowded := false
	for _, n := range root.of("locals") {
		b := l.open(n, "")
		attrs := slices.SortedFunc(maps.Values(b.attrs), func(x, y *hcl.Attribute) int {
			return x.NameRange.Start.Byte - y.NameRange.Start.Byte
		})
		for _, attr := range attrs {
			if !hclsyntax.ValidIdentifier(attr.Name) { // the JSON syntax lets any text stand there
				l.errorf(place(attr.NameRange), "Invalid name", "The name of a local begins with a letter and has only letters, digits, _ and -.")
				continue
			}
			if earlier, again := l.locals[attr.Name]; again {
				l.report(duplicate("The local "+quoted(attr.Name), place(attr.NameRange), place(earlier.attr.NameRange)))
				continue
			}
			if len(l.localList) == maxDeclarations {
				if !crowded {
					l.errorf(place(attr.NameRange), "Too many declarations", "There may be %d locals.", maxDeclarations)
				}
				crowded = true
				break
			}
			l.locals[attr.Name] = &local{name: attr.Name, attr: attr}
			l.localList = append(l.localList, attr.Name)
		}
	}
	if crowded {
		// What uses the others is not wrong.
		for _, x := range l.locals {
			x.done = true
		}
		return
	}
	for _, name := range l.breakCycles() {
		l.localValue(l.locals[name])
	}
}

// localValue evaluates a local once, and the locals it uses before it.
func (l *loader) localValue(x *local) cty.Value {
	if !x.done {
		x.done = true
		if v, ok := l.eval(x.attr.Expr, everything(), "local."+x.name); ok {
			x.value = v
			before := l.kept
			if l.kept += l.sizeOf("local", x.name); l.kept > maxValues {
				if before <= maxValues {
					l.errorf(place(x.attr.Range), "Locals too large", "The values of all locals have more than %d MiB together.", maxValues>>20)
				}
				x.value = cty.NilVal
			}
		}
	}
	return x.value
}

// breakCycles reports every cycle of locals with its path and gives its members
// no value. It returns the locals such that each stands behind those it uses: then
// no chain of them, however long, is evaluated by recursion.
func (l *loader) breakCycles() []string {
	var order []string
	const visiting, visited = 1, 2
	state := map[string]int{}
	var path []string
	var visit func(name string)
	visit = func(name string) {
		state[name] = visiting
		path = append(path, name)
		for _, t := range l.locals[name].attr.Expr.Variables() {
			next, named := memberName(t)
			if t.RootName() != "local" || !named || l.locals[next] == nil {
				continue
			}
			switch state[next] {
			case visiting:
				l.reportCycle(path[slices.Index(path, next):])
			case 0:
				visit(next)
			}
		}
		path = path[:len(path)-1]
		state[name] = visited
		order = append(order, name)
	}
	for _, name := range l.localList {
		if state[name] == 0 {
			visit(name)
		}
	}
	return order
}

func (l *loader) reportCycle(names []string) {
	var steps []string
	var related []diag.Related
	for i, name := range names {
		steps = append(steps, "local."+name)
		l.locals[name].done = true
		if i > 0 {
			related = append(related, diag.Related{Message: "local." + name + " is defined", At: place(l.locals[name].attr.NameRange)})
		}
	}
	steps = append(steps, "local."+names[0])
	d := diag.Errorf(place(l.locals[names[0]].attr.Range), "Cycle", "A local cannot depend on itself: %s.", strings.Join(steps, " -> "))
	d.Related = related
	l.report(d)
}
