package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/dsh-hcl/dsh/config/diag"
	"github.com/dsh-hcl/dsh/engine/eventlog"
	"github.com/dsh-hcl/dsh/engine/msg"
	"github.com/dsh-hcl/dsh/engine/ref"
	"github.com/dsh-hcl/dsh/engine/store"
)

// The exit codes.
const (
	exitOK      = 0
	exitFailed  = 1 // the work failed
	exitUsage   = 2 // the configuration or the command line is wrong
	exitRefused = 3 // trust, limits, lock busy
)

// silentError ends a command whose output says everything already.
type silentError struct{ code int }

func (e *silentError) Error() string { return fmt.Sprintf("exit code %d", e.code) }

// usageError says that the command line is wrong.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func usageErrorf(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

// refusedError says that the program will not do what it was asked to.
type refusedError struct{ text string }

func (e *refusedError) Error() string { return e.text }

// turnError is a turn that ended in an error.
type turnError struct{ code, message string }

func (e *turnError) Error() string { return fmt.Sprintf("%s (%s)", e.message, e.code) }

func (e *turnError) StableCode() string { return e.code }

// exitCode maps an error to the exit code that stands for it.
func exitCode(ctx context.Context, err error) int {
	var (
		signal    *SignalError
		usage     *usageError
		refused   *refusedError
		list      *diag.ListError
		busy      *eventlog.BusyError
		notFound  *store.NotFoundError
		ambiguous *store.AmbiguousError
		turn      *turnError
		boundary  *store.BoundaryError
	)
	switch {
	case errors.As(err, &signal):
		return signal.Exit
	case errors.As(context.Cause(ctx), &signal):
		return signal.Exit
	case errors.As(err, &usage), errors.As(err, &list), errors.As(err, &notFound), errors.As(err, &ambiguous), errors.As(err, &boundary):
		return exitUsage
	case errors.As(err, &refused), errors.As(err, &busy):
		return exitRefused
	case errors.As(err, &turn) && isMiscited(turn.code):
		return exitUsage
	case errors.As(err, &turn) && (isLimit(turn.code) || turn.code == msg.CodePromptBlocked):
		return exitRefused
	}
	return exitFailed
}

// isLimit reports the codes of the limits that end a turn.
func isLimit(code string) bool {
	return code == ref.CodeBudgetExceeded || code == msg.CodeMaxSteps || code == msg.CodeMaxInputTokens || code == msg.CodeMaxCost || code == msg.CodeTurnTimeout
}

// isMiscited reports the codes of references that whoever wrote the prompt has to
// write otherwise.
func isMiscited(code string) bool {
	return code == ref.CodeInvalidReference || code == ref.CodeSelfReference || code == ref.CodeTooMany
}
