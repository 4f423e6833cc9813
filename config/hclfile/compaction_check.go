package hclfile

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/config/diag"
	"github.com/dsh-hcl/dsh/schema"
)

// checkCompaction reports what can be proved of a compaction without a request: that
// what is retained reaches the threshold, that an answer has no room above it, and
// that a request for a summary does not fit.
func (l *loader) checkCompaction(t *compactionOf, c *config.Compaction, cfg *config.Config) {
	m := t.model
	if t.threshold.bad || t.retain.bad || l.lost["model."+m.Name+".context_window"] {
		return
	}
	window := m.ContextWindow.V
	if !m.ContextWindow.Set {
		l.unknownWindow(t)
		if t.threshold.ratio != "" || t.retain.ratio != "" {
			return
		}
	}
	threshold, retain := t.threshold.in(m), t.retain.in(m)
	switch output := m.MaxOutputTokens.V; {
	case threshold == 0:
		l.wrongLimit(t, t.threshold, limit{}, "%s. Every request has more.", t.threshold.is(m))
		return
	case !m.ContextWindow.Set || output >= window:
	case threshold < window-output:
	case output > 0:
		l.wrongLimit(t, t.threshold, limit{}, "%s, which leaves no room for an answer: model.%s's context window of %d without its max_output_tokens of %d is %d. Compact from fewer tokens on.",
			t.threshold.is(m), m.Name, window, output, window-output)
	default:
		l.wrongLimit(t, t.threshold, limit{}, "%s, which leaves no room for an answer in model.%s's context window of %d. Compact from fewer tokens on.", t.threshold.is(m), m.Name, window)
	}
	if retain >= threshold {
		if t.retain.own && t.retain.written || !t.threshold.own || !t.threshold.written {
			l.wrongLimit(t, t.retain, t.threshold, "%s, which is not below the threshold of %d tokens (%s). Retain less, or compact from more tokens on.", t.retain.is(m), threshold, t.threshold.of(m))
		} else {
			l.wrongLimit(t, t.threshold, t.retain, "%s, which is not above the %d tokens that are retained (%s). Retain less, or compact from more tokens on.", t.threshold.is(m), retain, t.retain.of(m))
		}
	}
	l.checkSummary(t, c, cfg, threshold)
}

// unknownWindow reports what the model of a compaction has to say.
func (l *loader) unknownWindow(t *compactionOf) {
	var shares, instead []string
	at := t.named
	for _, x := range []limit{t.retain, t.threshold} {
		if x.ratio == "" {
			continue
		}
		share := x.name
		if !x.written {
			share += " (by default " + x.ratio + ")"
		}
		if x.own && x.written {
			at = x.at
		}
		shares = append([]string{share}, shares...)
		instead = append([]string{x.inTokens()}, instead...)
	}
	related := []diag.Related{{Message: "the model", At: t.model.At}}
	if len(shares) == 0 {
		d := diag.Warnf(schema.RuleUnknownWindow, t.named, "Unknown context window", "It cannot be proved that requests of up to %d tokens fit, since model.%s has no context_window. Add it to the model.", t.threshold.tokens, t.model.Name)
		d.Related = related
		l.report(d)
		return
	}
	are := "is a share"
	if len(shares) > 1 {
		are = "are shares"
	}
	d := diag.Errorf(at, "Missing context window", "%s %s of the context window, and model.%s has none. Add context_window to the model, or write %s.",
		strings.Join(shares, " and "), are, t.model.Name, strings.Join(instead, " and "))
	d.Related = related
	l.report(d)
	x, y := ratioOf(t.retain), ratioOf(t.threshold)
	if x != nil && y != nil && x.Cmp(y) >= 0 {
		l.wrongLimit(t, t.retain, t.threshold, "The argument %q is %s, which is not below the threshold (threshold_ratio %s). Retain less, or compact from more tokens on.", t.retain.name, t.retain.ratio, t.threshold.ratio)
	}
}

func ratioOf(x limit) *big.Rat {
	r, ok := new(big.Rat).SetString(x.ratio)
	if !ok {
		return nil
	}
	return r
}

// checkSummary holds the request for a summary to the window of the model that writes
// it. It has up to the threshold in tokens.
func (l *loader) checkSummary(t *compactionOf, c *config.Compaction, cfg *config.Config, threshold int) {
	m, s := t.model, c.Summary
	if s.Model.Set {
		m, _ = cfg.Model(s.Model.V)
	}
	if m == t.model && !s.MaxTokens.Set || !m.ContextWindow.Set || l.lost["model."+m.Name+".context_window"] {
		return // it fits as an answer does
	}
	window := m.ContextWindow.V
	summary, at, with := s.MaxTokens.V, s.MaxTokens.At, fmt.Sprintf("max_tokens of %d", s.MaxTokens.V)
	if !s.MaxTokens.Set {
		summary, at, with = m.MaxOutputTokens.V, s.Model.At, fmt.Sprintf("its max_output_tokens of %d", m.MaxOutputTokens.V)
	}
	if !s.MaxTokens.Set && !m.MaxOutputTokens.Set {
		summary, with = 1, "room for an answer"
	}
	if threshold+summary <= window {
		return
	}
	d := diag.Errorf(at, "Summary without room", "A request for a summary has up to the threshold of %d tokens (%s), and %s on top of that is more than model.%s's context window of %d. Compact from fewer tokens on, or let another model write summaries.",
		threshold, t.threshold.of(t.model), with, m.Name, window)
	d.Related = []diag.Related{{Message: "the model", At: m.At}}
	l.report(d)
}

// wrongLimit reports a limit of a compaction, where it is written, or at the policy
// that does not say otherwise, or at the block whose default it is. Beside is the
// other limit that it does not agree with.
func (l *loader) wrongLimit(t *compactionOf, x, beside limit, detail string, args ...any) {
	d := diag.Errorf(t.at, "Invalid value", detail, args...)
	if x.own && x.written {
		d.Subject = x.at
		x.written = false
	}
	for _, y := range []limit{x, beside} {
		if y.written {
			d.Related = append(d.Related, diag.Related{Message: y.name, At: y.at})
		}
	}
	if w := t.model.ContextWindow; w.Set {
		d.Related = append(d.Related, diag.Related{Message: "the context window", At: w.At})
	}
	l.report(d)
}

// is says a limit for a model as a sentence begins.
func (x limit) is(m *config.Model) string {
	switch {
	case x.ratio == "":
		return fmt.Sprintf("The argument %q is %d", x.name, x.tokens)
	case x.written:
		return fmt.Sprintf("The argument %q is %s, %d tokens of model.%s's context window of %d", x.name, x.ratio, x.in(m), m.Name, m.ContextWindow.V)
	}
	return fmt.Sprintf("The default of %q is %s, %d tokens of model.%s's context window of %d", x.name, x.ratio, x.in(m), m.Name, m.ContextWindow.V)
}

// of says where the tokens of a limit come from.
func (x limit) of(m *config.Model) string {
	switch {
	case x.ratio == "":
		return x.name
	case x.written:
		return fmt.Sprintf("%s %s of model.%s's context window of %d", x.name, x.ratio, m.Name, m.ContextWindow.V)
	}
	return fmt.Sprintf("the default %s %s of model.%s's context window of %d", x.name, x.ratio, m.Name, m.ContextWindow.V)
}
