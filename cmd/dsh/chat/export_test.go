package chat

// AskSize makes size what the terminal is asked for its size with.
func (c *Terminal) AskSize(size func() (width, height int, err error)) { c.size = size }
