package schema

import "strings"

// Paths are the addresses of all blocks, in the order of documentation: "model",
// "model.price". Those of the scripted model follow those of the configuration.
func Paths() []string {
	var out []string
	var walk func(prefix string, b *Block)
	walk = func(prefix string, b *Block) {
		for _, c := range b.Blocks {
			out = append(out, prefix+c.Block.Type)
			walk(prefix+c.Block.Type+".", c.Block)
		}
	}
	walk("", Language())
	walk("", Script())
	return out
}

// Find returns the block at an address, as its parent has it.
func Find(path string) (Child, bool) {
	for _, root := range []*Block{Language(), Script()} {
		at, found := Child{Block: root}, true
		for _, name := range strings.Split(path, ".") {
			next, ok := at.Block.Child(name)
			if found = ok; !ok {
				break
			}
			at = *next
		}
		if found {
			return at, true
		}
	}
	return Child{}, false
}
