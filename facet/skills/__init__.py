"""Skill packages: read leniently, screened strictly, never executed.

`read_folder(path)` gives every package of a folder, `read_corpus(sources)` reads and screens
folders and archives together, `record(corpus, journal, blobs)` writes what was found.
"""

from facet.skills.corpus import Corpus, read_corpus, record
from facet.skills.read import Unreadable, read_folder
from facet.skills.screen import screen, screen_all

__all__ = ["Corpus", "Unreadable", "read_corpus", "read_folder", "record", "screen", "screen_all"]
