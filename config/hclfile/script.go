package hclfile

import (
	"maps"
	"slices"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/config/diag"
	"github.com/dsh-hcl/dsh/schema"
)

// LoadScript reads the text of a scripted model file. path is how messages name
// it; the caller has the text to show in them. When the list has an error, the
// script is nil.
func LoadScript(path string, text []byte) (*config.Script, diag.List) {
	l := newLoader(Options{}, schema.Script(), "a script")
	return l.script(path, &source{name: path, text: text})
}

// readScript reads a scripted model file that a configuration names.
func readScript(parent *loader, name, path string, text []byte) (*config.Script, diag.List) {
	l := newLoader(parent.opts, schema.Script(), "a script")
	l.sources, l.files = parent.sources, parent.files
	return l.script(path, &source{name: name, text: text})
}

func (l *loader) script(path string, s *source) (*config.Script, diag.List) {
	l.order = []*source{s}
	l.accept(s, scan(s))
	if l.blind {
		return nil, l.finish()
	}
	root := l.openAll()
	out := &config.Script{Path: path, Cache: l.scriptCache(root)}
	for _, n := range root.blocks {
		switch n.block.Type {
		case "reply":
			out.Replies = append(out.Replies, l.reply(l.open(n, "")))
		case "default":
			r := l.reply(l.open(n, ""))
			out.Default = &r
		}
	}
	if len(out.Replies) == 0 && out.Default == nil && !l.diags.HasErrors() {
		l.errorf(diag.Range{File: s.name, Start: diag.Pos{Line: 1, Column: 1}, End: diag.Pos{Line: 1, Column: 1}},
			"Script without replies", "A scripted model has at least one reply or a default.")
	}
	diags := l.finish()
	if diags.HasErrors() {
		return nil, diags
	}
	return out, diags
}

// scriptCache decodes the cache block, or what holds without one.
func (l *loader) scriptCache(root *body) config.ScriptCache {
	blocks := root.of("cache")
	if len(blocks) == 0 {
		return config.ScriptCache{Rules: "deepseek"}
	}
	b, sc := l.open(blocks[0], ""), constants("a script")
	rules, unit, minimum := l.setting(b, "rules", sc).text(), l.setting(b, "unit", sc).whole(), l.setting(b, "minimum", sc).whole()
	ttl := attribute(l.setting(b, "ttl", sc), durationOf)
	for _, given := range []struct {
		name string
		set  bool
		at   diag.Range
	}{{"unit", unit.Set, unit.At}, {"minimum", minimum.Set, minimum.At}, {"ttl", ttl.Set, ttl.At}} {
		if given.set && (rules.V == "none" || rules.V == "anthropic" && given.name == "unit") {
			l.warnf(schema.RuleNoEffect, given.at, "Argument without effect", "With the rules %q, %s changes nothing.", rules.V, given.name)
		}
	}
	return config.ScriptCache{Rules: rules.V, Unit: unit.V, Minimum: minimum.V, TTL: ttl.V}
}

func (l *loader) reply(b *body) config.Reply {
	sc := constants("a script")
	r := config.Reply{
		At:        b.at,
		Text:      l.setting(b, "text", sc).text().V,
		Reasoning: l.setting(b, "reasoning", sc).text().V,
		Finish:    l.setting(b, "finish", sc).text().V,
		Delay:     attribute(l.setting(b, "delay", sc), durationOf).V,
		Cut:       l.setting(b, "cut", sc).truth().V,
	}
	for _, n := range b.of("expect") {
		r.Expect = l.replyExpect(l.open(n, b.address), sc)
	}
	for _, n := range b.of("tool") {
		r.Tools = append(r.Tools, l.replyTool(l.open(n, b.address), sc))
	}
	for _, n := range b.of("usage") {
		r.Usage = l.replyUsage(l.open(n, b.address), sc)
	}
	for _, n := range b.of("error") {
		r.Error = l.replyError(l.open(n, b.address), sc)
		l.errorAlone(b, n)
	}
	return r
}

// errorAlone reports what a reply with an error cannot have besides it.
func (l *loader) errorAlone(b *body, n nested) {
	report := func(at diag.Range, name string) {
		d := diag.Errorf(at, "Conflicting arguments", "A reply that is an error has no %s.", name)
		d.Related = []diag.Related{{Message: "the error is written", At: n.at()}}
		l.report(d)
	}
	for _, name := range []string{"text", "reasoning", "finish", "cut"} {
		if attr, ok := b.attrs[name]; ok {
			report(place(attr.Range), name)
		}
	}
	for _, other := range b.blocks {
		if t := other.block.Type; t != "error" && t != "expect" {
			report(other.at(), other.block.Type)
		}
	}
}

// replyExpect decodes what a request has to hold.
func (l *loader) replyExpect(b *body, sc *scope) *config.ReplyExpect {
	contains, matches := l.setting(b, "contains", sc), l.setting(b, "matches", sc)
	if written := contains.set || contains.bad || matches.set || matches.bad; !written && len(b.meant) == 0 {
		l.errorf(b.at, "Missing argument", "One of the arguments contains or matches is required here.")
	}
	return &config.ReplyExpect{Contains: contains.texts().V, Matches: matches.texts().V}
}

// replyTool decodes a call; its arguments become canonical JSON with the names
// sorted.
func (l *loader) replyTool(b *body, sc *scope) config.ReplyTool {
	var o object
	for _, name := range slices.Sorted(maps.Keys(b.attrs)) {
		expr := b.attrs[name].Expr
		v, ok := l.eval(expr, sc, b.address+"."+name)
		if !ok {
			continue
		}
		v, marks := marksOf(v)
		if len(marks) > 0 {
			l.sinkError(place(expr.Range()), b.address+"."+name, marks)
			continue
		}
		o.raw(name, canonical(v))
	}
	return config.ReplyTool{Name: b.label, Arguments: o.end()}
}

func (l *loader) replyUsage(b *body, sc *scope) *config.ReplyUsage {
	read := func(name string) config.Attr[int] { return l.setting(b, name, sc).whole() }
	input, cached, written := read("input"), read("cached_input"), read("cache_write")
	output, reasoning := read("output"), read("reasoning")
	part := func(part, whole config.Attr[int], name, of string) {
		if part.V > whole.V {
			l.errorf(part.At, "Invalid value", "The argument %q is %d and cannot be more than %q, which is %d.", name, part.V, of, whole.V)
		}
	}
	part(cached, input, "cached_input", "input")
	part(written, input, "cache_write", "input")
	if cached.V <= input.V && written.V <= input.V && cached.V+written.V > input.V {
		l.errorf(written.At, "Invalid value", "The arguments \"cached_input\" and \"cache_write\" are %d together and cannot be more than \"input\", which is %d.", cached.V+written.V, input.V)
	}
	part(reasoning, output, "reasoning", "output")
	return &config.ReplyUsage{Input: input.V, CachedInput: cached.V, CacheWrite: written.V, Output: output.V, Reasoning: reasoning.V}
}

func (l *loader) replyError(b *body, sc *scope) *config.ReplyError {
	return &config.ReplyError{
		Status:     l.setting(b, "status", sc).whole().V,
		Code:       l.setting(b, "code", sc).text().V,
		Message:    l.setting(b, "message", sc).text().V,
		RetryAfter: attribute(l.setting(b, "retry_after", sc), durationOf).V,
	}
}
