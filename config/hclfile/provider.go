package hclfile

import (
	"cmp"
	"crypto/x509"
	"net/textproto"
	"regexp"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/schema"
)

// Where each dialect is served when no address is written.
const (
	openaiURL    = "https://api.openai.com/v1"
	deepseekURL  = "https://api.deepseek.com"
	anthropicURL = "https://api.anthropic.com"
)

func (l *loader) providers(root *body) []config.Provider {
	var out []config.Provider
	for _, b := range l.unique(root.of("provider"), "") {
		out = append(out, l.provider(b))
	}
	return out
}

func (l *loader) provider(b *body) config.Provider {
	sc := everything()
	p := config.Provider{
		Name:        b.label,
		At:          b.at,
		Protocol:    l.setting(b, "protocol", sc).text(),
		Dialect:     l.setting(b, "dialect", sc).text(),
		BaseURL:     l.setting(b, "base_url", sc).text(),
		APIKey:      l.apiKey(b),
		Headers:     l.headers(b),
		Timeout:     attribute(l.setting(b, "timeout", sc), durationOf),
		IdleTimeout: attribute(l.setting(b, "idle_timeout", sc), durationOf),
		Retry: config.Retry{
			Attempts: l.inner(b, "retry", "attempts").whole(),
			MinDelay: attribute(l.inner(b, "retry", "min_delay"), durationOf),
			MaxDelay: attribute(l.inner(b, "retry", "max_delay"), durationOf),
		},
	}
	if r := p.Retry; r.MinDelay.V > r.MaxDelay.V {
		at := r.MaxDelay.At
		if !r.MaxDelay.Set {
			at = r.MinDelay.At
		}
		l.errorf(at, "Invalid value", "The argument \"max_delay\" is %s and \"min_delay\" is %s, which is longer.", r.MaxDelay.V, r.MinDelay.V)
	}
	p.APIKeyFile, p.APIKeyCommand = l.keySources(b, sc)
	p.CAFile, p.CA = l.authorities(b, sc)
	p.CacheTTL = l.inner(b, "cache", "ttl").text()
	if p.Protocol.V == "anthropic" {
		if attr, written := b.attrs["dialect"]; written {
			l.errorf(place(attr.Range), "Conflicting arguments", "Protocol \"anthropic\" has no dialects.")
		}
		p.Dialect.V = "anthropic"
		l.computed[b.address+".dialect"] = quoted(p.Dialect.V)
	} else if p.Protocol.Set {
		for _, n := range b.of("cache") {
			l.errorf(n.at(), "Block not allowed", "Breakpoints of a cache belong to protocol \"anthropic\", and this provider's protocol is %q, which caches by itself.", p.Protocol.V)
		}
		p.CacheTTL = config.Attr[string]{}
		l.computed[b.address+".cache.ttl"] = "null"
	}
	script := l.setting(b, "script", sc)
	switch {
	case !p.Protocol.Set:
	case p.Protocol.V == "script":
		l.scripted(b, &p, script)
		l.belongs(b, "log", "replay", &p)
	case p.Protocol.V == "replay":
		l.replayed(b, &p, l.setting(b, "log", sc))
		l.belongs(b, "script", "script", &p)
	default:
		l.belongs(b, "script", "script", &p)
		l.belongs(b, "log", "replay", &p)
		l.reach(b, &p)
	}
	if attr, written := b.attrs["base_url"]; written && !p.BaseURL.Set && discloses(l.textOf(attr.Expr)) {
		l.blotLiterals(attr.Expr)
	}
	return p
}

// reach records the address that the provider is reached at. The default of a
// dialect needs trust like one that is written: prompts go there.
func (l *loader) reach(b *body, p *config.Provider) {
	if !p.BaseURL.Set {
		p.BaseURL.V = openaiURL
		switch p.Dialect.V {
		case "deepseek":
			p.BaseURL.V = deepseekURL
		case "anthropic":
			p.BaseURL.V = anthropicURL
		}
		l.computed[b.address+".base_url"] = quoted(p.BaseURL.V)
	}
	l.starts = append(l.starts, config.Start{Kind: "base_url", For: b.address, Text: p.BaseURL.V + " for " + b.address, At: p.BaseURL.At})
}

// belongs refuses a file of another protocol than the provider's.
func (l *loader) belongs(b *body, name, protocol string, p *config.Provider) {
	attr, written := b.attrs[name]
	if !written || !l.setting(b, name, everything()).set {
		return
	}
	what := "A script"
	if name == "log" {
		what = "A log"
	}
	l.errorf(place(attr.Range), "Conflicting arguments", "%s answers only with protocol = %q, and this provider's protocol is %q.", what, protocol, p.Protocol.V)
}

// connectionless warns about what a provider without a connection leaves unused.
func (l *loader) connectionless(b *body, what string) {
	for _, name := range []string{"base_url", "api_key", "api_key_file", "api_key_command", "ca_file", "headers", "timeout", "idle_timeout"} {
		if attr, ok := b.attrs[name]; ok {
			l.warnf(schema.RuleNoEffect, place(attr.Range), "Argument without effect", "%s makes no connection, so %s changes nothing.", what, name)
		}
	}
}

// maxRecording is how many bytes a recorded session may have.
const maxRecording = 64 << 20

// replayed reads the recording of a provider.
func (l *loader) replayed(b *body, p *config.Provider, log setting) {
	l.connectionless(b, "A recorded session")
	for _, n := range b.of("retry") {
		l.warnf(schema.RuleNoEffect, n.at(), "Block without effect", "A recorded session answers each request once, so retry changes nothing.")
	}
	if log.bad {
		return
	}
	if !log.set {
		l.errorf(b.at, "Missing argument", "A provider with protocol \"replay\" names the log of a session: log = \"session.jsonl\".")
		return
	}
	path := l.resolve(log.v.AsString(), log.at.File)
	p.Log = config.Attr[string]{V: path, Set: true, At: log.at}
	text, _ := l.read(path, maxRecording, log.at, "log")
	p.Recording = string(text)
}

// scripted reads the script of a provider and warns about what it leaves unused.
func (l *loader) scripted(b *body, p *config.Provider, script setting) {
	l.connectionless(b, "A scripted model")
	if script.bad {
		return
	}
	if !script.set {
		l.errorf(b.at, "Missing argument", "A provider with protocol \"script\" names the file of its answers: script = \"model.hcl\".")
		return
	}
	path := l.resolve(script.v.AsString(), script.at.File)
	p.Script = config.Attr[string]{V: path, Set: true, At: script.at}
	name := l.opts.shown(path)
	if replies, again := l.scripts[name]; again {
		// Another provider uses the same script; its problems were reported.
		p.Replies = replies
		return
	}
	text, ok := l.read(path, maxConfig, script.at, "script")
	if !ok {
		return
	}
	replies, diags := readScript(l, name, path, text)
	l.diags = append(l.diags, diags...)
	l.scripts[name] = replies
	p.Replies = replies
}

func (l *loader) apiKey(b *body) config.Secret {
	attr, ok := b.attrs["api_key"]
	if !ok {
		return config.Secret{}
	}
	return l.secret(attr.Expr, secretUse{owner: b.address + ".api_key", what: "The credential", credential: true, optional: true})
}

// keySources reads where a key comes from that is not in the configuration. Both
// need trust: one reads any file of the machine, the other starts a program.
func (l *loader) keySources(b *body, sc *scope) (file config.Attr[string], command config.Attr[[]string]) {
	var given []string
	for _, name := range []string{"api_key", "api_key_file", "api_key_command"} {
		if _, written := b.attrs[name]; written {
			given = append(given, name)
		}
	}
	if len(given) > 1 {
		l.errorf(place(b.attrs[given[1]].Range), "Conflicting arguments", "The key comes from one place: write %s or %s.", given[0], given[1])
	}
	if s := l.setting(b, "api_key_file", sc); s.set {
		file = s.text()
		file.V = l.resolve(file.V, s.at.File)
		l.starts = append(l.starts, config.Start{Kind: "credential", For: b.address, Text: "the key in " + l.opts.shown(file.V) + " for " + b.address, At: s.at})
	}
	return file, l.program(b, sc, "api_key_command", "credential")
}

// maxAuthorities bounds, in bytes, a file of certificates.
const maxAuthorities = 4 << 20

// authorities reads the certificates that a provider's may be signed by.
func (l *loader) authorities(b *body, sc *scope) (path string, pem config.Attr[string]) {
	s := l.setting(b, "ca_file", sc)
	if !s.set {
		return "", config.Attr[string]{}
	}
	path = l.resolve(s.v.AsString(), s.at.File)
	text, ok := l.read(path, maxAuthorities, s.at, "file of certificates")
	if !ok {
		return "", config.Attr[string]{}
	}
	if !x509.NewCertPool().AppendCertsFromPEM(text) {
		l.errorf(s.at, "No certificate", "The file %s holds no certificate in PEM form (-----BEGIN CERTIFICATE-----).", l.opts.shown(path))
	}
	return path, config.Attr[string]{V: string(text), Set: true, At: s.at}
}

var headerName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")

// credentialHeader are names of headers whose values are secrets by their kind.
var credentialHeader = regexp.MustCompile(`(?i)^(?:.*-)?(?:authorization|auth|cookie|credential|key|apikey|password|secret|token)$`)

func (l *loader) headers(b *body) []config.Header {
	given := l.written(b, "headers", "The header", textproto.CanonicalMIMEHeaderKey, func(h pair) bool {
		switch key := textproto.CanonicalMIMEHeaderKey(h.name); {
		case !headerName.MatchString(h.name):
			l.blot(h.key.File, h.key.Start.Byte, h.key.End.Byte) // it may hold the value, too
			l.errorf(h.key, "Invalid header name", "The name of an HTTP header has only letters, digits and -.")
		case key == "Content-Type" || key == "Content-Length" || key == "Host" || key == "Transfer-Encoding":
			l.errorf(h.key, "Header not allowed", "The header %s is set by the protocol.", key)
		default:
			return false
		}
		return true
	})
	var out []config.Header
	for _, h := range given {
		secret := l.secret(h.expr, secretUse{owner: b.address + ".headers." + h.name, what: "The header " + h.name, credential: credentialHeader.MatchString(h.name)})
		out = append(out, config.Header{Name: h.name, Value: secret})
	}
	slices.SortFunc(out, func(a, b config.Header) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// isText reports whether a value is a text, or may turn out to be one.
func isText(v cty.Value) bool {
	return v.Type() == cty.String || v.Type() == cty.DynamicPseudoType && !v.IsKnown()
}
