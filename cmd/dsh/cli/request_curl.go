package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/provider/exchange"
	"github.com/dsh-hcl/dsh/engine/verify"
)

// showCurl prints the commands that send a request again. What the client would send
// is asked of the client itself, with names in place of secrets.
func (c *command) showCurl(entry sessionEntry, n int, r verify.Request) error {
	if r.Difference != nil {
		return &differsError{r.Difference.String()}
	}
	p, err := c.load(loadOptions{quiet: true})
	if err != nil {
		return err
	}
	defer p.close()
	declared, err := providerOf(p, entry.Header.Agent, r)
	if err != nil {
		return err
	}
	head, secrets, err := headOfRequest(p, declared, r)
	if err != nil {
		return err
	}
	body := fmt.Sprintf("request-%d.json", n)
	var plain, hidden []string
	for _, name := range slices.Sorted(maps.Keys(head.Header)) {
		value := head.Header.Get(name)
		if name == "User-Agent" {
			continue // curl has its own
		}
		if !slices.ContainsFunc(secrets, func(s standIn) bool { return strings.Contains(value, s.text) }) {
			plain = append(plain, "-H "+quotedForShell(name+": "+value))
			continue
		}
		format, args := strings.ReplaceAll(strings.ReplaceAll(name+": "+value, `\`, `\\`), "%", "%%"), ""
		for _, s := range secrets {
			if strings.Contains(format, s.text) {
				format, args = strings.Replace(format, s.text, "%s", 1), args+" "+s.shell
			}
		}
		hidden = append(hidden, "printf "+quotedForShell(format+`\n`)+args)
	}
	curl := "curl -sSN -X POST"
	if declared.CAFile != "" {
		curl += " --cacert " + quotedForShell(declared.CAFile)
	}
	curl += " " + strings.Join(plain, " ")
	if len(hidden) > 0 {
		curl = "{ " + strings.Join(hidden, "; ") + "; } | " + curl + " -H @-"
	}
	for _, h := range declared.Headers {
		fmt.Fprintf(c.env.Stdout, "# set HEADER_%s to the value of the header %s\n", variableOf(h.Name), h.Name)
	}
	_, err = fmt.Fprintf(c.env.Stdout, "dsh request %d %s >%s\n%s --data-binary @%s %s\n", n, quotedForShell(entry.Header.ID), body, curl, body, quotedForShell(head.URL.String()))
	return err
}

// providerOf is the provider that the configuration sends such a request to.
func providerOf(p *project, agent string, r verify.Request) (*config.Provider, error) {
	declared, ok := p.config.Agent(agent)
	if !ok {
		return nil, usageErrorf("the configuration declares no agent %q, whose request this is", agent)
	}
	name := declared.Model.V
	if r.Sent.Purpose == event.PurposeSummary && declared.Compaction != nil && declared.Compaction.Summary.Model.V != "" {
		name = declared.Compaction.Summary.Model.V
	}
	m, _ := p.config.Model(name)
	provider, ok := p.config.Provider(m.Provider)
	if !ok {
		return nil, usageErrorf("the configuration has no provider for agent %q", agent)
	}
	if provider.Protocol.V == "script" {
		return nil, usageErrorf("provider %q is a scripted model, which has no address", provider.Name)
	}
	if sent := r.Header.Header.Wire().Protocol; sent != provider.Protocol.V {
		return nil, usageErrorf("the request was written in protocol %q, and provider %q speaks %q now", sent, provider.Name, provider.Protocol.V)
	}
	return provider, nil
}

// standIn is what stands in a request in the place of a secret, and how a shell
// finds that.
type standIn struct{ text, shell string }

// headOfRequest is the request as the client would send it, without sending it.
func headOfRequest(p *project, declared *config.Provider, r verify.Request) (*http.Request, []standIn, error) {
	var secrets []standIn
	hide := func(shell string) func() (string, error) {
		text := fmt.Sprintf("dsh-secret-%d-", len(secrets))
		secrets = append(secrets, standIn{text, shell})
		return func() (string, error) { return text, nil }
	}
	seen := &seenRequest{}
	o := exchange.Access{Dialect: declared.Dialect.V, BaseURL: declared.BaseURL.V, Transport: seen}
	switch {
	case declared.APIKeyFile.Set:
		o.APIKey = hide(`"$(cat ` + quotedForShell(declared.APIKeyFile.V) + `)"`)
	case len(declared.APIKeyCommand.V) > 0:
		var words []string
		for _, w := range declared.APIKeyCommand.V {
			words = append(words, quotedForShell(w))
		}
		o.APIKey = hide(`"$(` + strings.Join(words, " ") + `)"`)
	case declared.APIKey.IsSet():
		o.APIKey = hide(p.keyVariable(declared))
	}
	for _, h := range declared.Headers {
		o.Headers = append(o.Headers, exchange.Header{Name: h.Name, Value: hide(`"$HEADER_` + variableOf(h.Name) + `"`)})
	}
	for _, err := range speaking(declared.Protocol.V, o).Stream(context.Background(), r.Body) {
		if seen.request == nil {
			return nil, nil, err
		}
		break
	}
	return seen.request, secrets, nil
}

// variableOf is the name of a header as that of a variable.
func variableOf(header string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToUpper(header))
}

// keyVariable is the shell's word for a provider's key: the variable of the environment
// that it is read from, when there is one, or else a name to set.
func (p *project) keyVariable(declared *config.Provider) string {
	var names []string
	for _, s := range p.config.Starts {
		if s.Kind == "env" && s.For == "provider."+declared.Name+".api_key" {
			name, _, _ := strings.Cut(strings.TrimPrefix(s.Text, "env."), " ")
			names = append(names, name)
		}
	}
	if len(names) != 1 {
		return `"$API_KEY"`
	}
	return `"$` + names[0] + `"`
}

// quotedForShell is a text as one word of a shell.
func quotedForShell(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// seenRequest is a transport that keeps a request and sends nothing.
type seenRequest struct{ request *http.Request }

// RoundTrip implements http.RoundTripper.
func (s *seenRequest) RoundTrip(r *http.Request) (*http.Response, error) {
	s.request = r
	return nil, errors.New("this request is only looked at")
}
