// Package openai speaks the chat completions protocol of OpenAI and of everybody
// who answers like it: one POST, an answer as server-sent events. It reads the
// union of the dialects, so no answer depends on how it is configured: OpenAI's and
// DeepSeek's reasoning and cache counters, the empty first chunk of Azure, tool
// calls without index, and gateways that answer with one JSON object after all.
// How the exchange goes is in package exchange.
package openai
