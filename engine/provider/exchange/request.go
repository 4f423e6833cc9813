package exchange

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/dsh-hcl/dsh/engine/provider"
)

// request makes the HTTP request and the failure that can tell about it. Errors:
// an *provider.Error for options that cannot work, and what resolving a credential
// failed with.
func (c *call) request(ctx context.Context, body provider.Body) (*http.Request, Failure, error) {
	var none Failure
	u, err := endpoint(c.opt.BaseURL, c.protocol.Path)
	if err != nil {
		return nil, none, err
	}
	var key string
	if c.opt.APIKey != nil {
		if key, err = c.opt.APIKey(); err != nil {
			return nil, none, err
		}
	}
	secrets := appendSecret(nil, key, 1)
	h := http.Header{}
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "text/event-stream")
	h.Set("User-Agent", c.opt.UserAgent)
	if key != "" {
		if !validValue(key) {
			return nil, none, &provider.Error{Code: provider.CodeAuth,
				Message: "api_key holds a control character, perhaps the line break at the end of a file"}
		}
	}
	c.protocol.Prepare(h, key)
	host := ""
	for _, header := range c.opt.Headers {
		value, err := header.Value()
		if err != nil {
			return nil, none, err
		}
		if !validName(header.Name) || !validValue(value) {
			return nil, none, &provider.Error{Code: provider.CodeInvalidRequest,
				Message: fmt.Sprintf("header %q cannot be sent: its name is not a token, or its value holds a control character", header.Name)}
		}
		// Very short values (a version, a flag) are no secrets, and hiding them
		// would make a provider's message unreadable.
		secrets = appendSecret(secrets, value, 4)
		if strings.EqualFold(header.Name, "Host") {
			host = value
			continue
		}
		h.Set(header.Name, value)
	}
	if c.opt.Hidden != nil {
		for _, text := range c.opt.Hidden() {
			secrets = appendSecret(secrets, text, 4)
		}
	}
	req := (&http.Request{
		Method: http.MethodPost, URL: u, Host: host, Header: h,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Body:          io.NopCloser(body.Reader()),
		ContentLength: body.Len(),
		GetBody:       func() (io.ReadCloser, error) { return io.NopCloser(body.Reader()), nil },
	}).WithContext(ctx)
	known := provider.NewSecrets(secrets...)
	return req, Failure{
		Endpoint:   known.Hide(u.Host + u.EscapedPath()),
		Secrets:    known,
		authorised: key != "" || len(c.opt.Headers) > 0,
	}, nil
}

// endpoint is the URL that requests go to. Its errors do not repeat the URL, which
// may hold what it should not.
func endpoint(base string, path []string) (*url.URL, error) {
	refuse := func(why string) (*url.URL, error) {
		return nil, &provider.Error{Code: provider.CodeInvalidRequest, Message: "base_url " + why}
	}
	u, err := url.Parse(base)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return refuse("is not an absolute http or https URL")
	case u.User != nil:
		return refuse("holds credentials; they belong into api_key or headers")
	}
	if u.Path == "" {
		u.Path = "/" // JoinPath would make a relative path of none
	}
	return u.JoinPath(path...), nil
}

// appendSecret adds a value of at least that many bytes, and the part behind a
// scheme such as "Bearer", which a provider may repeat alone.
func appendSecret(list []string, value string, atLeast int) []string {
	if len(value) < atLeast {
		return list
	}
	list = append(list, value)
	if _, credentials, ok := strings.Cut(value, " "); ok {
		if credentials = strings.TrimSpace(credentials); len(credentials) >= atLeast {
			list = append(list, credentials)
		}
	}
	return list
}

// validValue reports whether net/http sends v as the value of a header.
func validValue(v string) bool {
	return !strings.ContainsFunc(v, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f })
}

// validName reports whether name is a token, as HTTP calls it.
func validName(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
	})
}
