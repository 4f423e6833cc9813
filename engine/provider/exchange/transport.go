package exchange

import (
	"net"
	"net/http"
	"time"
)

// DefaultTransport returns a transport for real providers. It asks for no
// compression, so that a stream arrives as the provider wrote it, and keeps
// connections for the next request. It has no proxy: the caller, who reads
// settings and the environment, sets Proxy.
func DefaultTransport() *http.Transport {
	dialer := &net.Dialer{Timeout: 15 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Transport{
		DialContext:         dialer.DialContext,
		ForceAttemptHTTP2:   true,
		DisableCompression:  true,
		TLSHandshakeTimeout: 15 * time.Second,
		MaxIdleConnsPerHost: 8,
		IdleConnTimeout:     90 * time.Second,
	}
}
