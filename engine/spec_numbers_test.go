package engine_test

// The cases of spec/loop.md section 9 about loop and prefix that do not apply to
// this design, each with the reason:
//
//	L15  a contributor is given no list that it could write to
//	L43  no seam replaces messages of the history
//	L46  the body of a request has no setter
//	L52  system and tools are frozen, so no delta has them; the codec is in engine/header
//	L63  there is no instance without a session of a store
//	S5   variables belong to package contrib
//	S33  nobody is told of a queued prompt: Send returns when it is queued
//	S50  content is encoded when it is made
//	S54  nobody is told of a change of status
//	X2   system and tools are frozen: a delta has the configuration only (S16)
//	X24  nothing but the instance appends header events
//
// L64 to L99 are about the header's codec, the fold and forks: engine/header,
// engine/session and engine/store have them.

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// numbers are the cases there are; the numbering of the spec has gaps.
const numbers = `
	L2 L3 L4 L6 L7 L8 L10 L11 L12 L14 L15 L16 L18 L19 L20 L22 L23
	L24 L26 L27 L28 L30 L31 L32 L34 L35 L36 L38 L39 L40
	L42 L43 L44 L46 L47 L48 L50 L51 L52 L54 L55 L56 L58 L59 L60 L62 L63
	L139 L140 L142 L143 L144 L146 L147 L148 L150 L151 L152 L154 L155 L156 L158
	L159 L160 L162 L163 L164 L166 L167 L168 L170 L171 L172 L174 L175 L176 L178 L179 L180 L182 L183 L184 L186 L187 L188
	L190 L191 L192 L194 L195 L196 L198 L199 L200 L202 L203 L204 L206 L207 L208 L210 L211 L212 L214 L215 L216 L218 L219 L220
	L222 L223 L224 L226 L227 L228 L230 L231 L232 L234 L235 L236 L238 L239 L240 L242 L243 L244 L246 L247 L248 L250 L251
	S1 S2 S3 S4 S5 S6 S7 S8 S9 S10 S11 S12 S13 S14 S15 S16 S17 S18 S19 S20
	S21 S22 S23 S24 S25 S26 S27 S28 S29 S30 S31 S32 S33 S34 S35 S36 S37 S38 S39 S40
	S41 S42 S43 S44 S45 S46 S47 S48 S49 S50 S51 S52 S53 S54 S55 S56 S57
	X2 X3 X4 X6 X7 X8 X10 X11 X12 X14 X15 X16 X18 X19 X20 X22 X23 X24 X26 X27`

// Every number is the name of a test or stands in the table, and not in both.
func TestEveryNumberIsThere(t *testing.T) {
	files, err := filepath.Glob("spec_*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	numberOf := regexp.MustCompile(`^"([LSX]\d+)[ "]`)
	row := regexp.MustCompile(`(?m)^\t([LSX]\d+) +\S`)
	tested, excused := map[string]bool{}, map[string]bool{}
	for _, file := range append(files, filepath.Join("loop", "spec_test.go"), filepath.Join("compact", "spec_test.go")) {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, group := range f.Comments {
			for _, m := range row.FindAllStringSubmatch(group.Text(), -1) {
				excused[m[1]] = true
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			name := func(e ast.Expr) {
				if lit, ok := e.(*ast.BasicLit); ok {
					if m := numberOf.FindStringSubmatch(lit.Value); m != nil {
						tested[m[1]] = true
					}
				}
			}
			switch n := n.(type) {
			case *ast.CallExpr: // numbered(t, "S1 …", …) and t.Run("S1 …", …), the name made of parts or not
				for _, arg := range n.Args {
					for b, ok := arg.(*ast.BinaryExpr); ok; b, ok = arg.(*ast.BinaryExpr) {
						arg = b.X
					}
					name(arg)
				}
			case *ast.KeyValueExpr: // a table of names
				name(n.Key)
			}
			return true
		})
	}
	known := map[string]bool{}
	for _, n := range strings.Fields(numbers) {
		known[n] = true
		switch {
		case !tested[n] && !excused[n]:
			t.Errorf("%s is neither a test nor in the table", n)
		case tested[n] && excused[n]:
			t.Errorf("%s is a test and in the table", n)
		}
	}
	for _, found := range []map[string]bool{tested, excused} {
		for n := range found {
			if !known[n] {
				t.Errorf("the spec has no %s", n)
			}
		}
	}
	t.Logf("%d numbers, %d tested, %d in the table", len(known), len(tested), len(excused))
}
