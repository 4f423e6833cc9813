package hclfile

import (
	"strings"
	"testing"

	"github.com/dsh-hcl/dsh/config/diag"
)

// seen evaluates an expression as the content of a prompt and returns its problems.
func seen(expr string) (diag.List, string) {
	_, sources, diags := load(map[string]string{"dsh.hcl": `
variable "pw" {
  sensitive = true
}
variable "n" {
  type      = number
  sensitive = true
}
variable "secrets" {
  type      = list(string)
  sensitive = true
}
locals {
  ident  = { a = "x", b = "y", S = "z" }
  flags  = { a = true, b = false }
  nest   = { a = { a = "x", b = "y" } }
  objs   = [{ a = "x", b = "y" }]
  list   = ["p", "q"]
  map    = tomap({ a = "x", b = "y" })
  marked = [env.S]
  result = ` + expr + `
}
provider "p" {
  protocol = "openai"
}
model "m" {
  provider = provider.p
  id       = "m"
}
agent "a" {
  model = model.m
  prefix {
    text "t" {
      content = "${jsonencode(local.result)}"
    }
  }
}
`}, map[string]string{"S": "a", "DSH_VAR_pw": "a", "DSH_VAR_n": "1", "DSH_VAR_secrets": `["a"]`})
	return diags, rendered(diags, sources)
}

// TestMarksFollow: whatever an expression does with a sensitive value, what comes
// out of it is sensitive.
func TestMarksFollow(t *testing.T) {
	for _, expr := range []string{
		`local.ident[env.S]`,
		`local.ident[var.pw]`,
		`local.ident[substr(var.pw, 0, 1)]`,
		`local.ident["${var.pw}"]`,
		`{ a = "x" }[env.S]`,
		`({ a = "x" })[env.S]`,
		`local.nest.a[env.S]`,
		`local.nest[env.S].b`,
		`local.nest[env.S]["b"]`,
		`local.nest[env.S][env.S]`,
		`local.nest["a"][env.S]`,
		`local.nest[local.marked[0]].b`,
		`merge(local.ident, { c = "w" })[env.S]`,
		`merge(local.ident)[env.S]`,
		`try(local.ident[env.S], "none")`,
		`try(local.ident[env.S].x, "none")`,
		`try({ b = "x" }[env.S], "none")`,
		`try([for k in [env.S] : local.ident[k]], "none")`,
		`try(tonumber(sensitive("a")), 1)`,
		`can(local.ident[env.S])`,
		`can({ b = "x" }[env.S])`,
		`can(tonumber(sensitive("a")))`,
		`local.objs[*][env.S]`,
		`[for o in local.objs : o[env.S]]`,
		`{ for k, o in local.nest : k => o[env.S] }`,
		`[for k in [env.S] : local.ident[k]]`,
		`[for k in local.marked : local.ident[k]]`,
		`[for k in var.secrets : local.ident[k]]`,
		`[for k, v in local.ident : k if v == env.S]`,
		`[for k, v in local.ident : k if local.flags[env.S]]`,
		`[for k in local.list : k if env.S == "a"]`,
		`{ for k in ["a", "b"] : k => 1 if k == env.S }`,
		`{ for k in ["a"] : local.ident[env.S] => 1 }`,
		`{ for k in ["a"] : "${k}${env.S}" => 1 }`,
		`{ for k in local.marked : k => 1 }`,
		`{ for k in ["a", "a"] : k => env.S... }`,
		`{ (env.S) = 1 }`,
		`{ (local.ident[env.S]) = 1 }`,
		`keys({ (env.S) = 1 })`,
		`[local.ident[env.S]]`,
		`[env.S][0]`,
		`[env.S, "b"][*]`,
		`local.ident[env.S] == "x"`,
		`!local.flags[env.S]`,
		`local.flags[env.S] ? 1 : 2`,
		`local.flags[env.S] && true`,
		`env.S == "a" ? 1 : 2`,
		`env.S == "a" ? local.list : local.list`,
		`true ? local.ident[env.S] : "w"`,
		`"%{ if local.flags[env.S] }yes%{ else }no%{ endif }"`,
		`"%{ if env.S == "a" }yes%{ endif }"`,
		`"%{ for x in [local.ident[env.S]] }${x}%{ endfor }"`,
		`"%{ for x in local.list }${x == local.ident[env.S]}%{ endfor }"`,
		`"${local.ident[env.S]}"`,
		`"x${local.ident[env.S]}y"`,
		`"x${env.S}"`,
		`<<EOT
${local.ident[env.S]}
EOT
`,
		`local.list[var.n]`,
		`local.map[env.S]`,
		`local.list[strlen(env.S == "a" ? "x" : "y") == 1 ? 0 : 1]`,
		`lookup(local.ident, env.S, "none")`,
		`lookup(local.map, env.S, "none")`,
		`lookup({ b = "x" }, env.S, "none")`,
		`element(local.list, var.n)`,
		`index(local.list, var.n)`,
		`index(local.map, env.S)`,
		`contains(["a", "b"], env.S)`,
		`hasindex(local.map, env.S)`,
		`hasindex(local.list, var.n)`,
		`sethaselement(toset(["a"]), env.S)`,
		`slice(local.list, 0, var.n)`,
		`range(var.n)`,
		`length(range(var.n))`,
		`chunklist(local.list, var.n)`,
		`strlen(env.S)`,
		`length(var.secrets)`,
		`sha256(env.S)`,
		`split(env.S, "xay")`,
		`join(env.S, local.list)`,
		`format("%s", env.S)`,
		`format(env.S)`,
		`formatlist("%s", var.secrets)`,
		`formatlist("%s-%s", local.list, env.S)`,
		`replace("a", env.S, "b")`,
		`regex(env.S, "a")`,
		`regexall(env.S, "a")`,
		`regexreplace("a", env.S, "b")`,
		`jsonencode({ a = env.S })`,
		`jsondecode("\"${env.S}\"")`,
		`csvdecode("a\n${env.S}")`,
		`coalesce(env.S, "b")`,
		`coalescelist(var.secrets, ["b"])`,
		`compact(local.marked)`,
		`concat(local.list, local.marked)`,
		`distinct(["a", env.S])`,
		`flatten([[env.S], "a"])`,
		`merge({ a = 1 }, { (env.S) = 2 })`,
		`merge({ a = env.S }, { b = 2 })`,
		`values({ a = env.S })`,
		`zipmap(local.marked, [1])`,
		`zipmap(["a"], [env.S])`,
		`zipmap(["a"], var.secrets)`,
		`reverse(local.marked)`,
		`sort(["b", env.S])`,
		`setunion(toset(["a"]), toset([env.S]))`,
		`setintersection(toset(["a"]), toset([env.S]))`,
		`setsubtract(toset(["a"]), toset([env.S]))`,
		`setsymmetricdifference(toset(["a"]), toset([env.S]))`,
		`setproduct(["a"], [env.S])`,
		`tolist(["a", env.S])`,
		`tomap({ a = env.S })`,
		`toset(["a", env.S])`,
		`tostring(var.n)`,
		`max(1, var.n)`,
		`min(1, var.n)`,
		`pow(2, var.n)`,
		`var.n + 1`,
		`-var.n`,
		`indent(var.n, "a\nb")`,
		`parseint("1${var.n}", 10)`,
		`title(env.S)`,
		`assertnotnull(env.S)`,
		`sensitive(local.ident).a`,
		`sensitive(local.ident)["a"]`,
		`values(sensitive(local.ident))`,
		`length(sensitive(local.list))`,
		`[for k, v in sensitive(local.ident) : "x"]`,
		`sensitive(local.objs)[*].a`,
		`nonsensitive(local.ident)[env.S]`,
		`local.ident[nonsensitive("a") == env.S ? "a" : "b"]`,
	} {
		diags, text := seen(expr)
		if !strings.Contains(text, "Sensitive value would be seen") {
			t.Errorf("%s is not sensitive: %v\n%s", expr, diags.Err(), text)
		}
	}
}

// TestNonsensitiveEnds: the word of the author still counts.
func TestNonsensitiveEnds(t *testing.T) {
	for _, expr := range []string{
		`nonsensitive(local.ident[env.S])`,
		`nonsensitive("${local.ident[env.S]}")`,
		`local.ident[nonsensitive(env.S)]`,
		`[for k in ["a"] : local.ident[k]]`,
		`[for o in local.objs[*] : o["a"]]`,
	} {
		if diags, text := seen(expr); diags.HasErrors() {
			t.Errorf("%s:\n%s", expr, text)
		}
	}
}
