package msg

import "context"

// Piece is what a contributor adds to a composition: one message, with where it
// came from. Address is that of the contributor (KIND.NAME, GROUP.KIND.NAME, system.
// in front of either). Origin is a path relative to the configuration or the
// workspace, or file:line of inline content; it never reaches the model.
type Piece struct {
	Address string
	Origin  string
	Message Message
}

// Skip records a contributor that failed and was declared on_error = "skip".
type Skip struct{ Address, Reason string }

// Composition is an ordered list of pieces and the contributors that were
// skipped on the way.
type Composition struct {
	Pieces  []Piece
	Skipped []Skip
}

// Contributor is a listener of the composition waterfall. It calls next at most
// once and returns what it got with its own pieces put in front, so that the
// order of registration is the order on the wire. Not calling next leaves the
// later contributors out. ctx is cancelled with the turn. The engine validates
// the product; an error discards the whole composition.
type Contributor func(ctx context.Context, next func(context.Context) (Composition, error)) (Composition, error)

// Compose runs contributors as one waterfall, the first outermost.
func Compose(ctx context.Context, contributors []Contributor) (Composition, error) {
	if err := ctx.Err(); err != nil {
		return Composition{}, context.Cause(ctx)
	}
	if len(contributors) == 0 {
		return Composition{}, nil
	}
	return contributors[0](ctx, func(ctx context.Context) (Composition, error) {
		return Compose(ctx, contributors[1:])
	})
}

// Prepend turns a function that renders messages into a Contributor that puts them
// in front of what follows.
func Prepend(address, origin string, render func(context.Context) ([]Message, *Skip, error)) Contributor {
	return PrependPieces(address, func(ctx context.Context) ([]Piece, *Skip, error) {
		messages, skip, err := render(ctx)
		var pieces []Piece
		for _, m := range messages {
			pieces = append(pieces, Piece{Origin: origin, Message: m})
		}
		return pieces, skip, err
	})
}

// PrependPieces is Prepend for messages that each have an origin. It gives the
// pieces their address.
func PrependPieces(address string, render func(context.Context) ([]Piece, *Skip, error)) Contributor {
	return func(ctx context.Context, next func(context.Context) (Composition, error)) (Composition, error) {
		pieces, skip, err := render(ctx)
		if err != nil {
			return Composition{}, err
		}
		rest, err := next(ctx)
		if err != nil {
			return Composition{}, err
		}
		out := Composition{Pieces: make([]Piece, 0, len(pieces)+len(rest.Pieces))}
		for _, p := range pieces {
			p.Address = address
			out.Pieces = append(out.Pieces, p)
		}
		out.Pieces = append(out.Pieces, rest.Pieces...)
		if skip != nil {
			out.Skipped = append(out.Skipped, *skip)
		}
		out.Skipped = append(out.Skipped, rest.Skipped...)
		return out, nil
	}
}
