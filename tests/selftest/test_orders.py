"""A few orders of checks turn round nearly every pair."""

from itertools import combinations

import pytest

from facet.strict.orders import shuffled, telling_seeds


@pytest.mark.parametrize("count", [2, 3, 6, 18, 31, 80])
def test_the_orders_turn_round_nine_of_ten_pairs(count: int) -> None:
    places = [{n: i for i, n in enumerate(shuffled(count, s))} for s in telling_seeds(count)]
    pairs = list(combinations(range(count), 2))
    kept = [p for p in pairs if all(place[p[0]] < place[p[1]] for place in places)]
    assert len(kept) <= len(pairs) / 10


def test_the_last_check_stands_before_some_of_five_it_needs_at_every_count() -> None:
    for count in range(6, 60):
        orders = [shuffled(count, seed) for seed in telling_seeds(count)]
        needed = set(range(count - 6, count - 1))
        assert any(needed & set(order[order.index(count - 1) :]) for order in orders), (
            f"{count} checks"
        )


def test_a_thousand_checks_are_ordered_soon_and_one_or_none_at_all() -> None:
    assert len(set(shuffled(1000, telling_seeds(1000)[0]))) == 1000
    assert len(telling_seeds(0)) == 3
    assert len(telling_seeds(1)) == 3
