package cli

import (
	"path/filepath"

	"github.com/dsh-hcl/dsh/config/settings"
	"github.com/dsh-hcl/dsh/engine/eventlog"
	"github.com/dsh-hcl/dsh/engine/store"
	"github.com/dsh-hcl/dsh/engine/verify"
)

func (c *command) openStore() (*store.Store, error) {
	set, err := c.settings()
	if err != nil {
		return nil, err
	}
	if err := needStore(set); err != nil {
		return nil, err
	}
	return c.storeAt(set), nil
}

// needStore reports that no folder for sessions is known.
func needStore(set settings.Settings) error {
	if set.Store.V != "" {
		return nil
	}
	return usageErrorf("no folder for sessions is known: there is no home folder and no XDG_STATE_HOME. Name one with --store or DSH_STORE.")
}

func (c *command) storeAt(set settings.Settings) *store.Store {
	return store.New(set.Store.V,
		eventlog.Options{Files: eventlog.Disk{Volatile: c.env.Within != ""}, Now: func() int64 { return c.env.Now().UnixMilli() }},
		func() eventlog.Holder {
			return eventlog.Holder{PID: c.env.PID, Host: c.env.Host, Since: c.env.Now().UnixMilli()}
		}).Guarded(verify.Guard)
}

// readSession finds a session and returns the text of its log.
func (c *command) readSession(ref string) (store.Entry, string, error) {
	s, err := c.openStore()
	if err != nil {
		return store.Entry{}, "", err
	}
	entry, err := s.Find(ref, c.workspace())
	if err != nil {
		return entry, "", err
	}
	b, err := eventlog.Disk{}.Read(entry.Path)
	return entry, string(b), err
}

// trustFile is where the machine keeps what it trusts.
func trustFile(set settings.Settings) string { return filepath.Join(set.Store.V, "trust.json") }
