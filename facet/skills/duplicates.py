"""Copies among skills: the same words, or nearly (MinHash over 5-word shingles).

The similarity is an estimate with 64 permutations (standard error about 0.06), so a pair right
at the threshold may fall on either side; the same input always gives the same answer.
"""

import re
import zlib
from collections.abc import Iterable

from facet.types.skill import ScreenFinding

THRESHOLD = 0.78  # Jaccard similarity of shingle sets
SHINGLE = 5
PERMUTATIONS = 64
WORD = re.compile(r"\w+")


def near_duplicates(texts: Iterable[tuple[str, str]]) -> dict[str, ScreenFinding]:
    """For each (id, text) that copies an earlier one: the finding that drops it."""
    from datasketch import MinHash, MinHashLSH

    index = MinHashLSH(threshold=THRESHOLD, num_perm=PERMUTATIONS)
    sketches: dict[str, MinHash] = {}
    exact: dict[str, str] = {}
    found: dict[str, ScreenFinding] = {}
    for ident, text in texts:
        words = WORD.findall(text.lower())
        whole = " ".join(words)
        if whole in exact:
            found[ident] = _finding("exact-duplicate", exact[whole], 1.0)
            continue
        exact[whole] = ident
        sketch = MinHash(num_perm=PERMUTATIONS, hashfunc=_hash)
        sketch.update_batch(shingles(words))
        like = [(sketch.jaccard(sketches[other]), other) for other in index.query(sketch)]
        best = max(like, default=(0.0, ""), key=lambda pair: (pair[0], pair[1]))
        if best[0] >= THRESHOLD:
            found[ident] = _finding("near-duplicate", best[1], best[0])
            continue
        sketches[ident] = sketch
        index.insert(ident, sketch)
    return found


def shingles(words: list[str]) -> list[bytes]:
    """Distinct runs of 5 words (all words as one when there are fewer), sorted."""
    count = max(1, len(words) - SHINGLE + 1)
    return sorted({" ".join(words[i : i + SHINGLE]).encode() for i in range(count)})


def _hash(data: bytes) -> int:
    return zlib.crc32(data)


def _finding(rule: str, other: str, likeness: float) -> ScreenFinding:
    how = "the same text as" if likeness >= 1.0 else f"about {likeness:.0%} the text of"
    return ScreenFinding(
        rule=rule, effect="drop", path="SKILL.md", line=None, excerpt=other[:200],
        reason=f"{how} {other}"[:300],
    )  # fmt: skip
