// Package provider is what the engine knows of a model's provider: a client that
// turns a request body into a stream of chunks, the errors such a client may end
// with, and the assembler that turns chunks into a message. The protocols stand in
// the packages below it.
//
// It promises that an error names the endpoint, the status and the provider's own
// words, and never a credential: see Secrets.
package provider
