// Package openai speaks the chat completions protocol of OpenAI and of everybody
// who answers like it: one POST, an answer as server-sent events. It reads the
// union of the dialects, so no answer depends on how it is configured: OpenAI's and
// DeepSeek's reasoning and cache counters, the empty first chunk of Azure, tool
// calls without index, and gateways that answer with one JSON object after all.
//
// The body is sent as it came, byte for byte, with its length; it is never built
// here (engine/wire does that). Time limits are kept with real timers, which the
// fake clock of testing/synctest drives.
package openai
