"""Grading: the runner that checks a final state, and the text that starts it."""
