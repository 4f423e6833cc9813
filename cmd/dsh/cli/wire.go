package cli

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/config/diag"
	"github.com/dsh-hcl/dsh/contrib"
	"github.com/dsh-hcl/dsh/engine"
	"github.com/dsh-hcl/dsh/engine/eventlog"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/provider"
	"github.com/dsh-hcl/dsh/engine/provider/anthropic"
	"github.com/dsh-hcl/dsh/engine/provider/exchange"
	"github.com/dsh-hcl/dsh/engine/provider/openai"
	"github.com/dsh-hcl/dsh/engine/store"
)

// open compiles the agent, connects to its provider and opens the session that a
// run works on.
func (c *command) open(p *project, o runOptions) (*store.Session, *engine.Agent, provider.Client, error) {
	if err := needStore(p.settings); err != nil {
		return nil, nil, nil, err
	}
	st := c.storeAt(p.settings)
	var entry store.Entry
	boundary := int64(-1)
	if o.fork != "" {
		var err error
		if entry, boundary, err = findFork(st, o.fork, p.config.Workspace); err != nil {
			return nil, nil, nil, err
		}
		if o.agent == "" {
			o.agent = entry.Header.Agent
		}
	}
	if o.resume != "" {
		var err error
		if entry, err = st.Find(o.resume, p.config.Workspace); err != nil {
			return nil, nil, nil, err
		}
		// One project's conversation is not sent to another project's provider by
		// mistake.
		if w := entry.Header.Cwd; w != p.config.Workspace {
			return nil, nil, nil, &refusedError{fmt.Sprintf("session %s belongs to the workspace %s, and this is %s. Resume it there, or say --workspace %s.", entry.Header.ID, w, p.config.Workspace, w)}
		}
		if o.agent == "" {
			o.agent = entry.Header.Agent
		}
	}
	declared, err := pickAgent(p, o.agent)
	if err != nil {
		return nil, nil, nil, err
	}
	if begun := entry.Header.Agent; begun != "" && begun != declared.Name {
		c.warn(fmt.Errorf("session %s was begun by agent %s and goes on with agent %s", inLine(entry.Header.ID), inLine(begun), declared.Name))
	}
	agent, err := c.compile(p, declared)
	if err != nil {
		return nil, nil, nil, err
	}
	// A missing key is found before there is a session.
	if err := c.checkSecrets(p, agent); err != nil {
		return nil, nil, nil, err
	}
	if declared, _ := p.config.Provider(agent.Provider()); c.env.Model == nil && declared.Protocol.V == "replay" {
		if _, err := replayed(declared, 0); err != nil {
			return nil, nil, nil, err
		}
	}
	var s *store.Session
	h := eventlog.Header{ID: c.env.NewID(), CreatedAt: c.env.Now().UnixMilli(),
		Cwd: p.config.Workspace, Agent: agent.Name(), ConfigDigest: agent.Digest()}
	switch {
	case o.resume != "":
		s, err = st.Resume(entry)
	case o.fork != "":
		s, err = st.Fork(entry, boundary, h)
	default:
		s, err = st.Create(h)
	}
	if err != nil {
		return nil, nil, nil, err
	}
	if c.env.Opens != nil {
		reads, err := p.reads()
		if err != nil {
			return nil, nil, nil, errors.Join(err, s.Close())
		}
		c.env.Opens(s, reads)
	}
	used := s.State.Requests()
	if name := agent.SummaryProvider(); name != "" && name != agent.Provider() {
		used -= s.State.Summaries() // the other provider answered those
	}
	return s, agent, c.client(p, agent.Provider(), func() ScriptedOptions {
		return ScriptedOptions{Used: used, Earlier: earlier(st, entry), Now: c.env.Now}
	}), nil
}

// summaryClient makes the client of the model that writes summaries, when it is another
// one than the agent's; own is the agent's, which serves both models of one provider.
func (c *command) summaryClient(p *project, agent *engine.Agent, s *store.Session, own provider.Client) func() (provider.Client, error) {
	switch agent.SummaryProvider() {
	case "":
		return nil
	case agent.Provider():
		return func() (provider.Client, error) { return own, nil }
	}
	return func() (provider.Client, error) {
		return c.client(p, agent.SummaryProvider(), func() ScriptedOptions {
			return ScriptedOptions{Used: s.State.Summaries(), Now: c.env.Now}
		}), nil
	}
}

// build makes contributors that read through the project's folders.
func (c *command) build(p *project) engine.Build {
	o := contrib.Options{Files: p.files, Workspace: p.config.Workspace, Config: p.config.Dir, Run: c.contribute(p)}
	return func(list []config.Contributor) ([]msg.Contributor, error) { return contrib.Build(list, o) }
}

// findFork reads SESSION or SESSION@SEQ.
func findFork(st *store.Store, ref, workspace string) (store.Entry, int64, error) {
	boundary := int64(-1)
	id, at, given := strings.Cut(ref, "@")
	if given {
		n, err := strconv.ParseInt(at, 10, 64)
		if err != nil || n < 0 {
			return store.Entry{}, 0, usageErrorf("--fork wants SESSION or SESSION@SEQ, and %q is no seq of an event", at)
		}
		boundary = n
	}
	e, err := st.Find(id, workspace)
	return e, boundary, err
}

// pickAgent returns the agent of that name, the one the settings name, or the
// only one there is.
func pickAgent(p *project, name string) (*config.Agent, error) {
	var names []string
	for _, a := range p.config.Agents {
		names = append(names, a.Name)
	}
	if name == "" {
		name = p.settings.Agent.V
	}
	switch {
	case len(names) == 0:
		return nil, usageErrorf("the configuration %s declares no agent", p.config.Dir)
	case name == "" && len(names) == 1:
		return &p.config.Agents[0], nil
	case name == "":
		return nil, usageErrorf("the configuration declares several agents: name one with --agent: %s", strings.Join(names, ", "))
	}
	if a, ok := p.config.Agent(name); ok {
		return a, nil
	}
	return nil, usageErrorf("the configuration declares no agent %q; there is %s", name, strings.Join(names, ", "))
}

// compile makes an agent of its declaration.
func (c *command) compile(p *project, declared *config.Agent) (*engine.Agent, error) {
	agent, err := engine.Compile(p.config, declared, c.build(p))
	if err != nil || !declared.MaxTokens.Set && declared.Compaction == nil {
		return agent, err // unpacking a vocabulary for nothing would take its time
	}
	model, _ := p.config.Model(declared.Model.V)
	e, err := p.estimator(model)
	if err != nil {
		return nil, err
	}
	return agent.Counting(e), nil
}

// checkSecrets resolves the secrets of an agent's provider and processes once, so that
// an unset one is reported with its place before anything is logged. Those of a
// provider that a scripted model stands in for are left alone.
func (c *command) checkSecrets(p *project, agent *engine.Agent) error {
	var problems diag.List
	check := func(s config.Secret) {
		_, more := p.known.reveal(s)
		problems = append(problems, more...)
	}
	for i, name := range [...]string{agent.Provider(), agent.SummaryProvider()} {
		if name == "" || i > 0 && name == agent.Provider() {
			continue
		}
		if declared, _ := p.config.Provider(name); c.env.Model == nil && declared.Protocol.V != "script" {
			check(c.key(p, declared))
			for _, h := range declared.Headers {
				check(h.Value)
			}
		}
	}
	if declared, ok := p.config.Agent(agent.Name()); ok {
		for _, name := range declared.Hooks {
			h, _ := p.config.Hook(name)
			for _, v := range h.Env {
				check(v.Value)
			}
		}
		for _, ref := range declared.Tools {
			if t, ok := p.config.Tool(ref.Name); ok && ref.Kind == "tool" {
				for _, v := range t.Env {
					check(v.Value)
				}
			}
		}
		for _, contributor := range slices.Concat(declared.System, declared.Prefix) {
			if !contributor.When.V {
				continue
			}
			for _, v := range contributor.Env {
				check(v.Value)
			}
		}
	}
	if problems.HasErrors() {
		c.printDiagnostics(problems, p.sources)
		return &silentError{exitUsage}
	}
	return nil
}

// client makes the client of a declared provider. scripted is asked where a scripted
// model goes on.
func (c *command) client(p *project, name string, scripted func() ScriptedOptions) provider.Client {
	declared, _ := p.config.Provider(name)
	o := exchange.Access{Dialect: declared.Dialect.V, UserAgent: "dsh/" + Version}
	switch {
	case c.env.Model != nil:
		o.BaseURL, o.Transport = scriptedURL, c.env.Model
		if declared.Protocol.V == "anthropic" {
			o.BaseURL = strings.TrimSuffix(scriptedURL, "/v1") // its paths have the version
		}
		return speaking(declared.Protocol.V, o)
	case declared.Protocol.V == "replay":
		o.BaseURL = scriptedURL
		var err error
		if o.Transport, err = replayed(declared, scripted().Used); err != nil {
			o.Transport = broken{err}
		}
		return openai.New(o)
	case declared.Protocol.V == "script":
		o.BaseURL, o.Transport = scriptedURL, Scripted(declared.Replies, scripted())
		return openai.New(o)
	}
	o.BaseURL, o.Transport = declared.BaseURL.V, c.transport(declared.CA.V)
	o.HeaderTimeout, o.IdleTimeout = declared.Timeout.V, declared.IdleTimeout.V
	o.Hidden = p.known.list
	reveal := func(s config.Secret) func() (string, error) {
		return func() (string, error) {
			v, problems := p.known.reveal(s)
			return v, problems.Err()
		}
	}
	if key := c.key(p, declared); key.IsSet() {
		o.APIKey = reveal(key)
	}
	for _, h := range declared.Headers {
		o.Headers = append(o.Headers, exchange.Header{Name: h.Name, Value: reveal(h.Value)})
	}
	return speaking(declared.Protocol.V, o)
}

// speaking makes the client of a protocol.
func speaking(protocol string, a exchange.Access) provider.Client {
	if protocol == "anthropic" {
		return anthropic.New(a)
	}
	return openai.New(a)
}

// broken is a transport over which nothing can be sent.
type broken struct{ err error }

func (b broken) RoundTrip(*http.Request) (*http.Response, error) { return nil, b.err }

// scriptedURL stands where a scripted model has no address.
const scriptedURL = "http://scripted.invalid/v1"

// transport is what carries requests over the network. authorities are certificates
// in PEM form that count besides those of the machine, "" for none.
func (c *command) transport(authorities string) http.RoundTripper {
	t := exchange.DefaultTransport()
	t.Proxy = c.env.Proxy
	if authorities != "" {
		pool, err := x509.SystemCertPool()
		if err != nil {
			pool = x509.NewCertPool() // a machine without any
		}
		pool.AppendCertsFromPEM([]byte(authorities)) // it was parsed at check
		t.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	return t
}
