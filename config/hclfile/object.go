package hclfile

import "strconv"

// object writes one canonical JSON object member by member, in call order.
type object struct{ buf []byte }

func (o *object) key(k string) {
	if len(o.buf) > 0 {
		o.buf = append(o.buf, ',')
	}
	o.buf = append(appendText(o.buf, k), ':')
}

func (o *object) text(k, v string)       { o.key(k); o.buf = appendText(o.buf, v) }
func (o *object) whole(k string, v int)  { o.key(k); o.buf = strconv.AppendInt(o.buf, int64(v), 10) }
func (o *object) truth(k string, v bool) { o.key(k); o.buf = strconv.AppendBool(o.buf, v) }
func (o *object) raw(k, v string)        { o.key(k); o.buf = append(o.buf, v...) }

// members adds the members of another object.
func (o *object) members(from *object) {
	if len(from.buf) == 0 {
		return
	}
	if len(o.buf) > 0 {
		o.buf = append(o.buf, ',')
	}
	o.buf = append(o.buf, from.buf...)
}

func (o *object) end() string { return "{" + string(o.buf) + "}" }

// array joins canonical values.
func array(values []string) string {
	n := 2 + len(values)
	for _, v := range values {
		n += len(v)
	}
	buf := append(make([]byte, 0, n), '[')
	for i, v := range values {
		if i > 0 {
			buf = append(buf, ',')
		}
		buf = append(buf, v...)
	}
	return string(append(buf, ']'))
}
