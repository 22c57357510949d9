"""What a writer finds out from the ask: the state from the probe, the contract from artifacts."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from facet.author.choice import Choice, Picks, lean
from facet.author.contract import contract, places, raw_choice
from facet.author.dice import Dice
from facet.author.recipe import Recipe
from facet.author.recipes import RECIPES, fits, recipe
from facet.author.slips import CODE_OVERSIGHT, GUESS_LEAN
from facet.author.themes import THEMES, Theme, theme
from facet.types.asks import Look, Looked, Written
from facet.types.manifest import RealFile, RealizedManifest
from facet.types.scenario import Scenario

FIRST, SECOND, THEME, FOLDER = "first capability", "second capability", "theme", "input folder"


@dataclass(frozen=True)
class Brief:
    """What the scenario fixes."""

    theme: Theme
    first: Recipe
    second: Recipe
    lean: str  # seed of what a reader of this scenario takes for granted


def brief(scenario: Scenario) -> Brief:
    """Theme and recipes of a scenario; the nearest known ones where it names others."""
    facts = {f.name.strip().lower(): f.value for f in scenario.facts}
    used = [c.name for c in scenario.capabilities if c.used]
    found = theme(facts.get(THEME, scenario.theme))
    if found.slug not in (facts.get(THEME), scenario.theme):
        found = Dice("theme", scenario.text).pick(THEMES)
    dice = Dice("recipes", scenario.text)
    names = [facts.get(FIRST, ""), facts.get(SECOND, ""), *used]
    known = [r for r in map(recipe, names) if r is not None]
    firsts = [r for r in known if r.source] or [dice.pick([r for r in RECIPES if r.source])]
    first = firsts[0]
    seconds = [r for r in known if not fits(first, r)]
    second = seconds[0] if seconds else dice.pick([r for r in RECIPES if not fits(first, r)])
    return Brief(found, first, second, scenario.title + "\n" + scenario.text)


@dataclass(frozen=True)
class State:
    """What is known of the container, and what one would have to look at to know more."""

    env: dict[str, str]
    inputs: dict[str, str]  # path -> SHA-256 of material
    real: tuple[RealFile, ...]
    looks: tuple[Look, ...]
    guessed: frozenset[str]


def read_state(
    plan: Brief, realized: RealizedManifest, looked: Iterable[Looked], dice: Dice
) -> State:
    """Find the material among the real files, and its column names in their heads."""
    looked = tuple(looked)
    env: dict[str, str] = {}
    guessed = set()
    mine: list[RealFile] = []
    for place in places(plan.theme, plan.first, plan.second):
        hits = [o.value for o in place.options if any(_at(f.path, o.value) for f in realized.files)]
        if hits:
            env[place.name] = hits[0]
            mine += [f for f in realized.files if _at(f.path, hits[0])]
        else:
            env[place.name] = dice.pick(place.options).value
            guessed.add(place.name)
    shown = [f.head for f in mine] + [s.output for s in looked if s.ok]
    names = _names(raw_choice(plan.theme), "\n".join(shown))
    looks: tuple[Look, ...] = ()
    if names is None:
        guessed.add("raw")
        names = dice.pick(raw_choice(plan.theme).options).value
        seen = {s.look.arg for s in looked}
        files = [f.path for f in mine if f.kind == "file" and f.path not in seen][:2]
        looks = tuple(Look(kind="read", arg=path) for path in files)
    env["raw"] = names
    inputs = {f.path: f.sha256 for f in mine if f.kind == "file" and f.sha256 and _fixed(f.path)}
    return State(env, inputs, tuple(mine), looks, frozenset(guessed))


def _at(path: str, place: str) -> bool:
    return path == place or path.startswith((place + ".", place + "/"))


def _fixed(path: str) -> bool:
    """Files whose bytes are equal on every machine (a database made while building is not)."""
    return not path.endswith((".db", ".rdb", ".aof"))


def _names(raw: Choice, text: str) -> str | None:
    found = []
    for option in raw.options:
        names = option.text.split("|")
        hits = sum(bool(re.search(rf"(?i)(?<![\w-]){re.escape(n)}(?![\w-])", text)) for n in names)
        if hits >= 4:
            found.append((hits, option.value))
    found.sort(reverse=True)
    if not found or (len(found) > 1 and found[0][0] == found[1][0]):
        return None
    return found[0][1]


def written_texts(written: Written, *, own: str = "") -> list[tuple[str, bool]]:
    """Texts in sight in order of authority, each with whether it is code; `own` is left out."""
    texts: list[tuple[str, bool]] = []
    if written.instruction is not None and own != "instruction":
        texts.append((written.instruction, False))
    if written.solution is not None and own != "solution":
        texts.append((written.solution.script, True))
    if written.verifier is not None and own != "verifier":
        texts.append(("\n".join(f.text for f in written.verifier.files), True))
    return [(text, code) for text, code in texts if text.strip()]


def read_contract(plan: Brief, texts: list[tuple[str, bool]], dice: Dice, factor: float) -> Picks:
    """Each choice from the first text that states it; guessed where none does."""
    habits = lean(contract(plan.theme, plan.second), plan.lean)
    values, guessed = {}, set()
    for item in contract(plan.theme, plan.second):
        found = None
        for text, code in texts:
            overlooked = code and dice.chance(CODE_OVERSIGHT * factor)
            found = None if overlooked else item.read(text)
            if found is not None:
                break
        if found is None:
            guessed.add(item.name)
            habit = habits[item.name]
            found = habit if dice.chance(GUESS_LEAN) else dice.pick(item.options).value
        values[item.name] = found
    return Picks(values, frozenset(guessed))


def stated(plan: Brief, text: str) -> Mapping[str, str]:
    """The choices that a text states."""
    found = {c.name: c.read(text) for c in contract(plan.theme, plan.second)}
    return {name: value for name, value in found.items() if value is not None}
