// Package verify rebuilds every request of a session from its log alone and
// compares it with the digest recorded when it was sent. It folds the log anew
// and shares nothing with the engine but the value packages and the encoders.
// Format: docs/format/log.md.
package verify
