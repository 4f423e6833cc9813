package hclfile

import (
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/dsh-hcl/dsh/schema"
)

// dsh reads the dsh block: which program may read the configuration, and which
// rules stay silent.
func (l *loader) dsh(root *body) {
	for _, n := range root.of("dsh") {
		b := l.open(n, "")
		sc := constants("the dsh block")
		l.requireVersion(l.setting(b, "required_version", sc))
		l.disableRules(b, l.setting(b, "disable_rules", sc))
	}
}

func (l *loader) requireVersion(s setting) {
	if !s.set || l.opts.Version == "" {
		return
	}
	have, err := parseVersion(l.opts.Version)
	if err != nil {
		return // a build without a release number reads everything
	}
	conditions, _ := parseConditions(s.v.AsString())
	for _, c := range conditions {
		if !c.allows(have) {
			l.errorf(s.at, "Version not allowed", "This is dsh %s, and the configuration wants %s. Install such a version.", l.opts.Version, s.v.AsString())
			return
		}
	}
}

func (l *loader) disableRules(b *body, s setting) {
	if !s.set {
		return
	}
	var names []string
	for _, r := range schema.Rules() {
		names = append(names, r.Name)
	}
	for it := s.v.ElementIterator(); it.Next(); {
		_, e := it.Element()
		name := e.AsString()
		if !slices.Contains(names, name) {
			l.errorf(l.elementPlace(b.attrs["disable_rules"].Expr, cty.StringVal(name)), "Unknown rule",
				"There is no warning rule %q.%s", name, suggestOrList(name, "rules", names))
			continue
		}
		l.disabled[name] = true
	}
}
