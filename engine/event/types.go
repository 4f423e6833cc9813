package event

// Types are the types of events that this program writes, in the order of
// docs/format/log.md. A log may hold others.
func Types() []string {
	return []string{
		"user/message", "assistant/message", "tool/result", "context/message", "steering/message",
		"turn/start", "turn/end", "step/start", "step/end", "prompt/blocked", "tool/call", "assistant/chunk",
		"request/header", "request/header-delta", "request/sent", "request/attempt", "hook/invoked", "hook/result", "tool/permission", "session/title", "contributor/skipped",
		"compact/gate", "compact/start", "compact/prune", "compact/summary", "compact/end",
	}
}

// EndKinds are the kinds of turn end.
func EndKinds() []EndKind {
	return []EndKind{EndCompleted, EndAborted, EndError, EndDisposed, EndMaxTokens, EndRejected, EndInterrupted}
}
