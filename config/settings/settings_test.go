package settings

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-hcl/dsh/config/diag"
)

// machine is a home folder and a working directory with a settings file or more.
type machine struct {
	home string
	opts Options
}

func newMachine(t *testing.T, env map[string]string, flags map[string]string, files ...[2]string) machine {
	t.Helper()
	home := t.TempDir()
	dir := filepath.Join(home, ".config", "dsh")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(dir, f[0]), []byte(f[1]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	lookup := func(name string) (string, bool) {
		v, ok := env[name]
		return strings.ReplaceAll(v, "HOME", home), ok
	}
	return machine{home: home, opts: Options{Flags: flags, Env: lookup, Home: home, Dir: "/work"}}
}

// show renders settings and problems with the home folder as HOME.
func (m machine) show(s Settings, problems diag.List) string {
	var b strings.Builder
	fmt.Fprintf(&b, "store %s (%s)\n", s.Store.V, s.Store.Origin)
	fmt.Fprintf(&b, "color %s (%s)\n", s.Color.V, s.Color.Origin)
	fmt.Fprintf(&b, "agent %s (%s)\n", s.Agent.V, s.Agent.Origin)
	fmt.Fprintf(&b, "trusted_paths %s (%s)\n", strings.Join(s.TrustedPaths.V, " "), s.TrustedPaths.Origin)
	return strings.ReplaceAll(b.String(), m.home, "HOME") + m.problems(problems)
}

func (m machine) problems(problems diag.List) string {
	var b strings.Builder
	for _, d := range problems {
		if !d.Subject.IsZero() {
			fmt.Fprintf(&b, "%s: ", d.Subject)
		}
		fmt.Fprintf(&b, "%s: %s: %s\n", d.Severity, d.Summary, d.Detail)
	}
	return strings.ReplaceAll(b.String(), m.home, "HOME")
}

func TestLayers(t *testing.T) {
	toml := [2]string{"settings.toml", `
store = "~/sessions"
color = "never"
agent = "reviewer"
trusted_paths = ["/opt/skills", "~/skills", "near", "~"]
`}
	const fromFile = "HOME/.config/dsh/settings.toml"
	for _, tt := range []struct {
		name  string
		env   map[string]string
		flags map[string]string
		files [][2]string
		want  string
	}{
		{
			name: "defaults",
			want: `store HOME/.local/state/dsh (default)
color auto (default)
agent  (default)
trusted_paths  (default)
`,
		},
		{
			name: "state folder",
			env:  map[string]string{"XDG_STATE_HOME": "/var/state/"},
			want: `store /var/state/dsh (default)
color auto (default)
agent  (default)
trusted_paths  (default)
`,
		},
		{
			name: "relative folders of XDG are ignored",
			env:  map[string]string{"XDG_STATE_HOME": "state", "XDG_CONFIG_HOME": "config"},
			want: `store HOME/.local/state/dsh (default)
color auto (default)
agent  (default)
trusted_paths  (default)
`,
		},
		{
			name:  "file",
			files: [][2]string{toml},
			want: `store HOME/sessions (` + fromFile + `)
color never (` + fromFile + `)
agent reviewer (` + fromFile + `)
trusted_paths /opt/skills HOME/skills HOME/.config/dsh/near HOME (` + fromFile + `)
`,
		},
		{
			name:  "environment over file",
			env:   map[string]string{"DSH_STORE": "rel", "DSH_COLOR": "always", "DSH_TRUSTED_PATHS": "/a:~/b:c", "DSH_AGENT": "", "DSH_OTHER": "x"},
			files: [][2]string{toml},
			want: `store /work/rel (DSH_STORE)
color always (DSH_COLOR)
agent reviewer (` + fromFile + `)
trusted_paths /a HOME/b /work/c (DSH_TRUSTED_PATHS)
`,
		},
		{
			name:  "flag over environment",
			env:   map[string]string{"DSH_STORE": "rel", "DSH_COLOR": "always", "DSH_AGENT": "x"},
			flags: map[string]string{"store": "/flag/../s", "color": "auto", "agent": "y", "trusted_paths": "here"},
			files: [][2]string{toml},
			want: `store /s (flag)
color auto (flag)
agent y (flag)
trusted_paths /work/here (flag)
`,
		},
		{
			name:  "yaml",
			files: [][2]string{{"settings.yaml", "# mine\nagent: ops\ntrusted_paths:\n  - /x\n"}},
			want: `store HOME/.local/state/dsh (default)
color auto (default)
agent ops (HOME/.config/dsh/settings.yaml)
trusted_paths /x (HOME/.config/dsh/settings.yaml)
`,
		},
		{
			name:  "json",
			files: [][2]string{{"settings.json", `{"color": "always", "trusted_paths": []}`}},
			want: `store HOME/.local/state/dsh (default)
color always (HOME/.config/dsh/settings.json)
agent  (default)
trusted_paths  (HOME/.config/dsh/settings.json)
`,
		},
		{
			name:  "empty files",
			files: [][2]string{{"settings.yaml", "# nothing\n"}},
			want: `store HOME/.local/state/dsh (default)
color auto (default)
agent  (default)
trusted_paths  (default)
`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := newMachine(t, tt.env, tt.flags, tt.files...)
			if diff := cmp.Diff(tt.want, m.show(Load(m.opts))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestConfigHome(t *testing.T) {
	m := newMachine(t, map[string]string{"XDG_CONFIG_HOME": "HOME/xdg"}, nil, [2]string{"settings.toml", `agent = "wrong"`})
	if err := os.MkdirAll(m.home+"/xdg/dsh", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(m.home+"/xdg/dsh/settings.toml", []byte(`agent = "right"`), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, problems := Load(m.opts); s.Agent.V != "right" || problems != nil {
		t.Errorf("%+v %v", s.Agent, problems)
	}
}

func TestProblems(t *testing.T) {
	const path = "HOME/.config/dsh/settings."
	for _, tt := range []struct {
		name  string
		env   map[string]string
		flags map[string]string
		files [][2]string
		want  string
	}{
		{
			name:  "everything at once",
			env:   map[string]string{"DSH_COLOR": "purple"},
			flags: map[string]string{"color": "loud", "store": ""},
			files: [][2]string{{"settings.toml", "agent = \"a\"\ncolour = \"never\"\nstore = 3\ntrusted_paths = \"/a /b\"\nlog_level = \"debug\"\n"}},
			want: `error: Invalid setting: DSH_COLOR is "purple", but must be auto, always or never.
error: Invalid setting: --store must not be empty.
error: Invalid setting: --color is "loud", but must be auto, always or never.
` + path + `toml:2,1: error: Unknown setting: There is no setting "colour". Did you mean color?
` + path + `toml:3,1: error: Invalid setting: store must be a string.
` + path + `toml:4,1: error: Invalid setting: trusted_paths must be a list of strings.
` + path + `toml:5,1: error: Unknown setting: There is no setting "log_level". The settings are store, color, agent and trusted_paths.
`,
		},
		{
			name:  "what viper would let pass",
			files: [][2]string{{"settings.toml", "Store = \"/a\"\n\"color.x\" = 1\n[agent]\nname = \"a\"\n[empty]\n"}},
			want: path + `toml:1,1: error: Unknown setting: There is no setting "Store". Did you mean store?
` + path + `toml:2,1: error: Unknown setting: There is no setting "color.x". Did you mean color?
` + path + `toml:3,2: error: Invalid setting: agent must be a string.
` + path + `toml:5,2: error: Unknown setting: There is no setting "empty". The settings are store, color, agent and trusted_paths.
`,
		},
		{
			name:  "yaml",
			files: [][2]string{{"settings.yaml", "agent: reviewer\nnested:\n  store: x\nstore: 1\nnothing:\ntrusted_paths: [/a, '']\ncolor: no\n"}},
			want: path + `yaml:2,1: error: Unknown setting: There is no setting "nested". The settings are store, color, agent and trusted_paths.
` + path + `yaml:4,1: error: Invalid setting: store must be a string.
` + path + `yaml:5,1: error: Unknown setting: There is no setting "nothing". The settings are store, color, agent and trusted_paths.
` + path + `yaml:6,1: error: Invalid setting: trusted_paths must be a list of strings, none of them empty.
` + path + `yaml:7,1: error: Invalid setting: color is "no", but must be auto, always or never.
`,
		},
		{
			name:  "flow yaml",
			files: [][2]string{{"settings.yaml", "{ sotre: x }\n"}},
			want: path + `yaml:1,3: error: Unknown setting: There is no setting "sotre". Did you mean store?
`,
		},
		{
			name:  "json",
			files: [][2]string{{"settings.json", "{\n  \"trusted_paths\": [{\"agent\": 1}], \"é\": 1,\n  \"agent\": \"\",\n  \"agent\": \"\"\n}"}},
			want: path + `json:2,3: error: Invalid setting: trusted_paths must be a list of strings, none of them empty.
` + path + `json:2,36: error: Unknown setting: There is no setting "é". The settings are store, color, agent and trusted_paths.
` + path + `json:3,3: error: Invalid setting: agent must not be empty.
` + path + `json:4,3: error: Setting written twice: "agent" stands there already. Keep one of them.
`,
		},
		{
			name:  "not toml",
			files: [][2]string{{"settings.toml", "agent = \"a\"\n\nstore = \n"}},
			want: path + `toml:3,1: error: Settings file is not TOML: toml: incomplete number
`,
		},
		{
			name:  "not yaml",
			files: [][2]string{{"settings.yaml", "agent: a\nagent: b\n"}},
			want: path + `yaml:2,1: error: Settings file is not YAML: yaml: unmarshal errors: line 2: mapping key "agent" already defined at line 1
`,
		},
		{
			name:  "not json",
			files: [][2]string{{"settings.json", "{\n  \"agent\": x\n}"}},
			want: path + `json:2,12: error: Settings file is not JSON: invalid character 'x' looking for beginning of value
`,
		},
		{
			name:  "empty json",
			files: [][2]string{{"settings.json", ""}},
			want: path + `json:1,1: error: Settings file is not JSON: unexpected end of JSON input
`,
		},
		{
			name:  "two files",
			files: [][2]string{{"settings.json", "{}"}, {"settings.toml", ""}},
			want: path + `json:1,1: error: Two settings files: There is also settings.toml, and nothing says which one counts. Keep one of them.
`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := newMachine(t, tt.env, tt.flags, tt.files...)
			_, problems := Load(m.opts)
			if diff := cmp.Diff(tt.want, m.problems(problems)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A wrong value falls back to the next layer, so that what follows can still be
// shown in the right colour and the rest be reported.
func TestWrongValueFallsThrough(t *testing.T) {
	m := newMachine(t, map[string]string{"DSH_COLOR": "purple"}, nil, [2]string{"settings.toml", "color = \"never\"\nstore = 1\n"})
	s, problems := Load(m.opts)
	if s.Color.V != "never" || s.Store.V != filepath.Join(m.home, ".local/state/dsh") || len(problems) != 2 {
		t.Errorf("%+v %v", s, problems)
	}
}

func TestUnreadableFile(t *testing.T) {
	m := newMachine(t, nil, nil)
	if err := os.Mkdir(filepath.Join(m.home, ".config/dsh/settings.toml"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, problems := Load(m.opts); len(problems) != 1 || problems[0].Summary != "Settings file cannot be read" {
		t.Errorf("got %v", problems)
	}
}

func TestNoHome(t *testing.T) {
	m := newMachine(t, nil, nil)
	m.opts.Home = ""
	s, problems := Load(m.opts)
	if s.Store.V != "" || len(problems) != 0 {
		t.Errorf("%+v %v", s, problems)
	}
	m.opts.Flags = map[string]string{"store": "/s", "trusted_paths": "~/x"}
	s, problems = Load(m.opts)
	if s.Store.V != "/s" || len(problems) != 1 || !strings.Contains(problems[0].Detail, "no home folder") {
		t.Errorf("%+v %v", s, problems)
	}
}

// HOME=/dev/null is how some jobs say that there is no home.
func TestHomeIsNoFolder(t *testing.T) {
	m := newMachine(t, nil, nil)
	m.opts.Home = os.DevNull
	if _, problems := Load(m.opts); problems != nil {
		t.Errorf("got %v", problems)
	}
}

func TestUnknownFlagPanics(t *testing.T) {
	m := newMachine(t, nil, map[string]string{"stroe": "x"})
	defer func() {
		if recover() == nil {
			t.Error("a flag that is no setting was ignored")
		}
	}()
	Load(m.opts)
}

func TestEditDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"", "ab", 2}, {"color", "colour", 1}, {"stroe", "store", 2}, {"agent", "agent", 0}, {"kitten", "sitting", 3}} {
		if got := editDistance(tt.a, tt.b); got != tt.want {
			t.Errorf("%s, %s: %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

// TestNearNames: a file that was probably meant to be the settings is pointed out.
func TestNearNames(t *testing.T) {
	for name, near := range map[string]bool{"settings.yml": true, "Settings.toml": true, "setting.json": true, "settings.JSON": true,
		"trust.json": false, "settings.toml~": false, ".settings.yaml": false, "settings.toml.bak": false} {
		m := newMachine(t, nil, nil, [2]string{name, "color = 1"})
		_, problems := Load(m.opts)
		if got := strings.Contains(m.problems(problems), "warning: File passed over: HOME/.config/dsh/"+name+" is not read."); got != near || len(problems) > 1 {
			t.Errorf("%s: %s", name, m.problems(problems))
		}
	}
}

// TestEntries: every setting is listed, with the value and origin of its field.
func TestEntries(t *testing.T) {
	m := newMachine(t, map[string]string{"DSH_TRUSTED_PATHS": "/a:/b"}, map[string]string{"store": "/s"}, [2]string{"settings.toml", "color = \"never\"\n"})
	s, problems := Load(m.opts)
	if len(problems) > 0 {
		t.Fatal(m.problems(problems))
	}
	var got []string
	for _, e := range s.Entries() {
		got = append(got, fmt.Sprintf("%s %q %v %s", e.Name, e.Values, e.List, strings.ReplaceAll(e.Origin, m.home, "HOME")))
	}
	want := []string{
		`store ["/s"] false flag`,
		`color ["never"] false HOME/.config/dsh/settings.toml`,
		`agent [] false default`,
		`trusted_paths ["/a" "/b"] true DSH_TRUSTED_PATHS`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if len(got) != len(names()) {
		t.Errorf("%d of %d settings are listed", len(got), len(names()))
	}
}
