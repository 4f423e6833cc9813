package hclfile

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// version is a version number. A suffix such as -dev or +build is not part of it:
// what a configuration needs is there in a pre-release too.
type version struct {
	numbers [3]int
	given   int // how many numbers were written
}

// condition is one condition on a version.
type condition struct {
	operator string
	version  version
}

// parseConditions reads conditions joined by commas: ">= 0.1, < 2.0".
func parseConditions(s string) ([]condition, error) {
	var out []condition
	for _, part := range strings.Split(s, ",") {
		part = strings.TrimSpace(part)
		operator := "="
		for _, o := range []string{"~>", ">=", "<=", "!=", "=", ">", "<"} {
			if rest, ok := strings.CutPrefix(part, o); ok {
				operator, part = o, strings.TrimSpace(rest)
				break
			}
		}
		v, err := parseVersion(part)
		if err != nil {
			return nil, err
		}
		out = append(out, condition{operator, v})
	}
	return out, nil
}

func parseVersion(s string) (version, error) {
	var v version
	if s == "" {
		return v, errors.New("a condition has no version; write one such as >= 0.1")
	}
	core, _, _ := strings.Cut(strings.TrimPrefix(s, "v"), "-")
	core, _, _ = strings.Cut(core, "+")
	parts := strings.Split(core, ".")
	if len(parts) > len(v.numbers) {
		return v, fmt.Errorf("%s has more than three numbers", quoted(s))
	}
	for i, p := range parts {
		n, err := strconv.ParseUint(p, 10, 31)
		if err != nil {
			return v, fmt.Errorf("%s is no version; write numbers with points, such as 1.2.0", quoted(s))
		}
		v.numbers[i] = int(n)
	}
	v.given = len(parts)
	return v, nil
}

// compare orders versions.
func (v version) compare(o version) int {
	for i := range v.numbers {
		if d := v.numbers[i] - o.numbers[i]; d != 0 {
			return d
		}
	}
	return 0
}

// allows reports whether a version meets the condition.
func (c condition) allows(v version) bool {
	d := v.compare(c.version)
	switch c.operator {
	case "!=":
		return d != 0
	case ">":
		return d > 0
	case ">=":
		return d >= 0
	case "<":
		return d < 0
	case "<=":
		return d <= 0
	case "~>":
		// The last number that is written may grow, the ones before it may not; the
		// first never does.
		fixed := max(1, c.version.given-1)
		return d >= 0 && v.numbers == merge(c.version.numbers, v.numbers, fixed)
	}
	return d == 0
}

// merge takes the first n numbers of a and the rest of b.
func merge(a, b [3]int, n int) [3]int {
	copy(b[:n], a[:n])
	return b
}
