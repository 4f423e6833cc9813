package hclfile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/dsh-hcl/dsh/config"
)

func (l *loader) agents(root *body, cfg *config.Config) {
	var models []string
	for _, m := range cfg.Models {
		models = append(models, m.Name)
	}
	for _, b := range l.unique(root.of("agent"), "") {
		l.agentName = b.label
		cfg.Agents = append(cfg.Agents, l.agent(b, cfg, models))
	}
	l.agentName = ""
}

func (l *loader) agent(b *body, cfg *config.Config, models []string) config.Agent {
	a := config.Agent{
		Name:        b.label,
		At:          b.at,
		Description: l.setting(b, "description", everything()).text(),
		Model:       l.reference(b, "model", models),
		LogChunks:   l.inner(b, "log", "chunks").truth(),
		LogTitle:    l.inner(b, "log", "title").text(),
		Hooks:       l.references(b, "hooks", hookNames(cfg)),
		MaxTokens:   l.inner(b, "prefix", "max_tokens").whole(),
		OnResume:    l.inner(b, "prefix", "on_resume").text(),
		OnFork:      l.inner(b, "prefix", "on_fork").text(),

		MaxSteps:       l.inner(b, "limits", "max_steps").whole(),
		MaxInputTokens: l.inner(b, "limits", "max_input_tokens").whole(),
		MaxCost:        l.inner(b, "limits", "max_cost").amount(),
		TurnTimeout:    attribute(l.inner(b, "limits", "turn_timeout"), durationOf),
		ToolTimeout:    attribute(l.inner(b, "limits", "tool_timeout"), durationOf),
	}
	for _, n := range b.of("references") {
		a.References = l.referencesBlock(l.open(n, b.address))
	}
	model, _ := cfg.Model(a.Model.V)
	for _, n := range b.of("compaction") {
		a.Compaction = l.compactionBlock(l.open(n, b.address), &a, model, cfg, models)
	}
	if a.MaxCost.Set && model != nil && model.Price == nil {
		l.errorf(a.MaxCost.At, "Missing price", "A session cannot be held to max_cost, since model.%s has no price. Add a price block with input and output to it.", model.Name)
	}
	sc := everything().with(map[string]cty.Value{
		"agent": l.agentObject(&a),
		"model": l.modelObject(model),
	})
	var digests []string
	read := func(blockType, prefix string) []config.Contributor {
		var out []config.Contributor
		for _, n := range b.of(blockType) {
			list := l.contributors(l.open(n, b.address), &composition{scope: sc, prefix: prefix, system: blockType == "system"})
			out = slices.Grow(out, len(list))
			for _, c := range list {
				out = append(out, c.config)
				digests = append(digests, c.digest)
			}
		}
		return out
	}
	a.System = read("system", "system.")
	a.Prefix = read("prefix", "")
	if model != nil {
		provider, _ := cfg.Provider(model.Provider)
		a.Digest = l.digest(&a, model, provider, cfg, digests)
	}
	return a
}

func (l *loader) referencesBlock(b *body) *config.References {
	sc := everything()
	return &config.References{
		At:                b.at,
		MaxReferences:     l.setting(b, "max_references", sc).whole(),
		MaxReferenceBytes: l.setting(b, "max_reference_bytes", sc).size(),
		MaxTotalBytes:     l.setting(b, "max_total_bytes", sc).size(),
		CandidateLimit:    l.setting(b, "candidate_limit", sc).whole(),
		Allow:             l.workspaces(b, "allow", sc),
		Deny:              l.workspaces(b, "deny", sc),
	}
}

// workspaces are patterns of absolute paths. One that no path can match would let
// nothing in, or keep nothing out.
func (l *loader) workspaces(b *body, name string, sc *scope) config.Attr[[]string] {
	patterns := l.setting(b, name, sc).texts()
	for _, p := range patterns.V {
		problem := tilde(p)
		switch {
		case problem != "":
		case !strings.HasPrefix(p, "/") && !strings.HasPrefix(p, "*"):
			problem = fmt.Sprintf("holds %s, which matches no absolute path: begin it with / or ${path.workspace}", quoted(p))
		case slices.Contains(strings.Split(p, "/"), "..") || slices.Contains(strings.Split(p, "/"), "."):
			problem = fmt.Sprintf("holds %s, which matches no path: write it without . and ..", quoted(p))
		case len(p) > 1 && strings.HasSuffix(p, "/"):
			problem = fmt.Sprintf("holds %s, which matches no path: write it without the / at its end, or with ** behind it", quoted(p))
		}
		if problem != "" {
			l.errorf(l.elementPlace(b.attrs[name].Expr, cty.StringVal(p)), "Invalid value", "The argument %q %s.", name, problem)
		}
	}
	return patterns
}

// inner reads an attribute of a block that occurs at most once, or the default of
// the table when the block is not there.
func (l *loader) inner(b *body, blockType, name string) setting {
	for _, n := range b.of(blockType) {
		return l.setting(l.open(n, b.address), name, everything())
	}
	child, _ := b.schema.Child(blockType)
	attr, _ := child.Block.Attribute(name)
	return setting{v: attr.Default, at: b.at}
}

// agentObject is what contributors read as agent.
func (l *loader) agentObject(a *config.Agent) cty.Value {
	return cty.ObjectVal(map[string]cty.Value{
		"name":        cty.StringVal(a.Name),
		"description": l.textOrNull(a.Description, "agent."+a.Name+".description"),
	})
}

// modelObject is what contributors read as model. Without a model, which was
// reported, it is unknown, and so is an attribute that was refused.
func (l *loader) modelObject(m *config.Model) cty.Value {
	if m == nil {
		return cty.DynamicVal
	}
	whole := func(a config.Attr[int], name string) cty.Value {
		switch {
		case l.lost["model."+m.Name+"."+name]:
			return cty.UnknownVal(cty.Number)
		case !a.Set:
			return cty.NullVal(cty.Number)
		}
		return cty.NumberIntVal(int64(a.V))
	}
	return cty.ObjectVal(map[string]cty.Value{
		"name":              cty.StringVal(m.Name),
		"id":                l.textOrNull(m.ID, "model."+m.Name+".id"),
		"provider":          cty.StringVal(m.Provider),
		"context_window":    whole(m.ContextWindow, "context_window"),
		"max_output_tokens": whole(m.MaxOutputTokens, "max_output_tokens"),
	})
}

func (l *loader) textOrNull(a config.Attr[string], address string) cty.Value {
	switch {
	case l.lost[address]:
		return cty.UnknownVal(cty.String)
	case !a.Set:
		return cty.NullVal(cty.String)
	}
	return cty.StringVal(a.V)
}
