"""Orders of checks that show whether one leans on another. Pure.

One shuffle leaves about half of all pairs of checks as they were; a check that needs earlier ones
may end behind them again. Two seeds are chosen so that together they turn round nearly every pair.
"""

import random
from itertools import combinations

ORDERS = 3
MOST_SEEDS = 200
MOST_STEPS = 2_000_000
"""Pairs looked at over all seeds, so that a thousand checks cost no more than thirty."""


def shuffled(count: int, seed: int) -> list[int]:
    """The order in which the runner runs `count` checks under this seed."""
    order = list(range(count))
    random.Random(str(seed)).shuffle(order)  # as the runner: the seed comes as text
    return order


def telling_seeds(count: int) -> tuple[int, ...]:
    """Three seeds that together turn round as many pairs of `count` checks as can be found.

    Neighbours weigh most: a check leans on those right before it more often than on distant ones.
    """
    seeds = range(1, 1 + max(ORDERS, min(MOST_SEEDS, MOST_STEPS // max(1, count * count))))
    turned = {seed: _turned(shuffled(count, seed)) for seed in seeds}
    chosen: list[int] = []
    got: set[tuple[int, int]] = set()
    for _ in range(ORDERS):
        best = max(seeds, key=lambda seed: sum(1 / abs(a - b) for a, b in turned[seed] - got))
        chosen.append(best)
        got |= turned[best]
    return tuple(chosen)


def _turned(order: list[int]) -> set[tuple[int, int]]:
    return {(later, earlier) for earlier, later in combinations(order, 2) if earlier > later}
