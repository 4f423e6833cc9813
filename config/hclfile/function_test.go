package hclfile

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/config/diag"
	"github.com/dsh-hcl/dsh/schema"
)

// TestFunctionsAreDocumented keeps the functions and their table equal.
func TestFunctionsAreDocumented(t *testing.T) {
	source, err := os.ReadFile("function.go")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]bool{}
	for _, f := range schema.Functions() {
		documented[f.Name] = true
		if _, ok := lookupFunction(f.Name); !ok {
			t.Errorf("%s is documented and does not exist", f.Name)
		}
	}
	cases := 0
	for _, line := range regexp.MustCompile(`(?m)^\tcase (.*):$`).FindAllStringSubmatch(string(source), -1) {
		for _, name := range regexp.MustCompile(`"(\w+)"`).FindAllStringSubmatch(line[1], -1) {
			if cases++; !documented[name[1]] {
				t.Errorf("%s is not documented", name[1])
			}
		}
	}
	if cases != len(documented) {
		t.Errorf("%d functions, %d of them documented", cases, len(documented))
	}
}

// evaluated is the loader after it read locals.
func evaluated(text string, env map[string]string, files memory) *loader {
	if files == nil {
		files = memory{}
	}
	files[testDir+"/dsh.hcl"] = text
	l := newLoader(options(files, env), schema.Language(), "a configuration file")
	l.dir, l.workspace = testDir, testWorkspace
	l.readFolder()
	root := l.openAll()
	l.declareVariables(root)
	l.declareLocals(root)
	return l
}

func TestFunctionValues(t *testing.T) {
	files := memory{testDir + "/a.txt": "héllo\n", testDir + "/mark.txt": "\ufeffx"}
	for expr, want := range map[string]string{
		`abs(-2)`:                                              `2`,
		`ceil(1.2) + floor(1.8) + int(-1.5)`:                   `2`,
		`chunklist(["a", "b", "c"], 2)`:                        `[["a","b"],["c"]]`,
		`coalesce(null, "x")`:                                  `"x"`,
		`concat([1], ["a"])`:                                   `[1,"a"]`,
		`contains(["a"], "a")`:                                 `true`,
		`csvdecode("a,b\n1,2")`:                                `[{"a":"1","b":"2"}]`,
		`distinct(["a", "a"])`:                                 `["a"]`,
		`element(["a", "b"], 3)`:                               `"b"`,
		`file("a.txt")`:                                        `"héllo\n"`,
		`file("${path.config}/a.txt")`:                         `"héllo\n"`,
		`flatten([[1], [2, [3]]])`:                             `[1,2,3]`,
		`format("%s-%03d", "a", 7)`:                            `"a-007"`,
		`formatdate("YYYY-MM-DD", "2026-01-02T03:04:05Z")`:     `"2026-01-02"`,
		`indent(2, "a\nb")`:                                    `"a\n  b"`,
		`join("-", ["a", "b"])`:                                `"a-b"`,
		`jsondecode("{\"a\":[1,null]}")`:                       `{"a":[1,null]}`,
		`jsonencode({ b = "<&>", a = [1.5, true, null] })`:     `"{\"a\":[1.5,true,null],\"b\":\"<&>\"}"`,
		`keys({ b = 1, a = 2 })`:                               `["a","b"]`,
		`lookup({ a = 1 }, "b", 2)`:                            `2`,
		`merge({ a = 1 }, { a = 2, b = 3 })`:                   `{"a":2,"b":3}`,
		`range(3)`:                                             `[0,1,2]`,
		`regex("[a-z]+", "12ab3")`:                             `"ab"`,
		`regexreplace("a1", "([0-9])", "<$1>")`:                `"a<1>"`,
		`replace("aXb", "X", "-")`:                             `"a-b"`,
		`reverse([1, 2])`:                                      `[2,1]`,
		`setunion(["b"], ["a"])`:                               `["a","b"]`,
		`sha256("abc")`:                                        `"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"`,
		`sort(["b", "a"])`:                                     `["a","b"]`,
		`split(",", "a,b")`:                                    `["a","b"]`,
		`strlen("👨‍👩‍👧é")`:                                     `2`,
		`strrev("abc")`:                                        `"cba"`,
		`substr("hello", 1, 3)`:                                `"ell"`,
		`timeadd("2026-01-01T00:00:00Z", "1h")`:                `"2026-01-01T01:00:00Z"`,
		`tonumber("12") + 1`:                                   `13`,
		`tostring(1)`:                                          `"1"`,
		`trimspace("  a ")`:                                    `"a"`,
		`try(nothing.x, 1)`:                                    ``,
		`try({}.x, tonumber("x"), "last")`:                     `"last"`,
		`can(tonumber("x"))`:                                   `false`,
		`can(tonumber("1"))`:                                   `true`,
		`zipmap(["a"], [1])`:                                   `{"a":1}`,
		`nonsensitive(env.LANG)`:                               `"C"`,
		`try(env.UNSET, "none")`:                               `"none"`,
		`[for k, v in { b = 1, a = 2 } : "${k}${v}" if v > 1]`: `["a2"]`,
		`"%{ if true ~} yes %{ else }no%{ endif }"`:            `"yes "`,
	} {
		l := evaluated("locals {\n  x = "+expr+"\n}\n", map[string]string{"LANG": "C"}, files)
		got := ""
		if v := l.locals["x"].value; v != cty.NilVal {
			got = canonical(v)
		}
		if got != want || (want == "") != l.diags.HasErrors() {
			t.Errorf("%s is %s, want %s\n%s", expr, got, want, rendered(l.diags, l.sources))
		}
	}
}

const canary = "zq7.secret-value"

// shows reports whether a text shows the canary, as it is or changed by a
// function.
func shows(text string) bool {
	text = strings.ToLower(text)
	return strings.Contains(text, "zq7") || strings.Contains(text, "secret-value") || strings.Contains(text, "7qz")
}

// arguments are what functions are called with; a secret is in those that read
// the environment.
var arguments = []string{
	`env.TOKEN`, `[env.TOKEN, "b"]`, `{ a = env.TOKEN }`, `split("", env.TOKEN)`, `{ "${nonsensitive("k")}" = [env.TOKEN] }`, `sensitive(env.TOKEN)`,
	`1`, `"x"`, `"%d %s"`, `["a", "b"]`, `[1, [2]]`, `{ a = 1, k = "x" }`, `true`, `null`, `"2026-01-02T03:04:05Z"`,
}

// argumentLists are the argument lists that a function could take, up to three
// arguments.
func argumentLists(name string) []string {
	f, _ := lookupFunction(name)
	fixed, variadic := 1, false
	if name != "file" && name != "sensitive" {
		fixed, variadic = len(f.Params()), f.VarParam() != nil
	}
	takes := func(n int) bool { return n == fixed || variadic && n >= fixed }
	var lists []string
	for _, a := range arguments {
		if takes(1) {
			lists = append(lists, a, a+"...")
		}
		for _, b := range arguments {
			if takes(2) {
				lists = append(lists, a+", "+b)
			}
		}
	}
	if takes(3) {
		for _, a := range arguments[:4] {
			for _, b := range arguments {
				for _, c := range arguments[4:10] {
					lists = append(lists, a+", "+b+", "+c, b+", "+a+", "+c, c+", "+b+", "+a)
				}
			}
		}
	}
	return lists
}

// TestFunctionsKeepSecrets calls every function with a secret in every place, with
// two different secrets. No message shows one, and a result that depends on the
// secret is marked.
func TestFunctionsKeepSecrets(t *testing.T) {
	const other = "zq7.another"
	calls := 0
	for _, f := range schema.Functions() {
		if f.Name == "nonsensitive" {
			continue
		}
		lists := argumentLists(f.Name)
		var text strings.Builder
		text.WriteString("locals {\n")
		for i, args := range lists {
			fmt.Fprintf(&text, "  x%d = %s(%s)\n", i, f.Name, args)
		}
		text.WriteString("}\n")
		one := evaluated(text.String(), map[string]string{"TOKEN": canary}, nil)
		two := evaluated(text.String(), map[string]string{"TOKEN": other}, nil)
		calls += len(lists)
		if one.blind || len(one.locals) != len(lists) {
			t.Fatalf("%s: the test itself cannot be read:\n%s", f.Name, rendered(one.diags, one.sources))
		}
		for i, args := range lists {
			name := fmt.Sprintf("x%d", i)
			a, b := one.locals[name].value, two.locals[name].value
			if a == cty.NilVal || b == cty.NilVal {
				continue
			}
			plainA, marksA := marksOf(a)
			plainB, marksB := marksOf(b)
			if !plainA.RawEquals(plainB) && (len(marksA) == 0 || len(marksB) == 0) {
				t.Errorf("%s(%s) depends on the secret and is not marked", f.Name, args)
			}
		}
		// Without the sources: snippets cost too much for so many problems.
		checkSilent(t, f.Name, one.diags, nil)
	}
	if calls < 5000 {
		t.Errorf("only %d calls were tried", calls)
	}
}

func checkSilent(t *testing.T, what string, diags diag.List, sources diag.Sources) {
	t.Helper()
	for _, d := range diags {
		var b strings.Builder
		if err := diag.JSON(&b, diag.List{d}, sources); err != nil {
			t.Fatal(err)
		}
		if shows(b.String()) || shows(rendered(diag.List{d}, sources)) {
			t.Fatalf("%s shows the secret:\n%s", what, rendered(diag.List{d}, sources))
		}
	}
}

// FuzzSecretsStaySecret evaluates expressions over a secret.
func FuzzSecretsStaySecret(f *testing.F) {
	for _, seed := range []string{
		`env.TOKEN`, `tonumber(env.TOKEN)`, `{ a = 1 }[env.TOKEN]`, `[for c in split("", env.TOKEN) : tonumber(c)]`,
		`{ for c in split("", env.TOKEN) : c => c }`, `local.m[env.TOKEN]`, `"${local.m}${env.TOKEN}"`, `env.TOKEN ? 1 : 2`,
		`regex(env.TOKEN, "x")`, `try(tonumber(env.TOKEN))`, `jsondecode("{${env.TOKEN}}")`, `local.o.x.y`, `env.TOKEN.x`, `-env.TOKEN`,
		`local.m[*][env.TOKEN]`, `env[env.TOKEN]`, `range(local.o...)`, `format(env.TOKEN)`, `upper(local.l[0])`, `file(env.TOKEN)`,
		"<<E\n${tonumber(env.TOKEN)}\nE\n", `"%{ for x in env.TOKEN }%{ endfor }"`, `env.TOKEN == local.m`, `(env.TOKEN)`, `path[env.TOKEN]`,
		`[for k, v in { a = env.TOKEN } : parseint(v, 10)]`, `"${local.m.A}"`, `merge(env.TOKEN, local.o)`, `sensitive(1) + env.TOKEN`, `formatdate(env.TOKEN, env.TOKEN)`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, expr string) {
		if strings.Contains(expr, "nonsensitive") || shows(expr) || len(expr) > 2000 {
			return
		}
		text := "locals {\n  m = { (env.TOKEN) = env.TOKEN }\n  o = { x = env.TOKEN }\n  l = [env.TOKEN, 1]\n  fuzz = " + expr + "\n}\n" +
			"provider \"p\" {\n  protocol = \"openai\"\n}\nmodel \"m\" {\n  provider = provider.p\n  id = local.fuzz\n}\nagent \"a\" {\n  model = model.m\n}\n"
		m := memory{testDir + "/dsh.hcl": text}
		cfg, sources, diags := Load(testDir, testWorkspace, options(m, map[string]string{"TOKEN": canary}))
		checkSilent(t, expr, diags, sources)
		if cfg != nil && slices.ContainsFunc(cfg.Models, func(m config.Model) bool { return shows(m.ID.V) }) {
			t.Errorf("%s lets the secret through", expr)
		}
	})
}
