package hclfile

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/config/diag"
	"github.com/dsh-hcl/dsh/engine/compact"
	"github.com/dsh-hcl/dsh/schema"
)

// compactionFiles is a configuration with a compaction block of this content.
func compactionFiles(content string) map[string]string {
	return map[string]string{"dsh.hcl": `provider "p" { protocol = "openai" }
provider "q" {
  protocol = "openai"
  base_url = "https://summaries.example.com/v1"
  api_key  = env.SUMMARY_KEY
}
model "m" {
  provider       = provider.p
  id             = "m"
  context_window = 100000
}
model "s" {
  provider       = provider.q
  id             = "s"
  context_window = 200000
}
agent "a" {
  model = model.m
  compaction {
` + content + `
  }
}
`}
}

func compactionIn(t *testing.T, content string) (*config.Compaction, *config.Config) {
	t.Helper()
	cfg, sources, diags := load(compactionFiles(content), nil)
	if diags.HasErrors() {
		t.Fatal(rendered(diags, sources))
	}
	return cfg.Agents[0].Compaction, cfg
}

// TestShares: a share of a window is exact, whatever a double makes of it.
func TestShares(t *testing.T) {
	for _, c := range []struct {
		window int
		ratio  string
		want   int
	}{
		{128000, "0.8", 102400},
		{3, "0.1", 0},
		{10, "0.1 * 3", 3},
		{10, "0.3", 3},
		{16384, "0.16", 2621},
		{1000000, "0.29", 290000}, // 0.29 * 1000000 is less in doubles
		{100, "0.57", 57},         // and so is 0.57 * 100
		{1000, "0.001", 1},
		{999, "0.001", 0},
		{9, "1 / 3", 2}, // 0.3333333333333333, as it is shown
		{1<<53 - 1, "1", 1<<53 - 1},
		{1<<53 - 1, "0.5", 1<<52 - 1},
		{2, "0.5", 1},
		{7, "1e-400", 0},
	} {
		l := evaluated("locals {\n  x = "+c.ratio+"\n}\n", nil, nil)
		v := l.locals["x"].value
		if got := shareOf(c.window, decimalOf(v)); got != c.want {
			t.Errorf("%s of %d is %d, want %d", c.ratio, c.window, got, c.want)
		}
	}
}

// TestMarkerRoom holds the table to what the engine writes.
func TestMarkerRoom(t *testing.T) {
	if schema.MarkerRoom != compact.MarkerRoom {
		t.Errorf("the table has %d, the engine %d", schema.MarkerRoom, compact.MarkerRoom)
	}
}

func TestCompaction(t *testing.T) {
	at := diag.Range{}
	attr := func(v int) config.Attr[int] { return config.Attr[int]{V: v, At: at} }
	set := func(v int) config.Attr[int] { return config.Attr[int]{V: v, Set: true, At: at} }
	base := func(change func(c *config.Compaction)) *config.Compaction {
		c := &config.Compaction{Threshold: attr(80000), Retain: attr(16000), Auto: config.Attr[bool]{V: true}, Retries: attr(1), MaxOverflowRetries: attr(1),
			MinGain: config.Attr[string]{V: "0.1"}, Summary: config.Summary{Retries: attr(1)}}
		if change != nil {
			change(c)
		}
		return c
	}
	for name, c := range map[string]struct {
		content string
		want    *config.Compaction
	}{
		"nothing": {"", base(nil)},
		"tokens": {"threshold_tokens = 50000\nretain_tokens = 0", base(func(c *config.Compaction) {
			c.Threshold, c.Retain = set(50000), set(0)
		})},
		"shares": {"threshold_ratio = 0.55555\nretain_ratio = 0", base(func(c *config.Compaction) {
			c.Threshold, c.Retain = set(55555), set(0)
		})},
		"all": {`auto = false
retries = 0
max_overflow_retries = 2
min_gain = 0.25
summary {
  model      = model.s
  max_tokens = 5000
  retries    = 0
  prompt     = "Sum up."
}
prune {
  threshold_chars = 1000
  head_chars      = 500
  tail_chars      = 0
}`, base(func(c *config.Compaction) {
			c.Auto, c.Retries, c.MaxOverflowRetries, c.MinGain = config.Attr[bool]{Set: true}, set(0), set(2), config.Attr[string]{V: "0.25", Set: true}
			c.Summary = config.Summary{Model: config.Attr[string]{V: "s", Set: true}, MaxTokens: set(5000), Retries: set(0), Prompt: config.Attr[string]{V: "Sum up.", Set: true}}
			c.Prune = &config.Prune{Threshold: set(1000), Head: set(500), Tail: set(0)}
		})},
		"an empty prune": {"prune {}", base(func(c *config.Compaction) {
			c.Prune = &config.Prune{Threshold: attr(8192), Head: attr(4096), Tail: attr(1024)}
		})},
		"its own model writes summaries": {"summary { model = model.m }", base(nil)},
		"a policy for another model": {`policy "s" {
  retain_tokens = 5
}`, base(nil)},
		"a policy for its model": {`retain_ratio = 0.3
policy "m" {
  retain_tokens = 5
}`, base(func(c *config.Compaction) { c.Retain = set(5) })},
		"a policy takes a form's place": {`threshold_tokens = 50000
retain_tokens = 10
policy "m" {
  threshold_ratio = 0.7
}`, base(func(c *config.Compaction) { c.Threshold, c.Retain = set(70000), set(10) })},
		"what a policy replaces is not checked": {`threshold_tokens = 100000
policy "m" {
  threshold_tokens = 70000
}`, base(func(c *config.Compaction) { c.Threshold = set(70000) })},
	} {
		t.Run(name, func(t *testing.T) {
			got, _ := compactionIn(t, c.content)
			if d := cmp.Diff(c.want, got, cmpopts.IgnoreTypes(at)); d != "" {
				t.Error(d)
			}
		})
	}
	if cfg := mustLoad(t, map[string]string{"dsh.hcl": "provider \"p\" { protocol = \"openai\" }\nmodel \"m\" {\n  provider = provider.p\n  id = \"m\"\n}\nagent \"a\" { model = model.m }\n"}, nil); cfg.Agents[0].Compaction != nil {
		t.Error("there is a compaction without a block")
	}
}

// TestCompactionPlaces: a threshold has a place whether it is written or not, since
// problems of a composition point there.
func TestCompactionPlaces(t *testing.T) {
	c, _ := compactionIn(t, "retain_tokens = 7")
	if c.Threshold.At != c.At || c.Retain.At.Start.Line != c.At.Start.Line+1 {
		t.Errorf("%v, %v in %v", c.Threshold.At, c.Retain.At, c.At)
	}
}

// TestSummaryProviderIsStarted: the address and the credential of a provider that
// only summaries are asked of need trust.
func TestSummaryProviderIsStarted(t *testing.T) {
	_, cfg := compactionIn(t, "summary { model = model.s }")
	var kinds []string
	for _, s := range cfg.Starts {
		if strings.HasPrefix(s.For, "provider.q") {
			kinds = append(kinds, s.Kind)
		}
	}
	if strings.Join(kinds, " ") != "base_url env" {
		t.Errorf("it starts %v", kinds)
	}
}

func TestDigestOfCompaction(t *testing.T) {
	const whole = `threshold_ratio = 0.5
retain_ratio = 0.1
auto = true
retries = 1
max_overflow_retries = 1
min_gain = 0.1
summary {
  model      = model.s
  max_tokens = 5000
  retries    = 1
  prompt     = "Sum up."
}
prune {
  threshold_chars = 1000
  head_chars      = 500
  tail_chars      = 100
}
policy "m" {
  retain_tokens = 900
}`
	digest := func(files map[string]string) string {
		t.Helper()
		cfg, sources, diags := load(files, nil)
		if diags.HasErrors() {
			t.Fatal(rendered(diags, sources))
		}
		return cfg.Agents[0].Digest
	}
	base := digest(compactionFiles(whole))
	seen := map[string]string{base: "the whole", digest(map[string]string{"dsh.hcl": strings.Replace(compactionFiles("")["dsh.hcl"], "  compaction {\n\n  }\n", "", 1)}): "none"}
	for _, edit := range [][2]string{
		{"threshold_ratio = 0.5", "threshold_ratio = 0.6"}, {"retain_tokens = 900", "retain_tokens = 901"}, {"auto = true", "auto = false"}, {"\nretries = 1", "\nretries = 2"},
		{"max_overflow_retries = 1", "max_overflow_retries = 0"}, {"min_gain = 0.1", "min_gain = 0.2"}, {"= model.s", "= model.m"}, {"max_tokens = 5000", "max_tokens = 5001"},
		{"  retries    = 1", "  retries    = 0"}, {"Sum up.", "Sum it up."}, {"threshold_chars = 1000", "threshold_chars = 1001"}, {"head_chars      = 500", "head_chars      = 501"},
		{"tail_chars      = 100", "tail_chars      = 101"}, {"policy \"m\"", "policy \"s\""}, {"prune {\n  threshold_chars = 1000\n  head_chars      = 500\n  tail_chars      = 100\n}", ""},
	} {
		changed := strings.Replace(whole, edit[0], edit[1], 1)
		d := digest(compactionFiles(changed))
		if other, again := seen[d]; again || changed == whole {
			t.Errorf("%s has the digest of %s", edit[1], other)
		}
		seen[d] = edit[1]
	}
	for _, edit := range [][2]string{{`id             = "s"`, `id             = "x"`}, {"summaries.example.com", "example.com"}} {
		files := compactionFiles(whole)
		files["dsh.hcl"] = strings.Replace(files["dsh.hcl"], edit[0], edit[1], 1)
		if digest(files) == base {
			t.Errorf("%s: the model of summaries does not count", edit[1])
		}
	}
	for _, edit := range [][2]string{
		{"threshold_ratio = 0.5", "threshold_tokens = 50000"}, {"retain_ratio = 0.1", "retain_ratio = 0.2"}, {"min_gain = 0.1", ""}, {"policy \"m\"", "policy \"s\" {\n retain_tokens = 1\n}\npolicy \"m\""},
	} {
		if digest(compactionFiles(strings.Replace(whole, edit[0], edit[1], 1))) != base {
			t.Errorf("%s for %s changes the digest", edit[1], edit[0])
		}
	}
}
