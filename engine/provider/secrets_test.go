package provider_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dsh-hcl/dsh/engine/provider"
)

func TestExcerpt(t *testing.T) {
	long := strings.Repeat("a", provider.MaxProviderText)
	tests := []struct {
		name    string
		secrets []string
		text    string
		cut     bool
		want    string
	}{
		{"as it is", nil, "no such model", false, "no such model"},
		{"one line", nil, " a\r\n\t b\u2028c ", false, "a b c"},
		{"no control", nil, "\x1b]0;x\x07a\u202eb\x00", false, "]0;x a b"},
		{"valid", nil, "a\xffb", false, "a\uFFFDb"},
		{"fits", nil, long, false, long},
		{"too long", nil, long + "b", false, long[:provider.MaxProviderText-3] + "…"},
		{"cut at a character", nil, long[:496] + "ééé", false, long[:496] + "…"},
		{"secret", []string{"", "sk-1"}, "key sk-1, sk-1!", false, "key (sensitive), (sensitive)!"},
		{"longer first", []string{"sk-1", "sk-123"}, "sk-123 sk-12", false, "(sensitive) (sensitive)2"},
		{"secret over the limit", []string{"sk-1234567890"}, long[:495] + "sk-1234567890", false, long[:495] + "(s…"},
		{"secret with a break", []string{"a\tb"}, "x a\tb y", false, "x (sensitive) y"},
		{"cut secret", []string{"sk-1234567890"}, "longer than the secret sk-12345", true, "longer than the secret"},
		{"cut and whole secret", []string{"sk-1234567890"}, "sk-1234567890 sk-1234567890", true, "(sensitive) (sensitive)"},
		{"only a cut secret", []string{"sk-1234567890"}, "sk-12345", true, ""},
		{"no secret to cut", nil, "abc", true, "abc"},
	}
	for _, test := range tests {
		got := provider.NewSecrets(test.secrets...).Excerpt(test.text, test.cut)
		if got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
		if len(got) > provider.MaxProviderText || !utf8.ValidString(got) {
			t.Errorf("%s: %d bytes", test.name, len(got))
		}
	}
}

// TestSpellings: a secret is known in every spelling of JSON, HTML and URLs.
func TestSpellings(t *testing.T) {
	s := provider.NewSecrets(`p"a+b/c&d`)
	for _, spelt := range []string{`p"a+b/c&d`, `p\"a+b/c&d`, `p\"a+b\/c&d`, `p&#34;a+b/c&amp;d`, `p%22a%2Bb%2Fc%26d`, `p%22a+b%2Fc&d`,
		`\u0070\u0022a\u002Bb/c&d`, `\\u0070\"a+b/c&d`, `&#112;&#x22;&#97;+b/c&amp;d`, `&#0112;&quot;a&#43;b&sol;c&d`, `%70%22%61%2b%62%2f%63%26%64`} {
		if got := s.Hide("<" + spelt + ">"); got != "<(sensitive)>" {
			t.Errorf("%s became %s", spelt, got)
		}
	}
}

// TestSpellingsOfOddCharacters: backslashes, blanks and characters beyond ASCII.
func TestSpellingsOfOddCharacters(t *testing.T) {
	s := provider.NewSecrets("a\\é 😀\n")
	for _, spelt := range []string{"a\\é 😀\n", `a\\é 😀\n`, `a\\\\é 😀\\n`, `a\u005c\u00E9\u0020\ud83d\ude00\u000a`, `a%5C%c3%a9+%F0%9F%98%80%0A`, `a&#92;&eacute; &#128512;&#10;`} {
		if got := s.Hide("<" + spelt + ">"); got != "<(sensitive)>" {
			t.Errorf("%s became %s", spelt, got)
		}
		for n := len(spelt) - 1; n > 0; n-- {
			if got := s.Clean("<"+spelt[:n], true); got != "<" {
				t.Errorf("%q became %q", spelt[:n], got)
			}
		}
	}
	// Many ways to read one text end soon.
	slashes := strings.Repeat(`\`, 2000)
	if got := provider.NewSecrets(slashes[:1000] + "x").Hide(slashes); got != slashes {
		t.Error("backslashes were hidden")
	}
}

// FuzzExcerpt: no secret of some length survives, whatever stands around it.
func FuzzExcerpt(f *testing.F) {
	f.Add("before ", "sk-1234567890", " after")
	f.Add("s", "sssssssssss", "s")
	f.Add("\xff", "a\"b/c\\d+e f", "\n")
	f.Fuzz(func(t *testing.T, before, secret, after string) {
		if len(secret) < 8 || strings.Contains("(sensitive)", secret) {
			return
		}
		hidden := provider.NewSecrets(secret)
		got := hidden.Excerpt(before+secret+after, false)
		if strings.Contains(got, secret) && !strings.Contains(strings.ReplaceAll(before+"|"+after, secret, ""), secret) {
			t.Errorf("%q shows %q", got, secret)
		}
		if len(got) > provider.MaxProviderText || !utf8.ValidString(got) {
			t.Errorf("%q has %d bytes", got, len(got))
		}
	})
}
