package ref

// The stable codes of failures. They never change their meaning.
const (
	CodeInvalidReference = "SESSION_REFERENCE_INVALID_REFERENCE"
	CodeSelfReference    = "SESSION_REFERENCE_SELF_REFERENCE"
	CodeTooMany          = "SESSION_REFERENCE_TOO_MANY"
	CodeCancelled        = "SESSION_REFERENCE_CANCELLED"
	CodeReadFailed       = "SESSION_REFERENCE_READ_FAILED"
	CodeBudgetExceeded   = "SESSION_REFERENCE_BUDGET_EXCEEDED"
	CodeInvalidConfig    = "SESSION_REFERENCE_INVALID_CONFIG"
)

// Error is a failure to refer to a session, with one of the codes.
type Error struct {
	Code    string
	Message string
	Err     error // cause, or nil
}

func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// StableCode returns the code.
func (e *Error) StableCode() string { return e.Code }
