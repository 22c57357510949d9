"""The choices every pair shares: the clean table between its two halves, and how they are said."""

from facet.author.choice import Choice, choice
from facet.author.fixtures import BASIC_REASONS, DATE_FORMS
from facet.author.recipe import Recipe, View
from facet.author.themes import Theme

DATE_STYLES = ("YYYY-MM-DD", "DD.MM.YYYY", "YYYYMMDD")
FORMATS = {
    "csv": "comma-separated, with a header line",
    "tsv": "tab-separated, with a header line and no quoting",
    "jsonl": "one JSON object per line, every value a string",
}


def raw_choice(theme: Theme) -> Choice:
    """Which column names the material uses; read by looking for all of them."""
    return choice("raw", *((str(i), "|".join(v)) for i, v in enumerate(theme.fields.variants)))


def table_choices(theme: Theme) -> tuple[Choice, ...]:
    """Choices about the clean table and the list of refusals."""
    key, group, day, number, _ = theme.fields.words
    tables = [
        (f"{out}/{stem}{tail}.{ending}", f"`{out}/{stem}{tail}.{ending}`")
        for out in theme.outs
        for stem, tail in zip(theme.stems, ("_clean", "_checked", "_final"), strict=True)
        for ending in FORMATS
    ]
    refusals = [
        (f"{out}/{name}", f"`{out}/{name}`")
        for out in theme.outs
        for name in ("refused.tsv", "rejected.tsv", "left_out.tsv")
    ]
    names = [
        (str(i), "the fields " + ", ".join(f"`{n}`" for n in variant))
        for i, variant in enumerate(theme.fields.variants)
    ]
    return (
        choice("table", *tables),
        choice("columns", *names),
        choice(
            "order",
            ("key", f"sorted by {key}, ascending"),
            ("newest", f"sorted by {day}, newest first, ties by {key}"),
            ("largest", f"sorted by {number}, largest first, ties by {key}"),
            ("group", f"sorted by {group}, then by {key}"),
        ),
        choice("dates", *((style, f"dates written as `{style}`") for style in DATE_STYLES)),
        choice(
            "numbers",
            ("decimal", "a number with two decimals (`1234.50`)"),
            ("whole", "whole hundredths (`123450` for 1234.50)"),
        ),
        choice(
            "repeats",
            ("first", "the first occurrence counts"),
            ("last", "the last occurrence counts"),
        ),
        choice("refusals", *refusals),
    )


def contract(theme: Theme, second: Recipe) -> tuple[Choice, ...]:
    """All choices an instruction has to settle for this pair."""
    assert second.sink is not None
    return (*table_choices(theme), *second.sink.choices(theme))


def places(theme: Theme, first: Recipe, second: Recipe) -> tuple[Choice, ...]:
    """All choices of the environment that are visible as paths."""
    assert first.source is not None
    assert second.sink is not None
    return (*first.source.places(theme), *second.sink.places(theme))


def say_cleaning(view: View, own: tuple[tuple[str, str], ...], ref: str) -> list[tuple[str, ...]]:
    """Rules that decide what is a good record."""
    noun, plural = view.fields.noun, view.fields.plural
    key, group, day, number, text = view.fields.words
    reasons = (*own, *BASIC_REASONS, ("duplicate", f"the {key} was seen in another good {noun}"))
    listed = "; ".join(f"`{code}` ({when})" for code, when in reasons)
    repeats = {
        "first": "the first occurrence counts",
        "last": "the last occurrence counts",
    }[view.pick["repeats"]]
    return [
        (
            f"Dates come as {DATE_FORMS}; amounts may carry a comma between thousands.",
            f"The {day} is written as {DATE_FORMS}, and a number may have thousands commas.",
            f"Expect dates such as {DATE_FORMS} and numbers such as `1,250.40`.",
        ),
        (
            f"Trim spaces around the {key}, the {group} and the {text}, "
            f"and write the {group} in lower case.",
            f"The {group} is to be lower case; stray blanks around {key}, {group} and {text} go.",
            f"Remove leading and trailing blanks ({key}, {group}, {text}); {group} in lower case.",
        ),
        (
            f"If a {key} turns up in several good {plural}, {repeats} and the others are refused.",
            f"Where good {plural} share a {key}, {repeats}; refuse the rest.",
            f"One {noun} per {key}: among good {plural}, {repeats}, all others are refused.",
        ),
        (
            f"A {noun} that cannot be used is refused with one reason, the first that fits in this "
            f"order: {listed}.",
            f"Refuse what cannot be used. Reasons, the first that holds: {listed}.",
            f"Each refused {noun} gets exactly one reason; check them in this order: {listed}.",
        ),
        (
            f"List every refusal in `{view.pick['refusals']}`, one line each in any order: {ref}, "
            "a tab, the reason; no header.",
            f"`{view.pick['refusals']}` takes the refusals, without a header: {ref}, tab, reason.",
            f"Refusals go to `{view.pick['refusals']}` ({ref}, then a tab, then the reason; no "
            "header line, order does not matter).",
        ),
    ]


def say_table(view: View, said: dict[str, str]) -> list[tuple[str, ...]]:
    """What the clean table looks like; `said` maps a choice to its words."""
    plural = view.fields.plural
    shape = FORMATS[view.pick["table"].rpartition(".")[2]]
    return [
        (
            f"Write the good {plural} to {said['table']} ({shape}).",
            f"The clean {plural} belong in {said['table']}: {shape}.",
            f"Result of this part: {said['table']}, {shape}.",
        ),
        (
            f"It has {said['columns']}, in this order.",
            f"Each line has {said['columns']} (in this order).",
            f"Give it {said['columns']}, in that order.",
        ),
        (
            f"It is {said['order']}.",
            f"Lines are {said['order']}.",
            f"Keep it {said['order']}.",
        ),
        (
            f"It shows {said['dates']} and the {view.fields.words[3]} as {said['numbers']}.",
            f"There you put {said['dates']}; the {view.fields.words[3]} is given as "
            f"{said['numbers']}.",
            f"Format: {said['dates']}, the {view.fields.words[3]} as {said['numbers']}.",
        ),
    ]
