package hclfile

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/config/diag"
	"github.com/dsh-hcl/dsh/schema"
)

// compactionBlock decodes the compaction block of an agent, whose model is nil when
// that was reported. models are the names of those declared.
func (l *loader) compactionBlock(b *body, a *config.Agent, model *config.Model, cfg *config.Config, models []string) *config.Compaction {
	sc := everything()
	c := &config.Compaction{
		At:                 b.at,
		Auto:               l.setting(b, "auto", sc).truth(),
		Retries:            l.setting(b, "retries", sc).whole(),
		MaxOverflowRetries: l.setting(b, "max_overflow_retries", sc).whole(),
		MinGain:            l.setting(b, "min_gain", sc).decimal(),
		Summary: config.Summary{
			MaxTokens: l.inner(b, "summary", "max_tokens").whole(),
			Retries:   l.inner(b, "summary", "retries").whole(),
			Prompt:    l.inner(b, "summary", "prompt").text(),
		},
	}
	for _, n := range b.of("summary") {
		c.Summary.Model = l.reference(l.open(n, b.address), "model", models)
	}
	if p := &c.Summary.Prompt; p.Set && strings.TrimSpace(p.V) == "" {
		l.errorf(p.At, "Invalid value", "The argument \"prompt\" has nothing but white space.")
	}
	c.Summary.Prompt.V = unixNewlines(c.Summary.Prompt.V)
	for _, n := range b.of("prune") {
		c.Prune = l.pruneBlock(l.open(n, b.address))
	}
	own := &compactionOf{address: b.address, model: model, at: b.at, named: a.Model.At, threshold: l.limit(b, "threshold", sc), retain: l.limit(b, "retain", sc)}
	all := l.policies(b, own, cfg, models)
	if i := slices.IndexFunc(all, func(t *compactionOf) bool { return model != nil && t.model == model }); i >= 0 {
		own = all[i]
	} else {
		all = append(all, own)
	}
	for _, t := range all {
		if t.model == nil {
			continue
		}
		l.checkCompaction(t, c, cfg)
		for _, x := range []limit{t.threshold, t.retain} {
			if x.ratio != "" {
				l.computed[t.address+"."+x.inTokens()] = strconv.Itoa(x.in(t.model))
			}
		}
	}
	if model != nil {
		c.Threshold, c.Retain = own.threshold.attr(model), own.retain.attr(model)
	}
	if c.Summary.Model.Set && c.Summary.Model.V == a.Model.V {
		c.Summary.Model = config.Attr[string]{At: c.Summary.Model.At}
	}
	if writer, ok := cfg.Model(c.Summary.Model.V); ok && model != nil {
		l.checkSummaryPrice(c.Summary.Model.At, a, model, writer)
	}
	return c
}

// checkSummaryPrice holds the prices of an agent's two models to what a session's cost
// is counted in.
func (l *loader) checkSummaryPrice(at diag.Range, a *config.Agent, model, writer *config.Model) {
	switch {
	case writer.Price == nil && a.MaxCost.Set:
		l.errorf(at, "Missing price", "A session cannot be held to max_cost, since model.%s, which writes its summaries, has no price. Add a price block with input and output to it.", writer.Name)
	case writer.Price == nil && model.Price != nil:
		l.warnf(schema.RuleUnpriced, at, "Summaries without price", "What a session costs is told too low: model.%s has a price, and model.%s, which writes its summaries, has none. Add a price block to it.", model.Name, writer.Name)
	case writer.Price != nil && model.Price != nil && writer.Price.Currency != model.Price.Currency:
		l.errorf(at, "Two currencies", "The price of model.%s is in %s and that of model.%s in %s, and what a session costs is counted in one currency. Write both prices in the same one.",
			writer.Name, writer.Price.Currency, model.Name, model.Price.Currency)
	}
}

// pruneBlock decodes a prune block. What is kept of a result has to be shorter than
// the results that are shortened.
func (l *loader) pruneBlock(b *body) *config.Prune {
	sc := everything()
	threshold, head, tail := l.setting(b, "threshold_chars", sc), l.setting(b, "head_chars", sc), l.setting(b, "tail_chars", sc)
	p := &config.Prune{At: b.at, Threshold: threshold.whole(), Head: head.whole(), Tail: tail.whole()}
	if threshold.bad || head.bad || tail.bad {
		return p
	}
	if kept := p.Head.V + p.Tail.V + schema.MarkerRoom; kept > p.Threshold.V {
		at := b.at
		for _, a := range []config.Attr[int]{p.Tail, p.Head, p.Threshold} {
			if a.Set {
				at = a.At
			}
		}
		l.errorf(at, "Invalid value", "What is kept of a result has up to %d characters (head_chars %d, tail_chars %d, and %d for the line between them), which is more than threshold_chars of %d. Keep less, or shorten only longer results.",
			kept, p.Head.V, p.Tail.V, schema.MarkerRoom, p.Threshold.V)
	}
	return p
}

// compactionOf is when the requests to one model are compacted: to the agent's, or to
// that of a policy.
type compactionOf struct {
	address           string        // of the block
	model             *config.Model // nil when there is none, which was reported
	at                diag.Range    // of the block, or of the name of the policy
	named             diag.Range    // where the model is named
	threshold, retain limit
}

// limit is a number of tokens, written as such or as a share of a context window.
type limit struct {
	name    string // of the attribute: "threshold_ratio"
	at      diag.Range
	ratio   string // a decimal, "" for tokens
	tokens  int
	written bool // or a default
	own     bool // or from around the policy
	bad     bool // it has no usable value, which was reported
}

// limit reads the pair of attributes that say one limit.
func (l *loader) limit(b *body, what string, sc *scope) limit {
	ratio, tokens := l.setting(b, what+"_ratio", sc), l.setting(b, what+"_tokens", sc)
	out := limit{name: what + "_ratio", at: ratio.at, written: ratio.set, own: true, bad: ratio.bad || tokens.bad}
	switch {
	case out.bad:
	case ratio.set && tokens.set:
		out.bad = true
		d := diag.Errorf(place(b.attrs[what+"_tokens"].Range), "Conflicting arguments", "Only one of the arguments %s_ratio or %s_tokens can be written.", what, what)
		d.Related = []diag.Related{{Message: "written", At: place(b.attrs[what+"_ratio"].Range)}}
		l.report(d)
	case tokens.set:
		out.name, out.at, out.written, out.tokens = what+"_tokens", tokens.at, true, tokens.whole().V
	case ratio.v != cty.NilVal:
		out.ratio = decimalOf(ratio.v)
	}
	return out
}

// none reports that a policy says nothing of a limit.
func (x limit) none() bool { return !x.bad && !x.written }

// in is the limit in tokens for a model, whose context window a ratio is a share of.
func (x limit) in(m *config.Model) int {
	if x.ratio == "" {
		return x.tokens
	}
	return shareOf(m.ContextWindow.V, x.ratio)
}

// inTokens is the name of the attribute that says the same limit in tokens.
func (x limit) inTokens() string { return strings.TrimSuffix(x.name, "_ratio") + "_tokens" }

func (x limit) attr(m *config.Model) config.Attr[int] {
	return config.Attr[int]{V: x.in(m), Set: x.written, At: x.at}
}

// decimalOf is a number as the shortest decimal that is the nearest double of it, so
// that 0.1 * 3 is 0.3.
func decimalOf(v cty.Value) string {
	d, _ := v.AsBigFloat().Float64()
	return strconv.FormatFloat(d, 'g', -1, 64)
}

// shareOf is a share of a number of tokens, rounded down. The ratio is a decimal, and
// nothing else is rounded.
func shareOf(window int, ratio string) int {
	share, ok := new(big.Rat).SetString(ratio)
	if !ok {
		return 0
	}
	share.Mul(share, new(big.Rat).SetInt64(int64(window)))
	return int(new(big.Int).Quo(share.Num(), share.Denom()).Int64())
}

// policies decodes the policy blocks. What one does not say of is as around it.
func (l *loader) policies(b *body, around *compactionOf, cfg *config.Config, models []string) []*compactionOf {
	var out []*compactionOf
	sc := everything()
	for _, p := range l.unique(b.of("policy"), b.address) {
		t := &compactionOf{address: p.address, at: p.labelAt, named: p.labelAt, threshold: l.limit(p, "threshold", sc), retain: l.limit(p, "retain", sc)}
		if m, ok := cfg.Model(p.label); ok {
			t.model = m
			l.used["model."+p.label] = true
		} else {
			l.errorf(p.labelAt, "Reference to nothing", "There is no model %q.%s", p.label, suggestOrList(p.label, "models", models))
		}
		if t.threshold.none() && t.retain.none() {
			l.warnf(schema.RuleNoEffect, p.at, "Block without effect", "The policy says nothing of the threshold or of what is retained, so it changes nothing.")
		}
		for _, x := range []struct {
			own    *limit
			around limit
		}{{&t.threshold, around.threshold}, {&t.retain, around.retain}} {
			if x.own.none() {
				*x.own = x.around
				x.own.own = false
			}
		}
		out = append(out, t)
	}
	return out
}
