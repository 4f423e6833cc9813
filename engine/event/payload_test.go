package event_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/event"
	"github.com/dsh-hcl/dsh/engine/header"
	"github.com/dsh-hcl/dsh/engine/msg"
)

func value(t testing.TB, s string) canon.Value {
	t.Helper()
	v, err := canon.ParseCanonical(s)
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return v
}

func text(t testing.TB, s string) msg.Content {
	t.Helper()
	c, err := msg.TextContent(s)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// sample is a payload and its data, exactly.
type sample struct {
	payload event.Payload
	data    string
}

// samples holds every payload type: with everything it can have first, then as
// bare as it can be.
func samples(t testing.TB) []sample {
	user, plugin := event.UserSource(), event.PluginSource("p\"q")
	hi := text(t, "hi\n<é>")
	const hiRaw = `[{"type":"text","text":"hi\n<é>"}]`
	usage := msg.Usage{Input: 3, Output: 1, CacheRead: msg.Some[int64](2)}
	h := header.New(header.Parts{Config: msg.CallConfig{Model: "m"}, System: "s", Wire: header.Wire{Protocol: "openai", Dialect: "openai"}})
	full := header.New(header.Parts{Config: h.Config(), System: "s", Tools: []msg.Tool{{Name: "t", Parameters: `{}`}},
		Prefix: header.Seal([]msg.Message{{Role: msg.RoleUser}}), Wire: h.Wire()})
	sources := header.Sources{System: []header.Source{{Address: "system.text.s", Origin: "dsh.hcl:1", Bytes: 1, SHA256: "ab"}}}
	return []sample{
		{event.TurnStart{Turn: 1, Trigger: "message", Source: user}, `{"turn":1,"trigger":{"kind":"message","source":{"kind":"user"}}}`},
		{event.TurnStart{Turn: 2, Trigger: "injection", Source: plugin}, `{"turn":2,"trigger":{"kind":"injection","source":{"kind":"plugin","plugin":"p\"q"}}}`},
		{event.UserMessage{ID: "i", Content: hi, Source: user}, `{"id":"i","content":` + hiRaw + `,"source":{"kind":"user"}}`},
		{event.UserMessage{Source: plugin}, `{"id":"","content":[],"source":{"kind":"plugin","plugin":"p\"q"}}`},
		{event.AssistantMessage{Turn: 1, Step: 2, Content: hi, Usage: msg.Some(usage), Cost: msg.Some(msg.Cost{Amount: 1, Currency: "USD"}), Finish: msg.FinishAborted, Interrupted: true},
			`{"turn":1,"step":2,"content":` + hiRaw + `,"usage":{"inputTokens":3,"outputTokens":1,"cacheReadTokens":2},"cost":{"amount":"0.000000001","currency":"USD"},"finish":"aborted","interrupted":true}`},
		{event.AssistantMessage{Turn: 1, Step: 2, Finish: msg.FinishStop}, `{"turn":1,"step":2,"content":[],"finish":"stop"}`},
		{event.ToolResult{Turn: 1, Step: 1, CallID: "c", Content: hi, IsError: true, Error: msg.Some(event.ResultError{Name: "ToolError", Code: "TIMEOUT"}), Meta: `{"b":1,"a":[2.0]}`},
			`{"turn":1,"step":1,"callId":"c","content":` + hiRaw + `,"isError":true,"error":{"name":"ToolError","code":"TIMEOUT"},"meta":{"b":1,"a":[2.0]}}`},
		{event.ToolResult{Turn: 1, Step: 1, CallID: "c"}, `{"turn":1,"step":1,"callId":"c","content":[],"isError":false}`},
		{event.ContextMessage{Content: hi, Source: plugin}, `{"content":` + hiRaw + `,"source":{"kind":"plugin","plugin":"p\"q"}}`},
		{event.SteeringMessage{Turn: 3, Content: hi, Source: user}, `{"turn":3,"content":` + hiRaw + `,"source":{"kind":"user"}}`},
		{event.PromptBlocked{Content: hi, Source: user, Reason: "no", Code: "READ_FAILED"}, `{"content":` + hiRaw + `,"source":{"kind":"user"},"reason":"no","code":"READ_FAILED"}`},
		{event.PromptBlocked{Source: user}, `{"content":[],"source":{"kind":"user"},"reason":""}`},
		{event.StepStart{Turn: 1, Step: 2}, `{"turn":1,"step":2}`},
		{event.StepEnd{Turn: 1, Step: 2}, `{"turn":1,"step":2}`},
		{event.ToolCall{Turn: 1, Step: 1, CallID: "c", Name: "ls", Arguments: `{"d":"/"}`}, `{"turn":1,"step":1,"callId":"c","name":"ls","arguments":"{\"d\":\"/\"}"}`},
		{event.AssistantChunk{Turn: 1, Step: 1, Chunk: msg.TextDelta{Index: 0, Text: "a"}}, `{"turn":1,"step":1,"chunk":{"type":"text-delta","index":0,"text":"a"}}`},
		{event.RequestHeader{Header: h, Reason: event.HeaderInitial, ConfigDigest: "d", Sources: sources,
			Drift: []header.Change{{Address: "text.x", Kind: header.ChangeContent}, {Address: "system.text.s", Kind: header.ChangeAdded}}, Reused: true},
			`{"header":{"config":{"model":"m"},"system":"s","wire":{"protocol":"openai","dialect":"openai"}},"reason":"initial","configDigest":"d",` +
				`"sources":{"system":[{"address":"system.text.s","origin":"dsh.hcl:1","bytes":1,"sha256":"ab"}],"messagePrefix":[]},` +
				`"drift":[{"address":"text.x","change":"changed"},{"address":"system.text.s","change":"added"}],"reused":true}`},
		{event.RequestHeader{Header: h, Reason: event.HeaderResume},
			`{"header":{"config":{"model":"m"},"system":"s","wire":{"protocol":"openai","dialect":"openai"}},"reason":"resume","configDigest":"",` +
				`"sources":{"system":[],"messagePrefix":[]}}`},
		{event.RequestHeader{Header: header.New(header.Parts{}), Reason: event.HeaderFallback, Drift: []header.Change{{Address: "text.x", Kind: header.ChangeMoved}}},
			`{"header":{"config":{"model":""},"wire":{"protocol":"","dialect":""}},"reason":"fallback","configDigest":"",` +
				`"sources":{"system":[],"messagePrefix":[]},"drift":[{"address":"text.x","change":"moved"}]}`},
		{event.RequestHeaderDelta{Delta: header.Diff(header.New(header.Parts{}), full)},
			`{"system":{"keepStart":0,"keepEnd":0,"insert":["s"]},"tools":{"added":[{"name":"t","description":"","parameters":{}}],"removed":[],"changed":[]},"config":{"model":"m"},` +
				`"messagePrefix":[{"role":"user","content":[]}],"wire":{"protocol":"openai","dialect":"openai"}}`},
		{event.RequestHeaderDelta{}, `{}`},
		{event.RequestSent{Turn: 1, Step: 1, Bytes: 70, SHA256: "ab", Purpose: "step", Marks: "AAAA"},
			`{"turn":1,"step":1,"bytes":70,"sha256":"ab","purpose":"step","marks":"AAAA"}`},
		{event.RequestAttempt{Turn: 1, Step: 2, Attempt: 1, Status: 429, Code: "RATE_LIMITED", Message: "slow <down>", DelayMS: 1500},
			`{"turn":1,"step":2,"attempt":1,"status":429,"code":"RATE_LIMITED","message":"slow <down>","delayMs":1500}`},
		{event.RequestAttempt{Turn: 1, Attempt: 2, Code: "UNREACHABLE", Message: "no"},
			`{"turn":1,"step":0,"attempt":2,"code":"UNREACHABLE","message":"no","delayMs":0}`},
		{event.HookInvoked{Turn: 1, Point: "PreToolUse", Dialect: "claude", Matcher: "ls|cat", Handler: "hook.x"},
			`{"turn":1,"point":"PreToolUse","dialect":"claude","matcher":"ls|cat","handlerId":"hook.x"}`},
		{event.HookInvoked{Point: "SessionStart", Dialect: "claude", Handler: "hook.x"}, `{"turn":0,"point":"SessionStart","dialect":"claude","handlerId":"hook.x"}`},
		{event.HookResult{Turn: 1, Point: "PreToolUse", Handler: "hook.x", Decision: "block", ExitCode: msg.Some[int64](0), Stderr: "no\n", DurationMS: 12, Failure: "gone", StopReason: "why", Arguments: `{"a":1}`},
			`{"turn":1,"point":"PreToolUse","handlerId":"hook.x","decision":"block","exitCode":0,"stderrSummary":"no\n","durationMs":12,"failure":"gone","stopReason":"why","arguments":"{\"a\":1}"}`},
		{event.ToolPermission{Turn: 1, Step: 2, CallID: "c", Decision: "deny", By: "rule", Rule: "shell(rm *)"}, `{"turn":1,"step":2,"callId":"c","decision":"deny","by":"rule","rule":"shell(rm *)"}`},
		{event.ToolPermission{Turn: 1, Step: 1, CallID: "c", Decision: "deny", By: "nobody"}, `{"turn":1,"step":1,"callId":"c","decision":"deny","by":"nobody"}`},
		{event.HookResult{Point: "Stop", Handler: "hook.x", Decision: "failed"}, `{"turn":0,"point":"Stop","handlerId":"hook.x","decision":"failed","durationMs":0}`},
		{event.SessionTitle{Title: "a <title>\n"}, `{"title":"a <title>\n"}`},
		{event.ContributorSkipped{Address: "file.x", Reason: "no such file"}, `{"address":"file.x","reason":"no such file"}`},
		{event.CompactGate{Turn: 1, Step: 2, Trigger: event.TriggerThreshold, Window: 1000, Threshold: 800, Retain: 160, Decision: event.GateNone, Reason: "why",
			Pressure: event.Pressure{Total: 900, System: 1, Tools: 2, Prefix: 3, History: 4, Base: msg.Some[int64](850), Since: msg.Some[int64](-50)}},
			`{"turn":1,"step":2,"trigger":"threshold","pressure":{"total":900,"system":1,"tools":2,"prefix":3,"history":4,"base":850,"since":-50},"window":1000,"threshold":800,"retain":160,"decision":"none","reason":"why"}`},
		{event.CompactGate{Turn: 1, Trigger: event.TriggerManual, Decision: event.GateSummarize},
			`{"turn":1,"step":0,"trigger":"manual","pressure":{"total":0,"system":0,"tools":0,"prefix":0,"history":0},"threshold":0,"retain":0,"decision":"summarize"}`},
		{event.CompactStart{Turn: 1, Kind: event.GateSummarize, Start: 3, End: 9, Config: msg.CallConfig{Model: "m"}, Wire: header.Wire{Protocol: "openai", Dialect: "openai"}, Instruction: hi},
			`{"turn":1,"kind":"summarize","start":3,"end":9,"config":{"model":"m"},"wire":{"protocol":"openai","dialect":"openai"},"instruction":` + hiRaw + `}`},
		{event.CompactStart{Turn: 1, Kind: event.GatePrune, Start: 3, End: 9}, `{"turn":1,"kind":"prune","start":3,"end":9}`},
		{event.CompactPrune{Turn: 1, Seq: 4, Before: 900, After: 90}, `{"turn":1,"seq":4,"before":900,"after":90}`},
		{event.CompactSummary{Turn: 1, Content: hi, Model: "m", Tokens: 500, Usage: msg.Some(usage), Cost: msg.Some(msg.Cost{Amount: 1, Currency: "USD"})},
			`{"turn":1,"content":` + hiRaw + `,"model":"m","tokens":500,"usage":{"inputTokens":3,"outputTokens":1,"cacheReadTokens":2},"cost":{"amount":"0.000000001","currency":"USD"}}`},
		{event.CompactSummary{Turn: 1}, `{"turn":1,"content":[],"model":"","tokens":0}`},
		{event.CompactEnd{Turn: 1, Before: 900, After: 90, Rewritten: 80, RewriteCost: msg.Some(msg.Cost{Amount: 1, Currency: "USD"}), Failure: &event.Failure{Message: "why", Code: "MAX_TOKENS"},
			Usage: msg.Some(usage), Cost: msg.Some(msg.Cost{Amount: 1, Currency: "USD"})},
			`{"turn":1,"before":900,"after":90,"rewritten":80,"rewriteCost":{"amount":"0.000000001","currency":"USD"},"error":{"message":"why","code":"MAX_TOKENS"},` +
				`"usage":{"inputTokens":3,"outputTokens":1,"cacheReadTokens":2},"cost":{"amount":"0.000000001","currency":"USD"}}`},
		{event.CompactEnd{Turn: 1, Before: 900, After: 90}, `{"turn":1,"before":900,"after":90}`},
		{event.TurnEnd{Turn: 1, Reason: event.EndReason{Kind: event.EndCompleted}, LogSHA256: "ab"}, `{"turn":1,"reason":{"kind":"completed"},"logSha256":"ab"}`},
	}
}

// entry puts a payload where it belongs: on the surface, if it carries a message.
func entry(p event.Payload) event.Entry {
	e := event.Entry{Payload: p}
	if event.IsSurfaceType(p.Type()) {
		e.Op = event.Op{Kind: event.OpAppend}
	}
	return e
}

func TestPayloadBytes(t *testing.T) {
	for _, s := range samples(t) {
		if got := s.payload.Raw(); got != s.data {
			t.Errorf("%s:\ngot  %s\nwant %s", s.payload.Type(), got, s.data)
		}
		if v := value(t, s.payload.Raw()); v.Kind() != canon.ObjectKind {
			t.Errorf("%s: data is not an object", s.payload.Type())
		}
	}
}

func TestEndReasonBytes(t *testing.T) {
	for _, c := range []struct {
		reason event.EndReason
		want   string
	}{
		{event.EndReason{Kind: event.EndCompleted, Reason: "no", Message: "no"}, `{"kind":"completed"}`},
		{event.EndReason{Kind: event.EndMaxTokens}, `{"kind":"max-tokens"}`},
		{event.EndReason{Kind: event.EndDisposed}, `{"kind":"disposed"}`},
		{event.EndReason{Kind: event.EndInterrupted}, `{"kind":"interrupted"}`},
		{event.EndReason{Kind: event.EndAborted}, `{"kind":"aborted"}`},
		{event.EndReason{Kind: event.EndAborted, Reason: "stop"}, `{"kind":"aborted","reason":"stop"}`},
		{event.EndReason{Kind: event.EndRejected}, `{"kind":"rejected","reason":""}`},
		{event.EndReason{Kind: event.EndRejected, Reason: "no"}, `{"kind":"rejected","reason":"no"}`},
		{event.EndReason{Kind: event.EndError, Step: 2, Message: "m\n", Code: "C"}, `{"kind":"error","step":2,"message":"m\n","code":"C"}`},
		{event.EndReason{Kind: event.EndError}, `{"kind":"error","step":0,"message":"","code":""}`},
	} {
		if got := c.reason.Raw(); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
		if got := event.ParseEndReason(value(t, c.want)); got.Raw() != c.want || got.Kind != c.reason.Kind {
			t.Errorf("%s was parsed as %+v", c.want, got)
		}
	}
}

// A failure is logged whatever bytes it quotes: a turn that ends so must not take
// the loop down with it.
func TestWordsOfAnyBytes(t *testing.T) {
	const bad = "a\xffb\xed\xa0\x80"
	for _, p := range []event.Payload{
		event.TurnEnd{Turn: 1, Reason: event.EndReason{Kind: event.EndError, Message: bad, Code: bad}},
		event.TurnEnd{Turn: 1, Reason: event.EndReason{Kind: event.EndAborted, Reason: bad}},
		event.PromptBlocked{Source: event.UserSource(), Reason: bad, Code: bad},
		event.ContributorSkipped{Address: "file.x", Reason: bad},
	} {
		e := event.New(0, 0, event.Entry{Payload: p})
		if !strings.Contains(e.Line(), "a\uFFFDb\uFFFD") {
			t.Errorf("%s", e.Line())
		}
		if _, err := event.Parse(e.Line()); err != nil {
			t.Errorf("%s: %v", e.Line(), err)
		}
	}
}

// The tables of docs/format/log.md name the members of every type in their order.
// Those behind a question mark may be absent, and those behind "any of".
func TestMembersAsDocumented(t *testing.T) {
	b, err := os.ReadFile("../../docs/format/log.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]string{}
	row := regexp.MustCompile("(?m)^\\| ((?:`[a-z]+/[a-z-]+`(?:, )?)+) \\| (any of )?`([^`]*)`")
	for _, m := range row.FindAllStringSubmatch(string(b), -1) {
		members := m[3]
		if m[2] != "" {
			members = strings.ReplaceAll(members, ",", "?,") + "?"
		}
		for _, name := range strings.Split(m[1], ", ") {
			documented[strings.Trim(name, "`")] = members
		}
	}
	full := map[string]bool{}
	for _, s := range samples(t) {
		name := s.payload.Type()
		members, ok := documented[name]
		if !ok {
			t.Errorf("%s is not documented", name)
			continue
		}
		var want []string
		for _, m := range strings.Split(members, ", ") {
			optional := strings.HasSuffix(m, "?")
			m = strings.TrimSuffix(m, "?")
			if !full[name] || !optional || value(t, s.data).Get(m).Exists() {
				want = append(want, m)
			}
		}
		full[name] = true // the first sample of a type has everything
		var got []string
		for m := range value(t, s.data).Members() {
			got = append(got, m)
		}
		if strings.Join(got, ", ") != strings.Join(want, ", ") {
			t.Errorf("%s has the members %s, documented are %s", name, strings.Join(got, ", "), strings.Join(want, ", "))
		}
	}
	for name := range documented {
		if !full[name] {
			t.Errorf("%s is documented and has no payload", name)
		}
	}
	if !strings.Contains(string(b), "`{\"type\",\"seq\",\"time\",\"data\",\"sourceEventSeqs\"?,\"surfaceOp\"?}`") {
		t.Error("the envelope is documented otherwise")
	}
}

func TestParsePayloads(t *testing.T) {
	for _, s := range samples(t) {
		v := value(t, s.data)
		switch want := s.payload.(type) {
		case event.RequestSent:
			if got := event.ParseRequestSent(v); got != want {
				t.Errorf("parsed as %+v", got)
			}
		case event.RequestHeaderDelta:
			got, err := event.ParseRequestHeaderDelta(v)
			if err != nil || got.Raw() != want.Raw() {
				t.Errorf("parsed as %+v, %v", got, err)
			}
		case event.RequestHeader:
			got, err := event.ParseRequestHeader(v)
			if err != nil || got.Raw() != want.Raw() || !got.Header.Equal(want.Header) || got.Reason != want.Reason || got.ConfigDigest != want.ConfigDigest {
				t.Errorf("parsed as %+v, %v", got, err)
			}
		}
	}
	if got := event.ParseRequestSent(value(t, `{"bytes":"1","sha256":2}`)); got != (event.RequestSent{}) {
		t.Errorf("parsed as %+v", got)
	}
	for _, in := range []string{`{}`, `{"header":{}}`, `{"header":{"config":{"model":"m"},"wire":{"later":1}}}`} {
		if _, err := event.ParseRequestHeader(value(t, in)); err == nil {
			t.Errorf("%s is accepted", in)
		}
	}
	if _, err := event.ParseRequestHeaderDelta(value(t, `{"wire":{"later":1}}`)); err == nil {
		t.Error("a delta of a newer version is accepted")
	}
}

func TestSources(t *testing.T) {
	for _, c := range []struct {
		source    event.Source
		raw, kind string
	}{
		{event.Source{}, ``, ""},
		{event.UserSource(), `{"kind":"user"}`, "user"},
		{event.PluginSource("a\"b"), `{"kind":"plugin","plugin":"a\"b"}`, "plugin"},
	} {
		if c.source.Raw() != c.raw || c.source.Kind() != c.kind {
			t.Errorf("got %s of kind %q, want %s", c.source.Raw(), c.source.Kind(), c.raw)
		}
	}
	open := `{"kind":"session-reference","id":"x","n":1.0}`
	if s, ok := event.SourceOf(value(t, open)); !ok || s.Raw() != open || s.Kind() != "session-reference" {
		t.Errorf("an open kind: %s %v", s.Raw(), ok)
	}
	for _, in := range []string{`{}`, `[]`, `"user"`, `{"kind":1}`, `null`} {
		if _, ok := event.SourceOf(value(t, in)); ok {
			t.Errorf("%s is a source", in)
		}
	}
}

// A failed attempt is read as it was written.
func TestAttemptRoundTrip(t *testing.T) {
	read := 0
	for _, s := range samples(t) {
		if _, ok := s.payload.(event.RequestAttempt); !ok {
			continue
		}
		read++
		if again := event.ParseRequestAttempt(value(t, s.data)); again != s.payload {
			t.Errorf("read %+v, wrote %+v", again, s.payload)
		}
	}
	if read == 0 {
		t.Error("no sample")
	}
}

// What a pass of a compaction wrote is read as it was meant.
func TestCompactionRoundTrip(t *testing.T) {
	for _, s := range samples(t) {
		var again event.Payload
		v := value(t, s.data)
		switch s.payload.(type) {
		case event.CompactGate:
			again = event.ParseCompactGate(v)
		case event.CompactStart:
			p, err := event.ParseCompactStart(v)
			if err != nil {
				t.Error(err)
			}
			again = p
		case event.CompactPrune:
			again = event.ParseCompactPrune(v)
		case event.CompactSummary:
			again = event.ParseCompactSummary(v)
		case event.CompactEnd:
			again = event.ParseCompactEnd(v)
		default:
			continue
		}
		if again.Raw() != s.data {
			t.Errorf("%s:\nread  %s\nwrote %s", s.payload.Type(), again.Raw(), s.data)
		}
	}
}
