"""The embedded author: a deterministic writer of tasks that sees only what an ask shows it."""
