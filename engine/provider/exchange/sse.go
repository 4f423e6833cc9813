package exchange

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// maxEvent bounds, in bytes, one event and one answer, whether of JSON or the data
// of all events of a stream: far above what any
// model writes, below what would exhaust a machine.
const maxEvent = 64 << 20

var errTooLong = errors.New("longer than 64 MiB")

// eventReader reads server-sent events: lines end in LF, CRLF or CR, several data
// lines are joined by LF, comments and unknown fields are passed over, and so are
// events without data. An event is handed out as soon as its last byte is there.
type eventReader struct {
	br     *bufio.Reader
	done   string // data that needs no blank line behind it, "" for none
	max    int    // bytes of one event; maxEvent outside tests
	long   []byte // a line that does not lie in br as a whole
	data   []byte
	name   string
	skipLF bool // the last line ended in CR: an LF that follows belongs to it
}

// next returns the next event. Its data is valid until the next call. The event
// that ends the stream by its data needs no blank line behind it. Errors: io.EOF at the end, where an
// unfinished event is dropped; errTooLong; errors of the reader.
func (r *eventReader) next() (name string, data []byte, err error) {
	r.data, r.name = r.data[:0], ""
	seen := false
	for {
		line, err := r.line()
		if err != nil && (err != io.EOF || len(line) == 0) {
			return "", nil, err
		}
		if len(line) == 0 {
			if len(r.data) > 0 {
				return r.name, r.data, nil
			}
			r.name, seen = "", false
			continue
		}
		field, value, _ := bytes.Cut(line, []byte{':'})
		value = bytes.TrimPrefix(value, []byte{' '})
		switch string(field) {
		case "data":
			if seen {
				r.data = append(r.data, '\n')
			}
			seen = true
			if len(r.data)+len(value) > r.max {
				return "", nil, errTooLong
			}
			r.data = append(r.data, value...)
			if r.done != "" && string(r.data) == r.done {
				return r.name, r.data, nil
			}
		case "event":
			r.name = string(value)
		}
		if err != nil {
			return "", nil, err
		}
	}
}

// line returns the next line without its end, valid until the next call. At the
// end of the input it returns what stands there with io.EOF.
func (r *eventReader) line() ([]byte, error) {
	r.long = r.long[:0]
	for {
		if _, err := r.br.Peek(1); err != nil {
			return r.long, err
		}
		chunk, _ := r.br.Peek(r.br.Buffered())
		if r.skipLF {
			r.skipLF = false
			if chunk[0] == '\n' {
				r.br.Discard(1)
				continue
			}
		}
		end := bytes.IndexByte(chunk, '\n')
		if end < 0 {
			end = len(chunk)
		}
		if cr := bytes.IndexByte(chunk[:end], '\r'); cr >= 0 {
			end = cr
		}
		if end == len(chunk) {
			if len(r.long)+len(chunk) > r.max {
				return nil, errTooLong
			}
			r.long = append(r.long, chunk...)
			r.br.Discard(len(chunk))
			continue
		}
		r.skipLF = chunk[end] == '\r'
		r.br.Discard(end + 1) // the bytes stay where they are until the next read
		if len(r.long) == 0 {
			return chunk[:end], nil
		}
		r.long = append(r.long, chunk[:end]...)
		return r.long, nil
	}
}
