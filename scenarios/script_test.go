package scenarios

import (
	"strings"
	"testing"
)

// TestPrograms: whatever testscript runs as a program, or lets reach outside of the
// scenario's folder, is found, in whatever way it is written.
func TestPrograms(t *testing.T) {
	for _, c := range []string{
		"exec true", "! exec true", "[unix] exec true", "'exec' true", "ex'ec' true", "$V true", "? exec true",
		"rm /tmp", "'rm' /tmp", "cp a /tmp/b", "cp /etc/passwd a", "cp a $A/x", "cp a ../b", "mv a $WORKS", "mkdir $WORK/../a", "cd /", "unquote /a", "chmod 777 /a", "symlink a -> /b",
		"env WORK=/tmp", "env WO'RK'=/tmp", "env $A=/tmp", "env HOME=/root", "env DSH_STORE=/tmp/x", "env XDG_STATE_HOME=..",
		"grep x /etc/passwd", "grep -count=1 x ../a", "stdin /dev/zero", "exists /etc/passwd", "cmp a /etc/passwd", "send @/dev/zero", "send @../a", "steer @/a", "inject -source x @/a",
		"agent a -config /etc", "agent a -model $HOME/x", "dsh check /etc", "dsh run --config=/etc x", "dsh sessions import ../../x", "session a /b",
	} {
		if lines, _ := Programs([]byte(c + "\n")); len(lines) != 1 || lines[0] == "" {
			t.Errorf("%q needs no trust", c)
		}
	}
	for _, c := range []string{
		"cp a b", "cp $PROJECT/a b", "cp $WORK/a $WORK/b", "rm 'a b'", "mkdir a/b", "env A=/tmp", "env HOME=$WORK/home", "grep '^/etc' a", "exists $PROJECT/dsh.hcl", "cmp stdout want",
		"send '/help me'", "send 'see ../a and /b'", "send hello", "send @prompt.txt", "agent a -model m.hcl -config $PROJECT", "dsh run 'what is /etc?'", "dsh test $PROJECT", "# exec true", "stdout exec",
	} {
		if lines, _ := Programs([]byte(c + "\n")); len(lines) != 0 {
			t.Errorf("%q needs trust", c)
		}
	}
	lines, numbers := Programs([]byte("send x\n\n  exec true # why\n"))
	if len(lines) != 1 || lines[0] != "exec true # why" || numbers[0] != 3 {
		t.Errorf("%q at %v", lines, numbers)
	}
}

func TestWords(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"a  b\tc", "a|b|c"}, {"'a b' c", "a b|c"}, {"'it''s'", "it's"}, {"a'b'c", "abc"}, {"''", ""}, {"a '' b", "a||b"}, {"a # b", "a"}, {"a 'b#c'", "a|b#c"}, {"'$A'$B", "$A$B($B)"},
		{"${A}x", "${A}x($A)"}, {"", "-"},
	} {
		var got []string
		for _, w := range wordsOf(c.line) {
			s := w.text
			for _, v := range w.variables {
				s += "($" + v + ")"
			}
			got = append(got, s)
		}
		if s := strings.Join(got, "|"); s != c.want && (len(got) > 0 || c.want != "-") {
			t.Errorf("%q is %q, not %q", c.line, s, c.want)
		}
	}
}
