package cli

// Unguarded returns the environment of a dsh test that lets scenarios pass that assert
// nothing, for scripts that are not about an agent.
func Unguarded(e Env) Env {
	e.unguarded = true
	return e
}
