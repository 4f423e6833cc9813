package schema

// Name is a name that expressions can read.
type Name struct{ Name, Doc string }

// Names are the names that expressions read, in the order of documentation.
func Names() []Name {
	return []Name{
		{"var.NAME", "The value of a `variable`."},
		{"local.NAME", "The value of a local."},
		{"path.config", "The absolute path of the configuration folder."},
		{"path.workspace", "The absolute path of the workspace."},
		{"path.home", "The absolute path of the home folder."},
		{"env.NAME", "An environment variable. It is sensitive: `nonsensitive(env.LANG)` says that it may be seen. One that is not set is an error. A configuration that reads the environment must be trusted before it runs."},
		{"workspace.name", "The name of the workspace's folder."},
		{"workspace.root", "The absolute path of the workspace."},
		{"workspace.branch", "The branch that is checked out, null without one."},
		{"workspace.commit", "The commit that is checked out, null without one."},
		{"agent.name", "In a contributor: the name of its agent. `agent.description` is there too."},
		{"model.id", "In a contributor: the id of its agent's model. `model.name`, `model.provider`, `model.context_window` and `model.max_output_tokens` are there too; what is not written is null."},
		{"vars.NAME", "In a template: a value of its `vars`."},
	}
}
