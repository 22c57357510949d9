"""The contract matrix: what each artifact needs, names and holds, and who stands alone."""
