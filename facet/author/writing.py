"""How an instruction reads: one content, three registers."""

from facet.author.contract import contract, say_cleaning, say_table
from facet.author.dice import Dice
from facet.author.recipe import Recipe, View

REGISTERS = ("brief", "plain", "ticket")
_KEEP = (
    "Leave the material itself as it is.",
    "Nothing that was handed over may be changed.",
    "The inputs must stay untouched.",
)
_TAIL = (
    "How you do it is up to you; there is no network.",
    "Use whatever tools are on the machine; it has no network.",
    "The machine is offline. Any way that gets there is fine.",
)


def instruction(
    view: View, first: Recipe, second: Recipe, dice: Dice, unsaid: frozenset[str]
) -> str:
    """The whole instruction; choices in `unsaid` are left vague."""
    assert first.source is not None
    assert second.sink is not None
    said = {c.name: c.text(view.pick[c.name]) for c in contract(view.theme, second)}
    source = list(first.source.say(view))
    rules = say_cleaning(view, first.source.reasons, first.source.ref)
    table = say_table(view, said)
    product = list(second.sink.say(view))
    parts = [
        [dice.pick(wordings) for wordings in group] for group in (source, rules, table, product)
    ]
    register = dice.pick(REGISTERS)
    why, keep, tail = dice.pick(view.theme.why), dice.pick(_KEEP), dice.pick(_TAIL)
    text = _LAYOUTS[register](view, first, second, parts, why, keep, tail, dice)
    for name in sorted(unsaid):
        text = text.replace(said[name], _vague(name))
    return text


def _vague(name: str) -> str:
    if name in ("table", "refusals") or name.endswith(("_path", "_folder")):
        return "the usual place"
    return "as is customary"


def _opening(view: View, why: str, dice: Dice) -> str:
    place, plural = view.theme.place, view.fields.plural
    return dice.pick(
        (
            f"You work for {place}, and {why}.",
            f"This comes from {place}: {why}.",
            f"For {place} a batch of {plural} has to be put in order, because {why}.",
            f"{view.theme.person}, of {place}, needs your help with the {plural}: {why}.",
        )
    )


Parts = list[list[str]]


def _plain(
    view: View,
    first: Recipe,
    second: Recipe,
    parts: Parts,
    why: str,
    keep: str,
    tail: str,
    dice: Dice,
) -> str:
    goal = dice.pick(
        (
            f"Please {first.source_title}, and then {second.sink_title}.",
            f"Your job: {first.source_title}; after that, {second.sink_title}.",
            f"There are two things to do: {first.source_title}, and {second.sink_title}.",
        )
    )
    paragraphs = [
        f"{_opening(view, why, dice)} {goal}",
        " ".join(parts[0]),
        " ".join(parts[1]),
        " ".join(parts[2]),
        " ".join(parts[3]),
        f"{keep} {tail}",
    ]
    return "\n\n".join(paragraphs) + "\n"


def _brief(
    view: View,
    first: Recipe,
    second: Recipe,
    parts: Parts,
    why: str,
    keep: str,
    tail: str,
    dice: Dice,
) -> str:
    lines = [f"{first.source_title.capitalize()}, then {second.sink_title}.", ""]
    heads = dice.pick(
        (
            ("Given", "Rules", "Table", "Product"),
            ("What there is", "Cleaning", "Clean table", "What to make of it"),
            ("Input", "Good and bad records", "First result", "Second result"),
        )
    )
    for head, sentences in zip(heads, parts, strict=True):
        lines += [f"{head}:", *(f"- {s}" for s in sentences), ""]
    lines.append(keep)
    return "\n".join(lines) + "\n"


def _ticket(
    view: View,
    first: Recipe,
    second: Recipe,
    parts: Parts,
    why: str,
    keep: str,
    tail: str,
    dice: Dice,
) -> str:
    number = f"{view.theme.prefix}OPS-{dice.between(112, 987)}"
    lines = [
        f"# {number}: {first.source_title}; {second.sink_title}",
        "",
        f"Reported by {view.theme.person}. {_opening(view, why, dice)}",
        "",
        dice.pick(("## Background", "## Where things are", "## Situation")),
        "",
        " ".join(parts[0]),
        "",
        dice.pick(("## Rules", "## How to treat records", "## Handling")),
        "",
        *(f"- {s}" for s in parts[1]),
        "",
        dice.pick(("## Acceptance criteria", "## Done when", "## Expected in the end")),
        "",
        *(f"- {s}" for s in [*parts[2], *parts[3], keep]),
        "",
        tail,
    ]
    return "\n".join(lines) + "\n"


_LAYOUTS = {"plain": _plain, "brief": _brief, "ticket": _ticket}
