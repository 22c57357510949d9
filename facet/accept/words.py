"""Texts compared by runs of words: overlap with known texts, and near-duplicates. Pure."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

WORD = re.compile(r"\w+")


class Likeness(NamedTuple):
    """Two texts and how much they share, 0 to 1."""

    name: str
    other: str
    share: float


def ngrams(text: str, size: int) -> frozenset[tuple[str, ...]]:
    """Distinct runs of `size` words, case and punctuation left out.

    A text of fewer words is one run: it can only be met whole.
    """
    words = WORD.findall(text.casefold())
    count = max(1, len(words) - size + 1)
    return frozenset(tuple(words[i : i + size]) for i in range(count)) if words else frozenset()


def overlaps(
    texts: Mapping[str, str], known: Iterable[tuple[str, str]], size: int
) -> list[Likeness]:
    """For each text the known one that holds the largest share of its runs; none is left out."""
    runs = {name: ngrams(text, size) for name, text in texts.items()}
    owners: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    for name, found in runs.items():
        for run in found:
            owners[run].append(name)
    best = {name: Likeness(name, "", 0.0) for name in texts}
    for other, text in known:
        shared: defaultdict[str, int] = defaultdict(int)
        for run in ngrams(text, size):
            for name in owners.get(run, ()):
                shared[name] += 1
        for name, count in shared.items():
            share = count / len(runs[name])
            if share > best[name].share:
                best[name] = Likeness(name, other, share)
    return list(best.values())


def near_duplicates(texts: Mapping[str, str], limit: float, size: int = 5) -> list[Likeness]:
    """Pairs whose runs have a Jaccard similarity above `limit`, the most alike first."""
    runs = {name: ngrams(text, size) for name, text in texts.items()}
    owners: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    pairs: defaultdict[tuple[str, str], int] = defaultdict(int)
    for name, found in runs.items():
        for run in found:
            for other in owners[run]:
                pairs[other, name] += 1
            owners[run].append(name)
    alike = (
        Likeness(second, first, shared / len(runs[first] | runs[second]))
        for (first, second), shared in pairs.items()
    )
    return sorted((a for a in alike if a.share > limit), key=lambda a: (-a.share, a.name))
