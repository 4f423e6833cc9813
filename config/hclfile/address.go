package hclfile

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/zclconf/go-cty/cty"
)

// wrongAddress is what is wrong with the address of a provider, as the rest of a
// sentence that begins with the argument, "" when nothing is.
func wrongAddress(s string) string {
	const begin = "begin it with http:// or https://, as in https://api.example.com/v1"
	const added = "/chat/completions"
	shown := shownAddress(s)
	u, err := url.Parse(s)
	switch {
	case unevaluated.MatchString(s):
		return fmt.Sprintf("is the text %s, not the value of that name: remove the quotes", shown)
	case err != nil || u.Scheme == "" || u.Hostname() == "":
		return fmt.Sprintf("is %s, which is no absolute address: %s", shown, begin)
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Sprintf("is %s, which is reached neither by http nor by https: %s", shown, begin)
	case u.User != nil:
		return fmt.Sprintf("is %s, which holds a user or a password: write credentials as api_key or headers", shown)
	case u.RawQuery != "" || u.Fragment != "" || u.ForceQuery || strings.HasSuffix(s, "#"):
		return fmt.Sprintf("is %s, which holds a query or a fragment: write only the address in front of the protocol's paths", shown)
	}
	if base, ends := strings.CutSuffix(strings.TrimRight(s, "/"), added); ends {
		return fmt.Sprintf("is %s, and the protocol adds %s itself: write %s", shown, added, quoted(base))
	}
	return ""
}

// discloses reports whether a refused address may hold a password, or a key in a
// query.
func discloses(address string) bool { return strings.ContainsAny(address, "@?#") }

// shownAddress is an address in quotes without what may be secret in it.
func shownAddress(s string) string {
	if strings.Contains(s, "@") {
		scheme := ""
		if strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://") {
			scheme = s[:strings.Index(s, "//")+2]
		}
		return quoted(scheme + "***")
	}
	if i := strings.IndexAny(s, "?#"); i >= 0 {
		return quoted(s[:i] + "...")
	}
	return short(cty.StringVal(s))
}
