// Package exchange is one exchange with a model's provider over HTTP: a POST, and its
// answer as server-sent events or as one object. It knows no protocol: clients say
// where a request goes, how it is authorised and what an event means, and share
// everything else: time limits, what a refusal means, the provider's own words, and
// that no credential is ever shown.
//
// The body is sent as it came, byte for byte, with its length; it is never built
// here (engine/wire does that). Time limits are kept with real timers, which the
// fake clock of testing/synctest drives.
package exchange
