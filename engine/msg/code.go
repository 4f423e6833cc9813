package msg

import "errors"

// Stable codes of failures that are not one provider's own. A code never changes
// its meaning; scripts and exit codes depend on them.
const (
	CodeUnknown        = "UNKNOWN"
	CodeAborted        = "ABORTED"
	CodeCancelled      = "CANCELLED"
	CodeNoModel        = "NO_MODEL"
	CodeUnknownTool    = "UNKNOWN_TOOL"
	CodeMaxTokens      = "MAX_TOKENS"
	CodePromptBlocked  = "PROMPT_BLOCKED"
	CodeDenied         = "DENIED"
	CodeTimeout        = "TIMEOUT"
	CodeMaxSteps       = "MAX_STEPS"
	CodeMaxInputTokens = "MAX_INPUT_TOKENS"
	CodeMaxCost        = "MAX_COST"
	CodeTurnTimeout    = "TURN_TIMEOUT"
	CodeInvariant      = "INVARIANT"
	CodeInvalidPrefix  = "INVALID_PREFIX"
	CodeLogWrite       = "LOG_WRITE"
	CodeContextWindow  = "CONTEXT_WINDOW_EXCEEDED" // a request is longer than the model reads
)

// Error is a failure the program met, with its stable code.
type Error struct {
	Code    string
	Message string
	Err     error // cause, or nil
}

func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// StableCode implements the interface CodeOf looks for.
func (e *Error) StableCode() string { return e.Code }

// CodeOf returns the stable code of an error: that of the first error in its
// chain which has a StableCode method, else CodeUnknown.
func CodeOf(err error) string {
	var c interface{ StableCode() string }
	if errors.As(err, &c) {
		return c.StableCode()
	}
	return CodeUnknown
}
