"""JSON lines with nested payloads, other events, broken lines."""

import json
from collections.abc import Mapping
from typing import Any

from facet.author.choice import Choice
from facet.author.dice import Dice
from facet.author.recipe import (
    Fixture,
    Item,
    View,
    fill,
    spots,
    text_of,
)
from facet.author.themes import Theme


class Stream:
    """JSON lines with nested payloads, other events, broken lines."""

    reasons: tuple[tuple[str, str], ...] = (
        ("not-json", "the line is no JSON"),
        ("no-payload", "its `payload` is missing or null"),
    )
    ref = "the line number in the stream, the first line being 1"

    def places(self, theme: Theme) -> tuple[Choice, ...]:
        """The stream."""
        return (spots("stream", theme, "_events.jsonl"),)

    def build(self, theme: Theme, env: Mapping[str, str], items: list[Item], dice: Dice) -> Fixture:
        """One event per line."""
        key, group, day, number, text = theme.fields.variants[int(env["raw"])]
        lines: list[str] = []
        for index, item in enumerate(items):
            payload: dict[str, Any] = {
                key: item.key,
                group: {"name": item.group, "code": dice.between(10, 99)},
                "detail": {day: item.day, number: item.number, text: item.text},
            }
            event = {"type": theme.fields.noun, "payload": payload}
            if dice.chance(0.3):
                event = {"payload": payload, "source": "till", "type": theme.fields.noun}
            if dice.chance(0.2):
                lines.append(json.dumps({"type": "ping", "payload": {"ok": True}}))
            if index in (7, 26):
                lines.append(json.dumps(event, ensure_ascii=False)[: dice.between(30, 60)])
            if index in (13, 33):
                lines.append(json.dumps({"type": theme.fields.noun, "payload": None}))
            lines.append(json.dumps(event, ensure_ascii=dice.chance(0.5)))
        return Fixture((text_of(env["stream"], "\n".join(lines) + "\n"),))

    def say(self, view: View) -> tuple[tuple[str, ...], ...]:
        """Where the values are."""
        key, group, day, number, text = view.raw
        path, noun = view.env["stream"], view.fields.noun
        shape = (
            f"`payload.{key}`, `payload.{group}.name`, `payload.detail.{day}`, "
            f"`payload.detail.{number}` and `payload.detail.{text}`"
        )
        return (
            (
                f"`{path}` is a stream of JSON events, one per line. Events with `type` `{noun}` "
                f"matter; the others are skipped silently.",
                f"All events are in `{path}` (JSON lines); take those whose `type` is `{noun}` and "
                "pass over the others.",
                f"Read the JSON lines in `{path}`; an event counts if its `type` is `{noun}`, any "
                "other type is ignored.",
            ),
            (
                f"The values are {shape}: {', '.join(view.fields.words)}.",
                f"{', '.join(view.fields.words).capitalize()} are found in {shape}.",
            ),
        )

    def solve(self, view: View) -> str:
        """json.loads per line."""
        key, group, day, number, text = view.raw
        return fill(
            """
STREAM = @path@
with open(STREAM, encoding="utf-8") as source:
    for number, line in enumerate(source, start=1):
        try:
            event = json.loads(line)
        except ValueError:
            refused.append((str(number), "not-json"))
            continue
        if event.get("type") != @noun@:
            continue
        payload = event.get("payload")
        if not payload:
            refused.append((str(number), "no-payload"))
            continue
        detail = payload["detail"]
        items.append(
            (
                str(number),
                payload[@key@],
                payload[@group@]["name"],
                detail[@day@],
                detail[@amount@],
                detail[@text@],
            )
        )
""",
            path=view.env["stream"],
            noun=view.fields.noun,
            key=key,
            group=group,
            day=day,
            amount=number,
            text=text,
        )

    def expect(self, view: View) -> str:
        """All lines first, then sort them into good and bad."""
        return fill(
            """
def parsed(line):
    try:
        return json.loads(line)
    except ValueError:
        return None


def material():
    events = {n: parsed(x) for n, x in enumerate(there(@path@).split("\\n")[:-1], 1)}
    refused = [(str(n), "not-json") for n, event in events.items() if event is None]
    mine = {n: e.get("payload") for n, e in events.items() if e and e["type"] == @noun@}
    refused += [(str(n), "no-payload") for n, payload in mine.items() if payload is None]
    key, group, *rest = @names@
    items = [
        (str(n), p[key], p[group]["name"], *(p["detail"][name] for name in rest))
        for n, p in mine.items()
        if p is not None
    ]
    return items, refused
""",
            path=view.env["stream"],
            noun=view.fields.noun,
            names=list(view.raw),
        )
