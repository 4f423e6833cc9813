package prompt

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// SkillFile is the name of the file that describes a skill.
const SkillFile = "SKILL.md"

// Skill is an entry of a catalogue. Name and Description are single lines.
type Skill struct{ Name, Description, Path string }

// Skills reads the catalogue of the skills one level below a folder, in byte order of
// the folders' names. Folders without a SKILL.md are no skills. text is as in Reading.
// err is what listing the folder said; fs.ErrNotExist among others.
func Skills(files Files, folder string, text func(path string) (string, error)) (list []Skill, problems []*Problem, err error) {
	names, err := files.ReadFolders(folder, true)
	if err != nil {
		return nil, nil, err
	}
	for _, name := range names {
		path := filepath.Join(folder, name, SkillFile)
		s, err := text(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			problems = append(problems, &Problem{Path: path, Err: err})
			continue
		case !plainName(name):
			problems = append(problems, &Problem{Path: path, Summary: "File name cannot be used", Detail: fmt.Sprintf("The name of the folder %q is no plain text, and the model is told it. Rename the folder.", name)})
			continue
		}
		skill, problem := readSkill(path, s)
		if problem != nil {
			problems = append(problems, problem)
			continue
		}
		if skill.Name == "" {
			skill.Name = name
		}
		if list = append(list, skill); len(list) > maxFound {
			problems = append(problems, &Problem{Path: folder, Summary: "Too many skills", Detail: fmt.Sprintf("The folder has more than %d skills. Move some of them.", maxFound)})
			break
		}
	}
	return list, problems, nil
}

const skillForm = "A SKILL.md begins with a line ---, the lines name: NAME and description: TEXT, and another line ---."

// maxFrontMatter is how many bytes of YAML are read.
const maxFrontMatter = 64 << 10

// yamlLine is where the library says that a mistake is.
var yamlLine = regexp.MustCompile(`^(?:yaml: )?line ([0-9]+): `)

// readSkill reads the front matter of a SKILL.md.
func readSkill(path, text string) (Skill, *Problem) {
	lines := strings.SplitAfter(text, "\n")
	problem := func(line int, summary, detail string) *Problem {
		from := len(strings.Join(lines[:line], ""))
		return &Problem{Path: path, Text: text, From: from, To: from + len(strings.TrimRight(lines[line], "\r\n")), Summary: summary, Detail: detail}
	}
	fence := func(line string) bool { return strings.TrimRight(line, " \t\r\n") == "---" }
	if !fence(lines[0]) {
		return Skill{}, problem(0, "No front matter", skillForm)
	}
	end := 1
	for end < len(lines) && !fence(lines[end]) {
		end++
	}
	if end == len(lines) {
		return Skill{}, problem(0, "No front matter", "The line --- that ends the front matter is missing. "+skillForm)
	}
	if front := strings.Join(lines[:end], ""); len(front) > maxFrontMatter {
		return Skill{}, problem(0, "Front matter too large", fmt.Sprintf("The front matter of a skill has at most %d KiB. Move the text behind it.", maxFrontMatter>>10))
	}
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(strings.Join(lines[1:end], "")), &doc); err != nil {
		at, why := 1, err.Error() // the library names no line when it is the first
		if m := yamlLine.FindStringSubmatch(why); m != nil {
			at, _ = strconv.Atoi(m[1])
			at, why = min(at, end), why[len(m[0]):]
		}
		return Skill{}, problem(at, "Front matter cannot be read", fmt.Sprintf("This is no YAML: %s. Put a text with a colon and a space in it between quotes.", strings.TrimPrefix(why, "yaml: ")))
	}
	s := Skill{Path: path}
	if len(doc.Content) == 0 || doc.Content[0].Kind != yaml.MappingNode {
		return Skill{}, problem(0, "No front matter", skillForm)
	}
	fields := doc.Content[0].Content
	seen := map[string]bool{}
	for i := 0; i+1 < len(fields); i += 2 {
		var to *string
		if key := fields[i].Value; seen[key] {
			return Skill{}, problem(min(fields[i].Line, end), "Invalid skill", fmt.Sprintf("The front matter has %q twice. Remove one of them.", key))
		} else {
			seen[key] = true
		}
		switch fields[i].Value {
		case "name":
			to = &s.Name
		case "description":
			to = &s.Description
		default:
			continue
		}
		if v := fields[i+1]; v.Kind != yaml.ScalarNode || v.Tag != "!!str" && v.Tag != "!!null" {
			return Skill{}, problem(min(fields[i].Line, end), "Invalid skill", fmt.Sprintf("The %s is no text. Write it behind the colon, between quotes if it is a number.", fields[i].Value))
		} else if v.Tag == "!!str" {
			*to = strings.Join(strings.Fields(v.Value), " ")
		}
	}
	if s.Description == "" {
		return Skill{}, problem(0, "Missing description", "The skill has no description, by which a model chooses it. Add a line description: TEXT to the front matter.")
	}
	return s, nil
}

// Catalogue is the text that tells a model of skills; none is no text. path says how
// it is told where a file is.
func Catalogue(list []Skill, path func(string) string) string {
	if len(list) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("Skills, each with the file to read before it is used:\n\n")
	for _, s := range list {
		fmt.Fprintf(&b, "- %s: %s (%s)\n", s.Name, s.Description, line(path(s.Path)))
	}
	return b.String()
}
