package engine

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/engine/header"
	"github.com/dsh-hcl/dsh/engine/loop"
	"github.com/dsh-hcl/dsh/engine/meter"
	"github.com/dsh-hcl/dsh/engine/msg"
)

// Agent is a compiled agent: immutable, shared by any number of instances.
type Agent struct {
	name       string
	digest     string
	provider   string
	call       msg.CallConfig
	wire       header.Wire
	system     []msg.Contributor
	prefix     []msg.Contributor
	notices    []noticed
	onResume   policy
	onFork     policy
	limits     loop.Limits
	retry      retry       // of the provider
	price      *msg.Price  // of the model, nil when it has none
	references *References // nil when nothing may be cited
	compaction *compaction // nil when nothing is compacted
	estimator  meter.Estimator
	maxPrefix  meter.Tokens // of the prefix, 0 for no limit
	chunks     bool
	titled     bool // the first prompt gives a session its title

	turnTimeout time.Duration // of a turn, 0 for none
	toolTimeout time.Duration // of one call of a tool, 0 for none
}

// noticed is a contributor whose changes a running session is told of.
type noticed struct {
	address     string
	inSystem    bool
	contributor []msg.Contributor // the one
}

// policy says what a resumed or forked session is sent.
type policy string

// The policies.
const (
	recompose policy = "recompose"
	reuse     policy = "reuse"
)

// Build makes the contributors of a system or prefix block, in order of
// declaration. Package contrib has it.
type Build func([]config.Contributor) ([]msg.Contributor, error)

// Compile turns a declared agent into an Agent. The configuration has no errors:
// every missing referent was reported when it was loaded, so an error here is
// about a contributor that cannot be built.
func Compile(c *config.Config, a *config.Agent, build Build) (*Agent, error) {
	model, ok := c.Model(a.Model.V)
	if !ok {
		return nil, fmt.Errorf("agent %q: no model %q", a.Name, a.Model.V)
	}
	provider, ok := c.Provider(model.Provider)
	if !ok {
		return nil, fmt.Errorf("model %q: no provider %q", model.Name, model.Provider)
	}
	out := &Agent{name: a.Name, digest: a.Digest, provider: provider.Name, chunks: a.LogChunks.V, titled: a.LogTitle.V == "prompt",
		limits:      loop.Limits{MaxSteps: int64(a.MaxSteps.V), MaxInputTokens: int64(a.MaxInputTokens.V)},
		turnTimeout: a.TurnTimeout.V, toolTimeout: a.ToolTimeout.V}
	if out.price = priceOf(model); out.price != nil {
		out.limits.MaxCost = msg.Cost{Amount: msg.Amount(a.MaxCost.V), Currency: out.price.Currency}
	}
	out.call, out.wire = callOf(model), wireOf(model, provider)
	out.retry = compileRetry(provider)
	out.maxPrefix = meter.Tokens(a.MaxTokens.V)
	out.references = compileReferences(a.References)
	if err := out.compileCompaction(c, a, model); err != nil {
		return nil, fmt.Errorf("agent %q: %w", a.Name, err)
	}
	out.onResume, out.onFork = policy(a.OnResume.V), policy(a.OnFork.V)
	for i, c := range slices.Concat(a.System, a.Prefix) {
		if c.OnChange.V != "notice" {
			continue
		}
		one, err := build([]config.Contributor{c})
		if err != nil {
			return nil, fmt.Errorf("agent %q: %w", a.Name, err)
		}
		if len(one) > 0 {
			out.notices = append(out.notices, noticed{address: c.Address, inSystem: i < len(a.System), contributor: one})
		}
	}
	var err error
	if out.system, err = build(a.System); err != nil {
		return nil, fmt.Errorf("agent %q: system: %w", a.Name, err)
	}
	if out.prefix, err = build(a.Prefix); err != nil {
		return nil, fmt.Errorf("agent %q: prefix: %w", a.Name, err)
	}
	return out, nil
}

// priceOf is a model's price, nil when it has none.
func priceOf(m *config.Model) *msg.Price {
	p := m.Price
	if p == nil {
		return nil
	}
	return &msg.Price{Input: msg.Amount(p.Input), CachedInput: msg.Amount(p.CachedInput), CacheWrite: msg.Amount(p.CacheWrite),
		Output: msg.Amount(p.Output), Currency: p.Currency}
}

// callOf is a model's call configuration.
func callOf(m *config.Model) msg.CallConfig {
	call := msg.CallConfig{Model: m.ID.V}
	if m.Temperature.V != "" {
		call.Temperature = msg.Some(m.Temperature.V)
	}
	if m.MaxOutputTokens.V > 0 {
		call.MaxTokens = msg.Some(int64(m.MaxOutputTokens.V))
	}
	if m.Stop.Set {
		call.Stop = append([]string{}, m.Stop.V...)
	}
	return call
}

// wireOf is how requests to a model are written. The scripted model answers in the
// protocol openai over its own transport.
func wireOf(m *config.Model, p *config.Provider) header.Wire {
	w := header.Wire{Protocol: "openai", Dialect: p.Dialect.V}
	if p.Protocol.V == "anthropic" {
		w.Protocol, w.Dialect = "anthropic", "anthropic"
		if p.CacheTTL.V != "5m" { // which is the protocol's default
			w.CacheTTL = p.CacheTTL.V
		}
		switch {
		case m.ThinkingTokens.V > 0:
			w.Thinking = strconv.Itoa(m.ThinkingTokens.V)
		default:
			w.Thinking = m.Thinking.V
		}
	}
	if w.Dialect == "" {
		w.Dialect = "openai"
	}
	if m.TopP.V != "" {
		w.TopP = msg.Some(m.TopP.V)
	}
	return w
}

// Counting returns the agent with what counts its tokens. Without it they are
// estimated for meter.DefaultFamily.
func (a *Agent) Counting(e meter.Estimator) *Agent {
	out := *a
	out.estimator = e
	return &out
}

// Name returns the agent's name.
func (a *Agent) Name() string { return a.name }

// Digest returns the digest of the evaluated agent, lower-case hex.
func (a *Agent) Digest() string { return a.digest }

// Provider returns the name of the provider of the agent's model.
func (a *Agent) Provider() string { return a.provider }
