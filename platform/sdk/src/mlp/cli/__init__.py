"""The `mlp` command. Each command is a function of its own, loaded only when it is typed."""
