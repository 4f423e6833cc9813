package hclfile

import (
	"bytes"
	"regexp"
	"slices"
)

var (
	shellVariable = regexp.MustCompile(`^\$\{[#!]?[A-Z_][A-Z0-9_]*(?:[:\-+=?#%/,^@\[][^}\n]*)?\}?`)
	otherFormat   = regexp.MustCompile(`^%\{~?\s*([A-Za-z_]*)[^}\n]*\}?`)
)

// shellExpansion returns the sequence around an offset that HCL takes for a
// template but that a shell or another language means: ${HOME}, ${1:-x},
// %{http_code}. It is "" when the text looks like a template of HCL.
func shellExpansion(src []byte, offset int) string {
	offset = min(offset+2, len(src))
	start := bytes.LastIndexByte(src[:offset], '\n') + 1
	i := bytes.LastIndex(src[start:offset], []byte("${"))
	j := bytes.LastIndex(src[start:offset], []byte("%{"))
	if i >= 0 && i > j {
		return string(shellVariable.Find(src[start+i:]))
	}
	if j >= 0 {
		m := otherFormat.FindSubmatch(src[start+j:])
		if m != nil && !slices.Contains([]string{"if", "else", "endif", "for", "endfor"}, string(m[1])) {
			return string(m[0])
		}
	}
	return ""
}
