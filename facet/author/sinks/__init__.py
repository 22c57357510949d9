"""Second halves: what is made of a clean table, and how to test it."""
