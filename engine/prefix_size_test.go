package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/dsh-hcl/dsh/config"
	"github.com/dsh-hcl/dsh/engine"
	"github.com/dsh-hcl/dsh/engine/meter"
	"github.com/dsh-hcl/dsh/engine/msg"
)

// wordCounter counts words, exactly.
type wordCounter struct{}

func (wordCounter) Name() string          { return "words" }
func (wordCounter) Count(text string) int { return len(strings.Fields(text)) }

// A prefix is held to max_tokens with what counts the agent's tokens. The error lists
// contributors, each once however many messages it has, the largest first.
func TestPrefixTooLarge(t *testing.T) {
	several := func(address string, contents ...string) msg.Contributor {
		return msg.Prepend(address, "a.md", func(context.Context) ([]msg.Message, *msg.Skip, error) {
			var out []msg.Message
			for _, c := range contents {
				out = append(out, msg.Message{Role: msg.RoleUser, Content: text(c)})
			}
			return out, nil, nil
		})
	}
	freeze := func(limit int, e meter.Estimator) error {
		c := &config.Config{
			Providers: []config.Provider{{Name: "p"}},
			Models:    []config.Model{{Name: "m", Provider: "p", ID: config.Attr[string]{V: "m"}}},
			Agents:    []config.Agent{{Name: "a", Model: config.Attr[string]{V: "m"}, MaxTokens: config.Attr[int]{V: limit, Set: limit > 0}}},
		}
		first := true
		a, err := engine.Compile(c, &c.Agents[0], func([]config.Contributor) ([]msg.Contributor, error) {
			if first { // the system text does not count
				first = false
				return []msg.Contributor{several("text.system", strings.Repeat("word ", 1000))}, nil
			}
			return []msg.Contributor{several("text.small", "one two"), several("files.docs", "one two three", "four five")}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		_, err = a.Counting(e).Freeze(context.Background())
		return err
	}
	words := meter.Exactly(wordCounter{})
	for limit, want := range map[int]string{
		0: "", 31: "",
		30: "the prefix has 31 tokens, counted with words, and max_tokens allows 30: files.docs 21, text.small 10",
	} {
		err := freeze(limit, words)
		if want == "" && err == nil {
			continue
		}
		var large *engine.PrefixTooLargeError
		if err == nil || err.Error() != want || !errors.As(err, &large) || msg.CodeOf(err) != msg.CodeInvalidPrefix {
			t.Errorf("limit %d: %v", limit, err)
		}
	}
	if err := freeze(10, meter.Estimator{}); err == nil || !strings.Contains(err.Error(), "estimated for o200k") {
		t.Errorf("estimated: %v", err)
	}
}
