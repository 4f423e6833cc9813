package settings

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/viper"

	"github.com/dsh-hcl/dsh/config/confine"
	"github.com/dsh-hcl/dsh/config/diag"
)

// formats are the endings a settings file may have; each is the name of its
// decoder too.
var formats = [...]string{"toml", "yaml", "json"}

// file reads the settings file, if there is one, and merges what is right in it.
func (l *loader) file() {
	dir := l.xdg("XDG_CONFIG_HOME", ".config")
	if dir == "" {
		return
	}
	var found []source
	for _, format := range formats {
		path := filepath.Join(dir, "dsh", "settings."+format)
		data, err := confine.ReadFile(path, maxFile)
		switch {
		case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
		case err != nil:
			l.problems = append(l.problems, diag.Errorf(diag.Range{}, "Settings file cannot be read", "%s", err))
		default:
			found = append(found, source{path: path, format: format, text: string(data)})
		}
	}
	l.nearNames(filepath.Join(dir, "dsh"))
	if len(found) > 1 {
		d := diag.Errorf(found[1].start(), "Two settings files",
			"There is also %s, and nothing says which one counts. Keep one of them.", filepath.Base(found[0].path))
		l.problems = append(l.problems, d)
	}
	if len(found) > 0 {
		l.merge(l.check(found[0]))
	}
}

// maxFile bounds a settings file, in bytes.
const maxFile = 512 << 10

// secondDocument is where a document of YAML ends and another one begins.
var secondDocument = regexp.MustCompile(`(?m)^[A-Za-z_"'{].*\n(?:.*\n)*?---`)

// check decodes a settings file and returns its entries. viper's own reading would
// accept any spelling of a key's letters, drop empty tables and nulls, and keep
// quiet about what it does not know, so only its decoders are used here.
func (l *loader) check(src source) map[string]any {
	decoder, err := viper.NewCodecRegistry().Decoder(src.format)
	if err != nil {
		panic("settings: " + err.Error()) // formats names only what viper decodes
	}
	raw := map[string]any{}
	if err := decoder.Decode([]byte(src.text), raw); err != nil {
		l.problems = append(l.problems, diag.Errorf(src.errorAt(err), "Settings file is not "+strings.ToUpper(src.format), "%s", oneLine(err)))
		return nil
	}
	if src.format == "yaml" {
		if at := secondDocument.FindStringIndex(src.text); at != nil {
			l.problems = append(l.problems, diag.Errorf(src.at(at[1]-3, 3), "Two YAML documents", "A settings file is one document, and what stands behind --- would be passed over."))
		}
	}
	if name, at, ok := src.repeated(); ok {
		l.problems = append(l.problems, diag.Errorf(at, "Setting written twice", "%q stands there already. Keep one of them.", name))
	}
	layer := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(raw)) {
		k, ok := lookup(name)
		if !ok {
			l.problems = append(l.problems, diag.Errorf(src.keyAt(name), "Unknown setting", "There is no setting %q. %s", name, advice(name)))
			continue
		}
		v, err := k.parse(l.place(filepath.Dir(src.path)), raw[name])
		if err != nil {
			l.problems = append(l.problems, diag.Errorf(src.keyAt(name), "Invalid setting", "%s %s.", name, err))
			continue
		}
		layer[name] = entry{v, src.path}
	}
	return layer
}

// oneLine folds a decoder's message.
func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

// advice names the setting that was probably meant, or all of them.
func advice(name string) string {
	best, distance := "", 3
	for _, k := range names() {
		if d := editDistance(strings.ToLower(name), k); d < distance {
			best, distance = k, d
		}
	}
	if best != "" {
		return "Did you mean " + best + "?"
	}
	return "The settings are " + strings.ReplaceAll(orList(names()), " or ", " and ") + "."
}

// editDistance is how many letters have to be put in, taken out or replaced to
// make one word of the other.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}

// ruleFileName is the rule of schema.RuleFileName; settings know no language.
const ruleFileName = "file-name"

// nearNames warns about files whose names are nearly those of a settings file.
func (l *loader) nearNames(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // what cannot be listed was not found or reported
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") || strings.HasSuffix(e.Name(), "~") {
			continue // an editor's
		}
		best, distance := "", 3
		for _, format := range formats {
			name := "settings." + format
			if d := editDistance(strings.ToLower(e.Name()), name); d < distance {
				best, distance = name, d
			}
		}
		if lower := strings.ToLower(e.Name()); lower == "settings.hcl" || lower == "settings.ini" {
			best = "settings.toml"
		}
		if best != "" && !slices.Contains(formats[:], strings.TrimPrefix(e.Name(), "settings.")) {
			l.problems = append(l.problems, diag.Warnf(ruleFileName, diag.Range{}, "File passed over",
				"%s is not read. The settings file is called settings.%s; did you mean %s?", filepath.Join(dir, e.Name()), strings.Join(formats[:], ", settings."), best))
		}
	}
}
