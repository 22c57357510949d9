"""Which sentence of a skill calls for which recipe; skills that call for none are said so."""

import re
from dataclasses import dataclass

from facet.author.recipe import Recipe
from facet.author.recipes import RECIPES
from facet.types.skill import Skill

MAX_TEXT = 60_000  # characters of a skill that are read
MAX_QUOTE = 240
LEAST = 3.0  # weight of the sentences that must call for a recipe
_CODE = re.compile(r"(?ms)^\s*(```|~~~).*?^\s*\1[^\n]*$")
_ASCII_SHARE = 0.6


@dataclass(frozen=True)
class Call:
    """A recipe a skill calls for."""

    recipe: Recipe
    quote: str  # the sentence, verbatim
    weight: float


def sentences(text: str) -> list[str]:
    """Sentences and list items of Markdown, code blocks left out, verbatim but for line ends."""
    found = []
    for line in _CODE.sub("\n", text[:MAX_TEXT]).splitlines():
        bare = line.strip().lstrip("#>*-+0123456789. ").strip()
        if len(bare) < 12 or bare.startswith(("|", "<", "http", "![", "---")):
            continue
        found += [s.strip() for s in re.split(r"(?<=[.!?])\s+(?=[A-Z\"'`*(])", bare)]
    return [s for s in found if 12 <= len(s) <= 600]


def calls(skill: Skill) -> list[Call]:
    """Recipes the skill calls for, strongest first.

    The name and the description speak for what a skill is about (weight 3), a sentence of the body
    only says that the matter occurs (weight 1, and at most four are counted).
    """
    head = [s for s in (*sentences(skill.description), *sentences(skill.name + ".")) if s]
    if not head and skill.description.strip():
        head = [skill.description.strip()[:MAX_QUOTE]]
    body = sentences(skill.body)
    found = []
    for recipe in RECIPES:
        tests = [re.compile(p, re.IGNORECASE) for p in recipe.patterns]
        strong = [s for s in head if any(t.search(s) for t in tests)]
        named = any(t.search(skill.name.replace("-", " ")) for t in tests)
        weak = [s for s in body if any(t.search(s) for t in tests)]
        weight = 3.0 * len(strong[:2]) + 1.5 * named + 1.0 * len(weak[:4])
        if weight >= LEAST and (strong or weak):
            quote = (strong or sorted(weak, key=lambda s: abs(len(s) - 110)))[0]
            found.append(Call(recipe, _cut(quote), weight))
    return sorted(found, key=lambda c: (-c.weight, c.recipe.name))


def _cut(sentence: str) -> str:
    """At most MAX_QUOTE characters, ended at a word."""
    if len(sentence) <= MAX_QUOTE:
        return sentence
    return sentence[:MAX_QUOTE].rpartition(" ")[0] or sentence[:MAX_QUOTE]


def why_not(skill: Skill) -> str:
    """Why no recipe fits."""
    text = f"{skill.description}\n{skill.body}".strip()
    if len(text) < 60:
        return "the skill says too little to tell what it does"
    letters = [c for c in text if c.isalpha()]
    if letters and sum(c.isascii() for c in letters) / len(letters) < _ASCII_SHARE:
        return "the skill is not written in a language the embedded author reads"
    return "no sentence calls for work that one of the embedded author's recipes knows"
