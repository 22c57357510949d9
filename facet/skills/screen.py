"""Screening: the rules over one skill, then duplicates over all of them. Pure."""

from collections.abc import Iterable, Sequence
from itertools import islice

from facet.skills.document import Document
from facet.skills.duplicates import near_duplicates
from facet.skills.rules import RULES, Rule
from facet.types.skill import ScreenFinding, Skill

PER_RULE = 3  # findings kept per rule and skill


def screen(skill: Skill, rules: Sequence[Rule] = RULES) -> Skill:
    """The skill with a finding for every place where a rule fires (at most PER_RULE each)."""
    doc = Document(skill)
    found: list[ScreenFinding] = []
    for rule in rules:
        for place in islice(rule.find(doc), PER_RULE):
            found.append(
                ScreenFinding(
                    rule=rule.name,
                    effect=rule.effect,
                    path=place.path,
                    line=place.line,
                    excerpt=place.excerpt,
                    reason=rule.reason,
                )
            )
    kept = [f for f in skill.findings if f.rule in ("untidy", "oversized")]
    return skill.model_copy(update={"findings": (*kept, *found)})


def screen_all(skills: Iterable[Skill], rules: Sequence[Rule] = RULES) -> list[Skill]:
    """Screen each skill, then drop copies; the result is ordered by id.

    Of several copies the first by id stays. Skills that a rule dropped are no originals: a clean
    skill is not lost to the trojan that copied it.
    """
    ordered = sorted((screen(s, rules) for s in skills), key=lambda s: s.id)
    copies = near_duplicates([(s.id, s.body) for s in ordered if s.kept])
    return [
        s if s.id not in copies else s.model_copy(update={"findings": (*s.findings, copies[s.id])})
        for s in ordered
    ]
