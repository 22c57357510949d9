"""The nouns. One file per noun; values are frozen and name their units."""
