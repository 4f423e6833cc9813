// Package script is the scripted model: a transport that answers in the chat
// completions protocol and in the messages protocol with replies somebody wrote, so that the body, the stream
// and the usage of a scenario go through the real client. It knows no files and no
// network, takes its clock from its options and never answers the same script
// differently.
package script

import "time"

// Reply is one scripted answer. All text is valid UTF-8.
type Reply struct {
	Reasoning string
	Text      string
	Tools     []Call
	// Finish is "stop", "tool-calls" or "max-tokens", "" for what the content
	// implies. Another value goes out as the provider's own reason.
	Finish string
	// Usage is what the answer reports, nil for an estimate of one token for every
	// four bytes, rounded up, and for what the cache says.
	Usage *Usage
	// Error, when not nil, is the whole answer besides Delay.
	Error *Error
	// Expect, when not nil, is held against the request. One that does not meet it
	// is refused at once, with status 400 and code SCRIPT_EXPECTATION, and the reply
	// is used up.
	Expect *Expect
	// Delay passes before the head of the answer.
	Delay time.Duration
	// Cut ends the answer in the middle: after half of its deltas, the larger one,
	// and half of the line that would follow.
	Cut bool
}

// Call is a scripted tool call. Arguments goes out as it is. An ID of "" becomes
// call_1, call_2 and so on, counted over all replies of a transport.
type Call struct{ ID, Name, Arguments string }

// Usage is in tokens. Input excludes CachedInput and CacheWrite; Output includes
// Reasoning.
type Usage struct{ Input, CachedInput, CacheWrite, Output, Reasoning int }

// Error is a refusal. A Status of 0 is 500.
type Error struct {
	Status        int
	Code, Message string
	RetryAfter    time.Duration // when to ask again, 0 to say nothing
}
