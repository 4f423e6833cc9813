package hclfile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/dsh-hcl/dsh/schema"
)

// unknownArgument reports an attribute that the table does not know at this
// place, with the most useful thing that can be said about it. It returns the
// argument that was probably meant, or "".
func (l *loader) unknownArgument(a *hclsyntax.Attribute, s *schema.Block, where string) (meant string) {
	detail := fmt.Sprintf("There is no argument %q in %s.", a.Name, l.inside(where))
	names := s.AttributeNames()
	absent := slices.IndexFunc(s.Absent, func(x schema.Absent) bool { return x.Name == a.Name })
	child, isBlock := s.Child(a.Name)
	switch {
	case absent >= 0:
		detail += " " + s.Absent[absent].Why
	case isBlock:
		detail = blockDetail(child.Block)
	case s.Names == nil && otherwise(s, a.Name) != "":
		meant = otherwise(s, a.Name)
		detail += fmt.Sprintf(" Did you mean %q?", meant)
	case notYet[s.Type+"."+a.Name] != "":
		detail += " " + notYet[s.Type+"."+a.Name]
	case nearest(a.Name, names) != "":
		meant = nearest(a.Name, names)
		detail += didYouMean(a.Name, names)
	case nearest(a.Name, s.BlockTypes()) != "":
		detail = fmt.Sprintf("There is neither an argument nor a block %q in %s.%s", a.Name, l.inside(where), didYouMean(a.Name, s.BlockTypes()))
	default:
		if homes := homesOf(l.language, a.Name, false); len(homes) > 0 {
			detail += fmt.Sprintf(" It is an argument of %s.", strings.Join(homes, " and of "))
		} else if len(names) > 0 {
			detail += " Its arguments are: " + strings.Join(names, ", ") + "."
		} else if len(s.Blocks) > 0 {
			detail += " It has only blocks: " + strings.Join(s.BlockTypes(), ", ") + "."
		}
	}
	l.errorf(place(a.NameRange), "Unknown argument", "%s", detail)
	return meant
}

// elsewhere are the names that arguments have in other programs, by block and name.
var elsewhere = map[string]string{
	"model.model":          "id",
	"model.name":           "id",
	"model.context":        "context_window",
	"model.context_length": "context_window",
	"model.max_tokens":     "max_output_tokens",
	"model.stop_sequences": "stop",
	"provider.type":        "protocol",
	"provider.kind":        "protocol",
	"provider.url":         "base_url",
	"provider.endpoint":    "base_url",
	"provider.key":         "api_key",
	"provider.token":       "api_key",
	"text.text":            "content",
	"text.value":           "content",
	"file.file":            "path",
	"file.name":            "path",
	"command.run":          "command",
	"variable.optional":    "nullable",
}

// otherwise is the argument of a block that has another name in other programs, "" for
// none.
func otherwise(s *schema.Block, name string) string {
	meant := elsewhere[s.Type+"."+name]
	if _, known := s.Attribute(meant); !known {
		return ""
	}
	return meant
}

// notYet says of names that are near to others what is to be done about them instead.
var notYet = map[string]string{
	"variable.required": "A variable without a default is required.",
}

// blockDetail says how a block is written that stands as an argument.
func blockDetail(b *schema.Block) string {
	written := b.Type
	for _, label := range b.Labels {
		written += fmt.Sprintf(" %q", label.Name)
	}
	return fmt.Sprintf("%q is a block. Remove the equals sign: %s { ... }.", b.Type, written)
}

// unknownBlock reports a block that the table does not know at this place. It
// returns the argument that was probably meant, or "".
func (l *loader) unknownBlock(b *hclsyntax.Block, s *schema.Block, where string) (meant string) {
	detail := fmt.Sprintf("There is no block %q in %s.", b.Type, l.inside(where))
	types := s.BlockTypes()
	_, isArgument := s.Attribute(b.Type)
	switch {
	case isArgument:
		meant = b.Type
		detail = fmt.Sprintf("%q is an argument, which is written with an equals sign: %s = ....", b.Type, b.Type)
	case b.Type == "var" && slices.Contains(types, "variable"):
		detail += ` Did you mean "variable"?`
	case s.Names != nil:
		detail = fmt.Sprintf("There are no blocks in %s; an object is written with an equals sign: %s = { ... }.", l.inside(where), b.Type)
	case nearest(b.Type, types) != "":
		detail += didYouMean(b.Type, types)
	default:
		if homes := homesOf(l.language, b.Type, true); len(homes) > 0 {
			detail += fmt.Sprintf(" It belongs into %s.", strings.Join(homes, " or "))
		} else if len(types) > 0 {
			detail += " Its blocks are: " + strings.Join(types, ", ") + "."
		} else {
			detail += " It has no blocks."
		}
	}
	l.errorf(place(b.DefRange()), "Unknown block", "%s", detail)
	return meant
}

// inside names the block of a message; the root has no type.
func (l *loader) inside(where string) string {
	if where == "" {
		return l.rootName + ", outside of blocks"
	}
	return where
}

// homesOf lists the types of blocks in which a name is known, none when they are
// too many to help.
func homesOf(language *schema.Block, name string, block bool) []string {
	var homes []string
	var walk func(b *schema.Block)
	walk = func(b *schema.Block) {
		_, known := b.Attribute(name)
		if block {
			_, known = b.Child(name)
		}
		home := b.Type
		if home == "" {
			home = "the file itself, outside of blocks"
		}
		if known && !slices.Contains(homes, home) {
			homes = append(homes, home)
		}
		for _, c := range b.Blocks {
			walk(c.Block)
		}
	}
	walk(language)
	if len(homes) > 3 {
		return nil
	}
	return homes
}
