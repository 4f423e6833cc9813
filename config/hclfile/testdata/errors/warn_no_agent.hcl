# WARNING(none): No agent: The configuration declares no agent, so there is nothing to run. Declare one: agent "NAME" { ... }
