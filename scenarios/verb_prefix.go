package scenarios

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/dsh-hcl/dsh/engine/event"
)

func prefixVerb() verb {
	return verb{
		name:    "prefix",
		asserts: true,
		usage: []string{"[!] prefix order ADDRESS...", "[!] prefix count N", "[!] prefix has ADDRESS",
			"[!] prefix text ADDRESS REGEXP", "[!] prefix empty"},
		help: "Holds when the frozen prefix has exactly these contributors in this order; that many messages; a message of the contributor; text that the expression matches; no message.",
		run: func(w *world, ts *testscript.TestScript, args []string) error {
			if err := need(args, 1, -1); err != nil {
				return err
			}
			c, err := w.current(ts)
			if err != nil {
				return notYet(err)
			}
			h, err := w.header(c)
			if err != nil {
				return notYet(err)
			}
			return prefix(h, w.declared, args)
		},
	}
}

func prefix(h event.RequestHeader, declared, args []string) error {
	declared = slices.DeleteFunc(slices.Clone(declared), func(a string) bool { return strings.HasPrefix(a, "system.") })
	var have []string
	for _, s := range h.Sources.Prefix {
		have = append(have, s.Address)
	}
	found := strings.Join(have, " ")
	if found == "" {
		found = "empty"
	}
	switch form, rest := args[0], args[1:]; form {
	case "order":
		if err := need(rest, 1, -1); err != nil {
			return err
		}
		if near := strayOf(rest, have, declared); near != "" {
			return misusef("the prefix has no such contributor%s", near)
		}
		if !slices.Equal(slices.Compact(have), rest) {
			return fmt.Errorf("the prefix is %s, not %s", found, strings.Join(rest, " "))
		}
	case "count":
		if err := need(rest, 1, 1); err != nil {
			return err
		}
		n, err := strconv.Atoi(rest[0])
		if err != nil {
			return misusef("%q is no number", rest[0])
		}
		if got := h.Header.Prefix().Len(); got != n {
			return fmt.Errorf("the prefix has %d messages, not %d: %s", got, n, found)
		}
	case "has":
		if err := need(rest, 1, 1); err != nil {
			return err
		}
		if near := strayOf(rest, have, declared); near != "" {
			return misusef("the prefix has no such contributor%s", near)
		}
		if !slices.Contains(have, rest[0]) {
			return fmt.Errorf("the prefix has no %s: it is %s", rest[0], found)
		}
	case "text":
		if err := need(rest, 2, 2); err != nil {
			return err
		}
		re, err := expression(rest[1])
		if err != nil {
			return err
		}
		var texts []string
		for i, a := range have {
			if a == rest[0] {
				texts = append(texts, h.Header.Prefix().At(i).Content.Text())
			}
		}
		if len(texts) == 0 {
			return misusef("the prefix has no %s: it is %s", rest[0], found)
		}
		if !slices.ContainsFunc(texts, re.MatchString) {
			return fmt.Errorf("the text of %s does not match %q; it is:\n%s", rest[0], rest[1], strings.Join(texts, "\n"))
		}
	case "empty":
		if err := need(rest, 0, 0); err != nil {
			return err
		}
		if h.Header.Prefix().Len() != 0 {
			return fmt.Errorf("the prefix is %s", found)
		}
	default:
		return unknownForm(form, "order", "count", "has", "text", "empty")
	}
	return nil
}
