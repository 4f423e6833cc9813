// Package config is a configuration after merge, evaluation and defaults: plain
// values with the places they were written at. It knows no HCL and opens no
// file; config/hclfile fills it, engine compiles it.
package config

import (
	"time"

	"github.com/dsh-hcl/dsh/config/diag"
)

// Attr is the value of one attribute. Set tells a written value from a default;
// At is the place of the written value, or of the block for a default. T is the
// plain value in the unit its field documents.
type Attr[T any] struct {
	V   T
	Set bool
	At  diag.Range
}

// Config is one loaded configuration. Slices are in the order of declaration:
// files in merge order, blocks in file order. Nobody changes a Config after Load
// returned it.
type Config struct {
	Dir       string // absolute path of the configuration folder
	Workspace string // absolute path of the workspace
	Providers []Provider
	Models    []Model
	Agents    []Agent
	Hooks     []Hook
	Tools     []Tool
	Starts    []Start // what needs trust, in order of declaration
	// DisabledRules are the rules whose warnings are not shown, in byte order.
	DisabledRules []string

	// Entries lists every attribute, in the order of files and blocks. It is computed
	// when it is called.
	Entries func() []Entry
}

// Agent returns the agent of that name.
func (c *Config) Agent(name string) (*Agent, bool) {
	for i := range c.Agents {
		if c.Agents[i].Name == name {
			return &c.Agents[i], true
		}
	}
	return nil, false
}

// Model returns the model of that name.
func (c *Config) Model(name string) (*Model, bool) {
	for i := range c.Models {
		if c.Models[i].Name == name {
			return &c.Models[i], true
		}
	}
	return nil, false
}

// Provider returns the provider of that name.
func (c *Config) Provider(name string) (*Provider, bool) {
	for i := range c.Providers {
		if c.Providers[i].Name == name {
			return &c.Providers[i], true
		}
	}
	return nil, false
}

// Hook returns the hook of that name.
func (c *Config) Hook(name string) (*Hook, bool) {
	for i := range c.Hooks {
		if c.Hooks[i].Name == name {
			return &c.Hooks[i], true
		}
	}
	return nil, false
}

// Tool returns the tool of that name.
func (c *Config) Tool(name string) (*Tool, bool) {
	for i := range c.Tools {
		if c.Tools[i].Name == name {
			return &c.Tools[i], true
		}
	}
	return nil, false
}

// Provider is a provider block. Protocol is "openai", "script" or "replay".
type Provider struct {
	Name     string
	At       diag.Range
	Protocol Attr[string]
	Dialect  Attr[string] // "openai" (default), "deepseek", or "anthropic" for that protocol: who reads reasoning, how limits are spelt
	BaseURL  Attr[string]
	APIKey   Secret
	// In place of APIKey: the absolute path of a file that holds the key, or a program
	// that prints it.
	APIKeyFile    Attr[string]
	APIKeyCommand Attr[[]string]
	CAFile        string              // absolute path of CA, "" for none
	CA            Attr[string]        // certificates in PEM form, besides those of the machine
	Headers       []Header            // in byte order of their names
	Timeout       Attr[time.Duration] // until the response header
	IdleTimeout   Attr[time.Duration] // between two bytes of a stream
	Retry         Retry
	CacheTTL      Attr[string] // "5m", "1h" or "none", for protocol anthropic
	Script        Attr[string] // absolute path of the scripted model, for protocol script
	Replies       *Script      // the decoded script, for protocol script
	Log           Attr[string] // absolute path of the recorded session, for protocol replay
	Recording     string       // the text of that log
}

// Retry says how often a request is sent, and how long the pauses in between are.
// The zero Retry sends every request once.
type Retry struct {
	Attempts           Attr[int]
	MinDelay, MaxDelay Attr[time.Duration]
}

// Header is one HTTP header of a provider, its value a secret.
type Header struct {
	Name  string
	Value Secret
}

// Script is a scripted model file, decoded. Replies are used in order; Default
// answers when they are used up, if it is given.
type Script struct {
	Path    string
	Cache   ScriptCache
	Replies []Reply
	Default *Reply
}

// ScriptCache is how the provider of a scripted model caches prompts. A number of
// 0 is that of the rules.
type ScriptCache struct {
	Rules         string // "deepseek", "openai", "anthropic" or "none"
	Unit, Minimum int    // tokens
	TTL           time.Duration
}

// Reply is one scripted answer.
type Reply struct {
	At        diag.Range
	Text      string
	Reasoning string
	Expect    *ReplyExpect
	Tools     []ReplyTool
	Finish    string // "stop", "tool-calls", "max-tokens", or "" for what the content implies
	Usage     *ReplyUsage
	Error     *ReplyError
	Delay     time.Duration
	Cut       bool // the stream ends in the middle, without its closing line
}

// ReplyExpect is what a request has to hold for a scripted answer: texts, and
// matches of regular expressions.
type ReplyExpect struct{ Contains, Matches []string }

// ReplyTool is a scripted tool call. Arguments is canonical JSON text.
type ReplyTool struct {
	ID        string // "" for call_N
	Name      string
	Arguments string
}

// ReplyUsage is the usage a scripted answer reports, in tokens.
type ReplyUsage struct{ Input, CachedInput, CacheWrite, Output, Reasoning int }

// ReplyError makes the scripted provider answer with an HTTP error.
type ReplyError struct {
	Status     int // HTTP status, 500 when not given
	Code       string
	Message    string
	RetryAfter time.Duration // 0 when not given
}

// Model is a model block. Limits are in tokens, 0 when not given.
type Model struct {
	Name            string
	At              diag.Range
	Provider        string // name of a declared provider
	ID              Attr[string]
	ContextWindow   Attr[int]
	MaxOutputTokens Attr[int]
	Tokenizer       Attr[string] // a name of schema.Tokenizers, or the absolute path of a file; "" when not given
	Temperature     Attr[string] // canonical JSON number, "" when not given
	TopP            Attr[string] // canonical JSON number, "" when not given
	Stop            Attr[[]string]
	Thinking        Attr[string] // "adaptive", "" when not given
	ThinkingTokens  Attr[int]
	Price           *Price // nil when not given
}

// Price is what a million tokens cost, in billionths of the currency's unit.
type Price struct {
	At                                     diag.Range
	Input, CachedInput, CacheWrite, Output int64
	Currency                               string // three capital letters
	AsOf                                   string // YYYY-MM-DD, "" when not given
}

// Agent is an agent block. Digest is the SHA-256, in lower-case hex, of the
// canonical JSON of the evaluated agent with secrets as null.
type Agent struct {
	Name        string
	At          diag.Range
	Description Attr[string]
	Model       Attr[string] // name of a declared model
	System      []Contributor
	Prefix      []Contributor
	MaxTokens   Attr[int]    // of the prefix, 0 for no limit
	OnResume    Attr[string] // "recompose" or "reuse"
	OnFork      Attr[string] // "recompose" or "reuse"
	LogChunks   Attr[bool]
	LogTitle    Attr[string] // "none" or "prompt": where a title comes from that nobody gave
	Hooks       []string     // names of declared hooks, in the order they are asked
	Tools       []ToolRef    // in the order in which the model sees them
	Permissions *Permissions // nil when none are declared

	MaxSteps       Attr[int]           // per turn
	MaxInputTokens Attr[int]           // per turn, 0 for no limit
	MaxCost        Attr[int64]         // per session, in billionths of the unit of the price's currency; 0 for no limit
	TurnTimeout    Attr[time.Duration] // 0 for no limit
	ToolTimeout    Attr[time.Duration] // of one call
	References     *References         // nil when nothing may be cited
	Compaction     *Compaction         // nil when nothing is compacted
	Digest         string
}

// References is a references block of an agent.
type References struct {
	At                diag.Range
	MaxReferences     Attr[int]
	MaxReferenceBytes Attr[int]
	MaxTotalBytes     Attr[int] // 0 for no limit
	CandidateLimit    Attr[int]
	Allow, Deny       Attr[[]string] // patterns of workspaces; Allow not set stands for the session's own
}

// Compaction is a compaction block of an agent, as it is for the agent's model: a
// policy block for that model has taken the place of what it names. Threshold and
// Retain are in tokens, the ratios applied.
type Compaction struct {
	At                 diag.Range
	Threshold, Retain  Attr[int]
	Auto               Attr[bool]
	Retries            Attr[int]
	MaxOverflowRetries Attr[int]
	MinGain            Attr[string] // canonical JSON number, a share of the pressure
	Summary            Summary
	Prune              *Prune // nil when no result is shortened
}

// Summary is how an agent's compaction has summaries written.
type Summary struct {
	Model     Attr[string] // name of a declared model, "" for the agent's
	MaxTokens Attr[int]    // 0 for the limit of the model
	Retries   Attr[int]
	Prompt    Attr[string] // "" for the program's own
}

// Prune is how an agent's compaction shortens results of tools, in characters.
type Prune struct {
	At                    diag.Range
	Threshold, Head, Tail Attr[int]
}

// Hook is a hook block: a command that is asked at interception points.
type Hook struct {
	Name    string
	At      diag.Range
	On      Attr[[]string] // names of the points, each once
	Match   Attr[string]   // a regular expression for the whole subject, "" for any
	Command Attr[[]string] // the program and its arguments; the program is an absolute path or a bare name
	Timeout Attr[time.Duration]
	Env     []EnvVar // in byte order of their names
}

// Tool is a tool block: a command that the model may call.
type Tool struct {
	Name        string
	At          diag.Range
	Description Attr[string]
	Command     Attr[[]string] // as in Hook
	Input       Attr[string]   // a JSON Schema, canonical JSON; an object without properties when not given
	Timeout     Attr[time.Duration]
	MaxOutput   Attr[int] // bytes of each output
	Env         []EnvVar  // in byte order of their names
}

// ToolRef is a tool as an agent lists it. Its name is the one the model sees.
type ToolRef struct {
	Kind string // "builtin" or "tool"
	Name string
	At   diag.Range
}

// Permissions is a permissions block of an agent: rules, each the name of a tool,
// or NAME(PATTERN).
type Permissions struct {
	At               diag.Range
	Allow, Ask, Deny []Rule
}

// Rule is a rule for the calls of one tool, by the name that the model knows. Pattern
// is "" for all of them.
type Rule struct{ Tool, Pattern string }

// String is how the rule is written.
func (r Rule) String() string {
	if r.Pattern == "" {
		return r.Tool
	}
	return r.Tool + "(" + r.Pattern + ")"
}

// EnvVar is a variable of a process's environment. Its value is resolved when the
// process first starts.
type EnvVar struct {
	Name  string
	Value Secret
}

// Kind is the kind of a contributor, as its block is named.
type Kind string

// The contributor kinds.
const (
	KindText         Kind = "text"
	KindFile         Kind = "file"
	KindTemplate     Kind = "template"
	KindMessages     Kind = "messages"
	KindFiles        Kind = "files"
	KindInstructions Kind = "instructions"
	KindCommand      Kind = "command"
	KindSkills       Kind = "skills"
)

// Contributor is one contributor block of a system or a prefix block.
type Contributor struct {
	Kind     Kind
	Name     string
	Address  string // KIND.NAME; GROUP.KIND.NAME through an include; system. in front of either in system
	At       diag.Range
	Role     Attr[string] // "user" or "assistant"; always "user" in system
	Envelope Attr[string] // tag that wraps the content, "" for none
	When     Attr[bool]
	OnError  Attr[string] // "fail" or "skip"
	OnChange Attr[string] // "ignore" or "notice"
	MaxBytes Attr[int]    // of content, before the envelope; 0 for no limit
	Oversize Attr[string] // "error", "head", "tail" or "middle"
	Newlines Attr[string] // "keep" or "lf"

	Content  Attr[string] // text: NFC, newlines applied
	Path     Attr[string] // file, template and messages: absolute path
	Origin   string       // path relative to configuration or workspace, or file:line for inline content
	Optional Attr[bool]   // file, files and skills: absent is empty
	Template Template     // template
	Messages []Message    // messages: those that are written in the configuration

	Folder           string     // files: absolute path of the folder that patterns start at; skills: of the one with the skills
	Include, Exclude []string   // files: patterns
	Split            Attr[bool] // files: each file is a message
	MaxFileBytes     Attr[int]  // files and instructions: of each; 0 for no limit
	Names            []string   // instructions: names of files, with slashes
	Folders          []string   // instructions: absolute paths, the working directory last
	Required         Attr[bool] // instructions: none is an error

	Command Attr[[]string]      // command: as in Hook
	Timeout Attr[time.Duration] // command
	Env     []EnvVar            // command: in byte order of their names
}

// Message is a message of a messages contributor.
type Message struct {
	Role    string // "user" or "assistant"
	Content string // NFC, newlines applied
	Origin  string // file:line
}

// Template renders a template contributor. Render is pure: everything it reads
// was read at load. Its diagnostics point into the template.
type Template struct {
	Render func() (string, diag.List)
}

// Start is a declaration that needs trust: it starts a process, reaches an
// endpoint, reads the environment or brings a credential of its author. Text
// shows it to the person who decides.
type Start struct {
	Kind string // "base_url", "env", "literal", "hook", "command", "tool"
	For  string // address of the declaration it belongs to: "hook.guard"
	Text string
	At   diag.Range
}
