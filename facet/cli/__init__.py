"""The `facet` command: one file per command, loaded only when it is called."""
