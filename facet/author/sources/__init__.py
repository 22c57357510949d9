"""First halves: untidy material, and how to read it."""
