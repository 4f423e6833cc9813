package store

import (
	"github.com/dsh-hcl/dsh/engine/eventlog"
)

// Place puts the text of a log into the store as it is, whatever its version and
// its state, as the session of its header h. Errors: an id that cannot be a file
// name; fs.ErrExist when the store has that session; those of the file system.
func (s *Store) Place(h eventlog.Header, text []byte) error {
	to, err := s.path(h.Cwd, h.ID)
	if err != nil {
		return err
	}
	return s.log.Files.Publish(to, text)
}
