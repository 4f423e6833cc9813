package hclfile

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/zclconf/go-cty/cty"

	"github.com/dsh-hcl/dsh/schema"
)

func TestNumberText(t *testing.T) {
	for in, want := range map[string]string{
		"0": "0", "-0": "0", "1": "1", "-12": "-12", "1.0": "1", "1e3": "1000", "0.1": "0.1", "1.5e-7": "1.5e-7", "1e-6": "0.000001",
		"123456789012345678901": "123456789012345678901", "999999999999999999999": "999999999999999999999", "1e21": "1e+21", "1.25e300": "1.25e+300",
		"0.30000000000000004": "0.30000000000000004", "1e400": "1e+400", "1e-400": "1e-400", "-2.5": "-2.5",
	} {
		v, err := cty.ParseNumberVal(in)
		if err != nil {
			t.Fatal(err)
		}
		if got := canonical(v); got != want {
			t.Errorf("%s is %s, want %s", in, got, want)
		}
	}
}

// FuzzText holds that canonical text reads back as the same text, in the form
// that needs no escape which JSON does not demand.
func FuzzText(f *testing.F) {
	for _, s := range []string{"", "a", "\"\\/", "\b\t\n\f\r\x00\x1f\x7f", "<>&", "\u2028é👨‍👩‍👧", "e\u0301"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) {
			return
		}
		q := quoted(s)
		var back string
		if err := json.Unmarshal([]byte(q), &back); err != nil || back != s {
			t.Errorf("%q is %s: %q, %v", s, q, back, err)
		}
		if strings.Count(q, `\u00`) != strings.Count(s, `\u00`)+longEscapes(s) {
			t.Errorf("%q has needless escapes: %s", s, q)
		}
	})
}

func longEscapes(s string) int {
	n := 0
	for _, c := range s {
		if c < 0x20 && !strings.ContainsRune("\b\t\n\f\r", c) {
			n++
		}
	}
	return n
}

func TestVersions(t *testing.T) {
	cases := []struct {
		conditions, version string
		want                bool
	}{
		{">= 0.1, < 2.0", "1.2.3", true},
		{">= 0.1, < 2.0", "2.0.0", false},
		{">= 0.1, < 2.0", "v0.0.9", false},
		{"1.2.3", "1.2.3", true},
		{"= 1.2", "1.2.0", true},
		{"!= 1.2.3", "1.2.3", false},
		{"> 1.2.3", "1.2.3", false},
		{"<= 1.2.3", "1.2.3", true},
		{"~> 1.2", "1.9.0", true},
		{"~> 1.2", "2.0.0", false},
		{"~> 1.2", "1.1.9", false},
		{"~> 1.2.3", "1.2.9", true},
		{"~> 1.2.3", "1.3.0", false},
		{"~> 1", "1.9.9", true},
		{"~> 1", "2.0.0", false},
		{">= 0.1, < 2.0", "0.1.0-dev", true},
		{"~> 0.1", "0.1.0-dev", true},
		{"0.1", "0.1.0-dev", true},
		{"< 0.1", "0.1.0-dev", false},
		{"> 0.1", "0.1.0-dev", false},
		{"= 1.2.3-rc1", "1.2.3-rc1", true},
		{"= 1.2.3-rc1", "1.2.3", true},
		{">= 1.2.4-rc1", "1.2.3+build", false},
	}
	for _, c := range cases {
		conditions, err := parseConditions(c.conditions)
		if err != nil {
			t.Errorf("%s: %v", c.conditions, err)
			continue
		}
		v, err := parseVersion(c.version)
		if err != nil {
			t.Fatal(err)
		}
		all := true
		for _, condition := range conditions {
			all = all && condition.allows(v)
		}
		if all != c.want {
			t.Errorf("%s allows %s: %v", c.conditions, c.version, all)
		}
	}
	for _, bad := range []string{"", ">=", ">= one", "1.2.3.4", ">= 1,", "1..2", ">= -1"} {
		if _, err := parseConditions(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

func TestSizes(t *testing.T) {
	for in, want := range map[string]int{"1B": 1, "64KiB": 65536, "2 MiB": 2 << 20, "10kB": 10000, "1MB": 1e6, "0B": 0} {
		if got, ok := parseSize(in); !ok || got != want {
			t.Errorf("%s is %d, %v", in, got, ok)
		}
	}
	for _, bad := range []string{"", "64", "KiB", "-1B", "1.5KiB", "1GiB", "9999MiB", "1 kib", "0x1B", "1_0B"} {
		if n, ok := parseSize(bad); ok {
			t.Errorf("%s is %d", bad, n)
		}
	}
}

func TestSuggestions(t *testing.T) {
	names := []string{"content", "context", "path"}
	for in, want := range map[string]string{"contnt": "content", "contxt": "context", "PATH": "path", "x": "", "paths": "path", "description": ""} {
		if got := nearest(in, names); got != want {
			t.Errorf("%s is near %q, want %q", in, got, want)
		}
	}
	if got := nearest("kez", []string{"key", "ken"}); got != "key" {
		t.Errorf("of equally near names %q wins", got)
	}
	if s := suggestOrList("x", "rules", nil); s != " There are no rules." {
		t.Error(s)
	}
	if s := functionNames(); len(s) != len(schema.Functions()) {
		t.Error(s)
	}
}
