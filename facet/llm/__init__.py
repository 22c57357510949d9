"""Models: one contract (`base`), several providers, one client that caches, counts and limits."""
