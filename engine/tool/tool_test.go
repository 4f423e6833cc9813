package tool_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/permit"
	"github.com/dsh-hcl/dsh/engine/proc"
	"github.com/dsh-hcl/dsh/engine/tool"
	"github.com/dsh-hcl/dsh/engine/tool/command"
)

func echo(ran *[]string) tool.Tool {
	return tool.Tool{
		Schema: msg.Tool{Name: "echo", Description: "Echoes.", Parameters: `{"type":"object","properties":{"n":{"type":"integer","minimum":1},"s":{"enum":["a","b"]}},"required":["n"],"additionalProperties":false}`},
		Run: func(_ context.Context, args canon.Value) tool.Outcome {
			*ran = append(*ran, args.Raw())
			return tool.Text(args.Raw())
		},
	}
}

// Arguments that are not JSON, or do not fit, run nothing and are told.
func TestArguments(t *testing.T) {
	var ran []string
	s := tool.NewSet(echo(&ran))
	for arguments, want := range map[string]string{
		``: "are not JSON", `{`: "are not JSON", `[]`: "are not a JSON object", `{} {}`: "are not JSON", `{"n":1,"n":2}`: "have the member n twice", `{"n":1,"s":[{"a":1,"\u0061":2}]}`: "have the member a twice", `{"n":"1"}`: "do not fit its schema: ",
		`{"n":0}`: "do not fit its schema: ", `{"n":1.5}`: "do not fit its schema: ", `{"n":1,"x":1}`: "do not fit its schema: ", `{"n":1,"s":"c"}`: "do not fit its schema: ", `{}`: "do not fit its schema: ",
		"{\"n\":1,\"s\":\"\xff\"}": "are not JSON", `{"n":1,"s":"\ud800"}`: "",
	} {
		out := s.Run(context.Background(), msg.ToolCall{Name: "echo", Arguments: arguments})
		e, _ := out.Error.Get()
		text := out.Content.Text()
		if !out.IsError || e.Code != tool.CodeArguments || !strings.HasPrefix(text, "Error: the arguments of echo "+want) {
			t.Errorf("%q: %q %s", arguments, text, e.Code)
		}
		if v := s.Permit(permit.Policy{Deny: []permit.Rule{{Tool: "echo"}}}, msg.ToolCall{Name: "echo", Arguments: arguments}); v.Decision != permit.Allow {
			t.Errorf("%q: somebody is asked about what cannot run", arguments)
		}
	}
	if len(ran) > 0 {
		t.Fatalf("it ran: %q", ran)
	}
	out := s.Run(context.Background(), msg.ToolCall{Name: "echo", Arguments: " { \"s\" : \"a\",\n\"n\" : 2.0 } "})
	if out.IsError || len(ran) != 1 {
		t.Errorf("%+v", out)
	}
	if out := s.Run(context.Background(), msg.ToolCall{Name: "nothing", Arguments: "{}"}); !out.IsError {
		t.Errorf("an unknown tool: %+v", out)
	}
}

// A command reads its arguments as one line, and how it ended is told.
func TestCommand(t *testing.T) {
	result := proc.Result{Stdout: []byte("out\n"), Stderr: []byte("err")}
	var input string
	s := tool.NewSet(command.Tool(command.Declared{Name: "c", Description: "d", Input: `{"type":"object"}`, Bounds: tool.Bounds{Timeout: time.Second, MaxOutput: 7},
		Run: func(_ context.Context, in []byte) proc.Result { input = string(in); return result }}))
	for _, c := range []struct {
		result           proc.Result
		text, code, meta string
	}{
		{result, "out\n", "", `{"exitCode":0}`},
		{proc.Result{}, "[no output]", "", `{"exitCode":0}`},
		{proc.Result{Stdout: []byte("out"), Cut: true}, "out\n[cut: an output is longer than 7 bytes]", "", `{"exitCode":0}`},
		{proc.Result{ExitCode: 4, Stdout: []byte("out"), Stderr: []byte("err\n")}, "Error: the command failed\nout\n[standard error]\nerr\n[exit code 4]", tool.CodeExit, `{"exitCode":4}`},
		{proc.Result{ExitCode: -1}, "Error: the command failed\n[a signal ended it]", tool.CodeExit, `{"exitCode":-1}`},
		{proc.Result{ExitCode: 0, TimedOut: true, Stdout: []byte("half")}, "Error: the command was ended\nhalf\n[it took longer than 1s]", msg.CodeTimeout, `{"exitCode":0}`},
		{proc.Result{ExitCode: -1, Err: errors.New("there is no program \"c\" in PATH")}, "Error: there is no program \"c\" in PATH", tool.CodeFailed, ""},
	} {
		result = c.result
		out := s.Run(context.Background(), msg.ToolCall{Name: "c", Arguments: `{"b": 1, "a": "x"}`})
		e, _ := out.Error.Get()
		if out.Content.Text() != c.text || e.Code != c.code || out.Meta != c.meta || out.IsError != (c.code != "") {
			t.Errorf("%+v:\n%q %s %s", c, out.Content.Text(), e.Code, out.Meta)
		}
	}
	if input != "{\"b\":1,\"a\":\"x\"}\n" {
		t.Errorf("it reads %q", input)
	}
}
