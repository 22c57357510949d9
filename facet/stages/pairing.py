"""Stage 1b: which contexts belong together? Retrieval proposes, a judge decides, limits spread.

Retrieval: TF-IDF similarity of contexts, what the first makes against what the second takes.
Diversity: candidates are taken round-robin over pairs of capabilities, and no skill is in more
than its share of the seeds. Everything is a function of contexts and seed: the number of threads
changes nothing.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from math import ceil
from typing import NamedTuple

from facet.llm.client import Caller
from facet.types.asks import PairAsk
from facet.types.skill import Context, PairVerdict, Skill

SHARE = 0.1  # of the seeds that one skill may be in
LEAST_WAVE = 4  # pairs judged at once, at least
SPREAD_OVER = 300  # pairs of capabilities that are put in an order of spread
PER_CAPABILITIES = 40  # candidates kept for one pair of capabilities
JUDGED_PER_SEED = 12  # pairs judged for each wanted seed, at most


class Situated(NamedTuple):
    """A context with its skill."""

    skill: Skill
    context: Context


class Pair(NamedTuple):
    """An ordered candidate: the first one's product feeds the second."""

    first: Situated
    second: Situated

    @property
    def skill_ids(self) -> tuple[str, str]:
        """Ids of both skills."""
        return self.first.skill.id, self.second.skill.id

    @property
    def capabilities(self) -> tuple[str, str]:
        """What is done, first and second."""
        return self.first.context.capability, self.second.context.capability


class Judged(NamedTuple):
    """A pair with the judge's answer."""

    pair: Pair
    verdict: PairVerdict


type JudgeMany = Callable[[Sequence[Pair]], Sequence[PairVerdict]]


def judge_pair(caller: Caller, pair: Pair, nonce: str = "") -> PairVerdict:
    """Do these two complement each other, in a terminal, offline?"""
    return caller.call(
        PairAsk(
            skills=(pair.first.skill, pair.second.skill),
            contexts=(pair.first.context, pair.second.context),
            nonce=nonce,
        )
    )


def candidates(pool: Sequence[Situated], seed: int) -> Iterator[Pair]:
    """Ordered pairs of contexts of different skills, promising first, spread over capabilities."""
    if len(pool) < 2:
        return
    scores = _scores(pool)
    digests = [s.context.value_digest() for s in pool]
    groups: dict[tuple[str, str], list[tuple[float, int, int]]] = defaultdict(list)
    for i, one in enumerate(pool):
        for j, other in enumerate(pool):
            if one.skill.id == other.skill.id or _same(one.context, other.context):
                continue
            key = (one.context.capability.lower(), other.context.capability.lower())
            groups[key].append((float(scores[i][j]) + _dice(seed, digests[i], digests[j]), i, j))
    rows = [sorted(g, key=lambda c: (-c[0], c[1], c[2])) for g in groups.values()]
    rows.sort(key=lambda row: (-row[0][0], row[0][1], row[0][2]))
    rows = _spread(rows, pool)
    for place in range(PER_CAPABILITIES):
        for row in rows:
            if place < len(row):
                _, i, j = row[place]
                yield Pair(pool[i], pool[j])


def _spread(
    rows: list[list[tuple[float, int, int]]], pool: Sequence[Situated]
) -> list[list[tuple[float, int, int]]]:
    """The best rows in an order that brings the least used capabilities next."""
    head, tail = rows[:SPREAD_OVER], rows[SPREAD_OVER:]
    used: Counter[str] = Counter()
    ordered = []
    while head:
        uses = [sum(used[n] for n in _capabilities(row, pool)) for row in head]
        best = head.pop(uses.index(min(uses)))
        used.update(_capabilities(best, pool))
        ordered.append(best)
    return ordered + tail


def _capabilities(row: list[tuple[float, int, int]], pool: Sequence[Situated]) -> tuple[str, str]:
    _, i, j = row[0]
    return pool[i].context.capability.lower(), pool[j].context.capability.lower()


def choose(
    pairs: Sequence[Pair],
    count: int,
    judge_many: JudgeMany,
    share: float = SHARE,
) -> tuple[list[Judged], list[Judged]]:
    """At most `count` accepted pairs, and everything that was judged, both in order.

    Pairs are judged in waves whose make-up depends only on earlier answers. A skill is used at
    most `share * count` times (once at least), or as often as `count` needs with few skills.
    """
    skills = {id for p in pairs for id in p.skill_ids}
    limit = max(1, ceil(share * count), ceil(2 * count / max(1, len(skills))))
    accepted: list[Judged] = []
    judged: list[Judged] = []
    used: Counter[str] = Counter()
    seen: set[frozenset[str]] = set()
    left = list(pairs)
    while len(accepted) < count and len(judged) < JUDGED_PER_SEED * count:
        size = max(LEAST_WAVE, count - len(accepted))
        wave, left = _wave(left, size, used, seen, limit)
        if not wave:
            break
        for pair, verdict in zip(wave, judge_many(wave), strict=True):
            judged.append(Judged(pair, verdict))
            if verdict.keep and len(accepted) < count:
                accepted.append(judged[-1])
                used.update(pair.skill_ids)
                seen.add(frozenset(pair.skill_ids))
    return accepted, judged


def _wave(
    left: list[Pair], size: int, used: Counter[str], seen: set[frozenset[str]], limit: int
) -> tuple[list[Pair], list[Pair]]:
    """The next pairs within the limits, and those that remain."""
    wave: list[Pair] = []
    rest: list[Pair] = []
    planned, met = Counter(used), set(seen)
    for pair in left:
        both = frozenset(pair.skill_ids)
        if both in seen or any(used[id] >= limit for id in both):
            continue
        if len(wave) == size or both in met or any(planned[id] >= limit for id in both):
            rest.append(pair)
            continue
        wave.append(pair)
        planned.update(both)
        met.add(both)
    return wave, rest


def _scores(pool: Sequence[Situated]) -> list[list[float]]:
    """Similarity of situations, and of what the first makes to what the second takes."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    whole = [_words(s.context.situation, *s.context.tools, s.context.state) for s in pool]
    made = [_words(*s.context.outputs) for s in pool]
    taken = [_words(*s.context.inputs) for s in pool]
    vectors = TfidfVectorizer(token_pattern=r"(?u)\w\w+", sublinear_tf=True)
    vectors.fit([*whole, *made, *taken])
    near = vectors.transform(whole)
    fits = vectors.transform(made) @ vectors.transform(taken).T
    total = (near @ near.T) + fits
    scores: list[list[float]] = total.toarray().round(9).tolist()
    return scores


def _words(*parts: str) -> str:
    return " ".join(parts).replace("_", " ") or "nothing"


def _same(one: Context, other: Context) -> bool:
    return bool(one.capability) and one.capability.lower() == other.capability.lower()


def _dice(seed: int, one: str, other: str) -> float:
    """A small number below 0.3, fixed by seed and pair: other seeds see other pairs first."""
    found = hashlib.sha256(f"{seed} {one} {other}".encode()).hexdigest()
    return int(found[:8], 16) / 2**32 * 0.3
