package chat

// AskSize makes size what the terminal is asked for its size with.
func (c *Terminal) AskSize(size func() (width, height int, err error)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.size = size
}

// Still does something while nothing is drawn.
func (c *Terminal) Still(do func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	do()
}
