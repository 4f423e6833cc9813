package msg_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/dsh-hcl/dsh/engine/msg"
)

type next = func(context.Context) (msg.Composition, error)

func message(t testing.TB, text string) msg.Message {
	t.Helper()
	m, err := msg.NewMessage(msg.RoleUser, msg.Text{Text: text})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// say is a contributor of one message for each text, which notes that it ran.
func say(t testing.TB, trace *[]string, name string, texts ...string) msg.Contributor {
	return msg.Prepend(name, name+".origin", func(context.Context) ([]msg.Message, *msg.Skip, error) {
		*trace = append(*trace, name)
		var out []msg.Message
		for _, s := range texts {
			out = append(out, message(t, s))
		}
		return out, nil, nil
	})
}

func order(c msg.Composition) string {
	var out []string
	for _, p := range c.Pieces {
		out = append(out, p.Address+"="+p.Message.Content.Text())
	}
	for _, s := range c.Skipped {
		out = append(out, "-"+s.Address)
	}
	return strings.Join(out, " ")
}

// Every contributor prepends, so the order of registration is the order on the
// wire, and of skips as well.
func TestComposeOrder(t *testing.T) {
	var trace []string
	skipped := msg.Prepend("skipped", "", func(context.Context) ([]msg.Message, *msg.Skip, error) {
		return nil, &msg.Skip{Address: "skipped", Reason: "why"}, nil
	})
	both := msg.Prepend("both", "", func(context.Context) ([]msg.Message, *msg.Skip, error) {
		return []msg.Message{message(t, "4")}, &msg.Skip{Address: "both", Reason: "half of it"}, nil
	})
	c, err := msg.Compose(t.Context(), []msg.Contributor{
		say(t, &trace, "a", "1", "2"), skipped, say(t, &trace, "none"), say(t, &trace, "b", "3"), both,
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := order(c), "a=1 a=2 b=3 both=4 -skipped -both"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if want := []string{"a", "none", "b"}; !slices.Equal(trace, want) {
		t.Errorf("ran %v, want %v", trace, want)
	}
	if want := (msg.Piece{Address: "a", Origin: "a.origin", Message: message(t, "1")}); c.Pieces[0] != want {
		t.Errorf("piece %+v, want %+v", c.Pieces[0], want)
	}
}

func TestComposeNothing(t *testing.T) {
	var trace []string
	for _, list := range [][]msg.Contributor{nil, {}, {say(t, &trace, "none")}} {
		c, err := msg.Compose(t.Context(), list)
		if err != nil || len(c.Pieces) != 0 || len(c.Skipped) != 0 {
			t.Errorf("%d contributors of nothing: %+v, %v", len(list), c, err)
		}
	}
}

// Listener 1 is outermost: it runs first and sees what all the others made.
func TestComposeWaterfall(t *testing.T) {
	var trace []string
	around := func(name string) msg.Contributor {
		return func(ctx context.Context, next next) (msg.Composition, error) {
			trace = append(trace, name+"(")
			c, err := next(ctx)
			trace = append(trace, name+" got "+order(c)+")")
			return c, err
		}
	}
	if _, err := msg.Compose(t.Context(), []msg.Contributor{around("x"), say(t, &trace, "a", "1"), around("y"), say(t, &trace, "b", "2")}); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(trace, " "), "x( a y( b y got b=2) x got a=1 b=2)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestComposeWithoutNext(t *testing.T) {
	var trace []string
	alone := func(context.Context, next) (msg.Composition, error) {
		return msg.Composition{Pieces: []msg.Piece{{Address: "alone", Message: message(t, "2")}}}, nil
	}
	c, err := msg.Compose(t.Context(), []msg.Contributor{say(t, &trace, "a", "1"), alone, say(t, &trace, "late", "3")})
	if err != nil || order(c) != "a=1 alone=2" {
		t.Errorf("got %s, %v", order(c), err)
	}
	if !slices.Equal(trace, []string{"a"}) {
		t.Errorf("ran %v: what comes after a contributor that does not call next is left out", trace)
	}
}

// An error of any contributor discards the whole composition.
func TestComposeError(t *testing.T) {
	cause := errors.New("no such file")
	fail := msg.Prepend("bad", "", func(context.Context) ([]msg.Message, *msg.Skip, error) {
		return []msg.Message{message(t, "x")}, &msg.Skip{Address: "bad"}, cause
	})
	var trace []string
	for _, c := range []struct {
		list []msg.Contributor
		ran  string
	}{
		{[]msg.Contributor{fail, say(t, &trace, "a", "1")}, ""},
		{[]msg.Contributor{say(t, &trace, "a", "1"), fail, say(t, &trace, "b", "1")}, "a"},
		{[]msg.Contributor{say(t, &trace, "a", "1"), say(t, &trace, "b", "1"), fail}, "a b"},
	} {
		trace = nil
		got, err := msg.Compose(t.Context(), c.list)
		if !errors.Is(err, cause) || got.Pieces != nil || got.Skipped != nil {
			t.Errorf("got %s, %v", order(got), err)
		}
		if strings.Join(trace, " ") != c.ran {
			t.Errorf("ran %v, want %s", trace, c.ran)
		}
	}
}

func TestComposeCancelled(t *testing.T) {
	why := errors.New("the turn was cancelled")
	var trace []string
	ctx, cancel := context.WithCancelCause(t.Context())
	cancelling := msg.Prepend("c", "", func(context.Context) ([]msg.Message, *msg.Skip, error) {
		cancel(why)
		return []msg.Message{message(t, "2")}, nil, nil
	})
	list := []msg.Contributor{say(t, &trace, "a", "1"), cancelling, say(t, &trace, "late", "3")}
	for _, ran := range []string{"a", ""} { // cancelled on the way, then before the start
		trace = nil
		got, err := msg.Compose(ctx, list)
		if !errors.Is(err, why) || got.Pieces != nil {
			t.Errorf("got %s, %v, want the cause", order(got), err)
		}
		if strings.Join(trace, " ") != ran {
			t.Errorf("ran %v, want %q", trace, ran)
		}
	}
	// Even of nothing there is no composition under a dead context.
	if _, err := msg.Compose(ctx, nil); !errors.Is(err, why) {
		t.Errorf("no contributors: %v", err)
	}
}

// A contributor may narrow the context of those after it.
func TestComposePassesContext(t *testing.T) {
	type key struct{}
	narrow := func(ctx context.Context, next next) (msg.Composition, error) {
		return next(context.WithValue(ctx, key{}, "narrow"))
	}
	var before, after any
	look := func(seen *any) msg.Contributor {
		return msg.Prepend("l", "", func(ctx context.Context) ([]msg.Message, *msg.Skip, error) {
			*seen = ctx.Value(key{})
			return nil, nil, nil
		})
	}
	if _, err := msg.Compose(t.Context(), []msg.Contributor{look(&before), narrow, look(&after)}); err != nil {
		t.Fatal(err)
	}
	if before != nil || after != "narrow" {
		t.Errorf("before %v, after %v", before, after)
	}
}

// A panic is the engine's business, which contains it; here it passes through.
func TestComposePanic(t *testing.T) {
	var trace []string
	defer func() {
		if r := recover(); r != "boom" {
			t.Errorf("recovered %v", r)
		}
	}()
	boom := func(context.Context, next) (msg.Composition, error) { panic("boom") }
	msg.Compose(t.Context(), []msg.Contributor{say(t, &trace, "a", "1"), boom})
	t.Error("the panic was swallowed")
}

// What a contributor got from next stays as it was: the pieces it returns are a
// list of their own.
func TestPrependDoesNotAlias(t *testing.T) {
	inner := msg.Composition{Pieces: make([]msg.Piece, 1, 8), Skipped: make([]msg.Skip, 1, 8)}
	inner.Pieces[0] = msg.Piece{Address: "inner", Message: message(t, "2")}
	inner.Skipped[0] = msg.Skip{Address: "inner"}
	var trace []string
	c, err := say(t, &trace, "outer", "1")(t.Context(), func(context.Context) (msg.Composition, error) { return inner, nil })
	if err != nil || order(c) != "outer=1 inner=2 -inner" {
		t.Fatalf("got %s, %v", order(c), err)
	}
	c.Pieces[1].Address, c.Skipped[0].Address = "changed", "changed"
	if order(inner) != "inner=2 -inner" {
		t.Errorf("the inner composition became %s", order(inner))
	}
}
