"""Pairing: spread, limits, reasons, and the same answer however many threads judge."""

from collections import Counter
from collections.abc import Sequence

from facet.stages.pairing import Pair, Situated, candidates, choose
from facet.types.skill import PairVerdict
from tests.asks import context, skill

YES = PairVerdict(keep=True, complementary="yes", executable="yes")
NO = PairVerdict(keep=False, complementary="the same", executable="yes")


def pool(*capabilities: str) -> list[Situated]:
    return [Situated(skill(n), context(n, c)) for n, c in enumerate(capabilities, 1)]


def yes(pairs: Sequence[Pair]) -> list[PairVerdict]:
    return [YES] * len(pairs)


def names(pairs: Sequence[Pair]) -> list[tuple[str, str]]:
    return [p.skill_ids for p in pairs]


def test_a_skill_is_never_paired_with_itself_nor_with_the_same_capability() -> None:
    both = [Situated(skill(1), context(1, "sort")), Situated(skill(1), context(1, "count"))]
    assert list(candidates(both, 1)) == []
    assert list(candidates(pool("sort", "Sort"), 1)) == []
    assert list(candidates(pool("sort"), 1)) == []


def test_both_directions_of_a_pair_are_candidates() -> None:
    found = set(names(list(candidates(pool("sort", "count"), 1))))
    assert found == {("demo/skill-1", "demo/skill-2"), ("demo/skill-2", "demo/skill-1")}


def test_what_one_makes_and_the_other_takes_comes_first() -> None:
    makes = context(1, "a").model_copy(update={"outputs": ("ledger database in sqlite",)})
    takes = context(2, "b").model_copy(update={"inputs": ("ledger database in sqlite",)})
    other = context(3, "c").model_copy(update={"situation": "Something about certificates."})
    three = [Situated(skill(1), makes), Situated(skill(2), takes), Situated(skill(3), other)]
    assert names(list(candidates(three, 5)))[0] == ("demo/skill-1", "demo/skill-2")


def test_candidates_go_round_the_capability_pairs_before_repeating_one() -> None:
    many = pool("a", "a", "a", "b", "c")
    found = [tuple(sorted(p.capabilities)) for p in candidates(many, 3)]
    assert len(set(found[:3])) == 3 or len({*found[:6]}) == 3


def test_the_seed_decides_the_order_and_nothing_else_does() -> None:
    some = pool(*(f"c{n}" for n in range(9)))
    first = names(list(candidates(some, 1)))
    assert first == names(list(candidates(some, 1)))
    assert first != names(list(candidates(some, 2)))
    assert sorted(first) == sorted(names(list(candidates(some, 2))))


def test_no_skill_is_in_more_than_its_share_of_the_seeds() -> None:
    pairs = list(candidates(pool(*(f"c{n}" for n in range(40))), 1))
    accepted, _ = choose(pairs, 20, yes, share=0.1)
    used = Counter(id for a in accepted for id in a.pair.skill_ids)
    assert len(accepted) == 20
    assert max(used.values()) <= 2


def test_few_skills_are_used_as_often_as_needed_and_no_pair_twice() -> None:
    pairs = list(candidates(pool("a", "b", "c", "d"), 1))
    accepted, _ = choose(pairs, 6, yes, share=0.1)
    both = [frozenset(a.pair.skill_ids) for a in accepted]
    assert len(both) == len(set(both)) == 6


def test_dropped_pairs_are_returned_with_their_reasons_and_others_take_their_place() -> None:
    def odd(pairs: Sequence[Pair]) -> list[PairVerdict]:
        return [NO if p.first.skill.id == "demo/skill-1" else YES for p in pairs]

    pairs = list(candidates(pool(*(f"c{n}" for n in range(12))), 1))
    accepted, judged = choose(pairs, 5, odd)
    assert len(accepted) == 5
    assert all(a.pair.first.skill.id != "demo/skill-1" for a in accepted)
    assert {j.verdict.complementary for j in judged if not j.verdict.keep} <= {"the same"}


def test_a_judge_that_drops_everything_is_not_asked_for_ever() -> None:
    pairs = list(candidates(pool(*(f"c{n}" for n in range(30))), 1))
    asked = []

    def no(wave: Sequence[Pair]) -> list[PairVerdict]:
        asked.extend(wave)
        return [NO] * len(wave)

    accepted, judged = choose(pairs, 3, no)
    assert accepted == []
    assert len(judged) == len(asked) <= 12 * 3 + 4


def test_the_least_used_capabilities_come_next() -> None:
    found = [p.capabilities for p in candidates(pool("a", "b", "c", "d"), 3)]
    assert len({*found[0], *found[1]}) == 4
