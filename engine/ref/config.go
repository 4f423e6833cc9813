package ref

import (
	"fmt"
)

// The bounds and defaults of a configuration (spec/references.md section 1).
const (
	DefaultMaxReferences     = 3
	MostReferences           = 16
	DefaultMaxReferenceBytes = 65536
	DefaultCandidateLimit    = 50
	mostSafe                 = 1<<53 - 1
)

// Config bounds what references may bring into a session. A zero field has its
// default; MaxTotalBytes has none.
type Config struct {
	MaxReferences     int64 // distinct sessions that one message may cite
	MaxReferenceBytes int64 // of each of them, in bytes of tag-safe JSON
	MaxTotalBytes     int64 // of all of them together, 0 for no limit
	CandidateLimit    int64 // sessions that are offered
}

// Default fills in what is zero.
func (c Config) Default() Config {
	for _, f := range []struct {
		field *int64
		value int64
	}{{&c.MaxReferences, DefaultMaxReferences}, {&c.MaxReferenceBytes, DefaultMaxReferenceBytes}, {&c.CandidateLimit, DefaultCandidateLimit}} {
		if *f.field == 0 {
			*f.field = f.value
		}
	}
	return c
}

// Check holds a configuration to its bounds. Errors: *Error with CodeInvalidConfig.
func (c Config) Check() error {
	for _, f := range []struct {
		name  string
		value int64
		least int64
		most  int64
	}{
		{"max_references", c.MaxReferences, 1, mostSafe}, {"candidate_limit", c.CandidateLimit, 1, mostSafe},
		{"max_reference_bytes", c.MaxReferenceBytes, 1, mostSafe}, {"max_total_bytes", c.MaxTotalBytes, 0, mostSafe},
		{"max_references", c.MaxReferences, 1, MostReferences},
	} {
		if f.value < f.least || f.value > f.most {
			return &Error{Code: CodeInvalidConfig, Message: fmt.Sprintf("%s is %d and must be between %d and %d", f.name, f.value, f.least, f.most)}
		}
	}
	return nil
}
