"""The report of an acceptance, as Markdown and as JSON. Third-party text stays text. Pure."""

import re
from collections.abc import Sequence
from typing import Any

from facet.accept.criteria import Criterion, accepted, not_asked
from facet.accept.delivery import Delivery
from facet.accept.spec import Spec


def summary(criteria: Sequence[Criterion], tasks: int) -> str:
    """One line: the decision and the counts."""
    counts = {s: sum(c.status == s for c in criteria) for s in ("met", "not met", "not assessed")}
    told = ", ".join(f"{n} {status}" for status, n in counts.items())
    word = "accepted" if accepted(criteria) else "not accepted"
    return f"{word}: {tasks} tasks, {len(criteria)} criteria: {told}"


def report_json(spec: Spec, delivery: Delivery, criteria: Sequence[Criterion]) -> dict[str, Any]:
    """The whole report as one JSON document."""
    return {
        "spec": spec.name,
        "accepted": accepted(criteria),
        "summary": summary(criteria, len(delivery.items)),
        "criteria": [c.to_json() for c in criteria],
        "not_asked": list(not_asked(spec)),
        "tasks": [
            {
                "path": item.path,
                "verdict": item.verdict.line if item.verdict else "not judged",
                "recorded": bool(item.verdict and item.verdict.recorded),
            }
            for item in delivery.items
        ],
    }


def report_markdown(spec: Spec, delivery: Delivery, criteria: Sequence[Criterion]) -> str:
    """The report for people."""
    lines = [
        f"# Acceptance{': ' + escaped(spec.name) if spec.name else ''}",
        "",
        f"**{summary(criteria, len(delivery.items))}**",
        "",
        "| criterion | answer | demanded | found |",
        "|---|---|---|---|",
    ]
    lines += [
        f"| {escaped(c.title)} | {c.status} | {escaped(c.wanted)} | {escaped(c.found)} |"
        for c in criteria
    ]
    if left_out := not_asked(spec):
        lines += ["", f"Not asked for by the spec: {', '.join(left_out)}."]
    for criterion in criteria:
        if criterion.items:
            lines += ["", f"## {escaped(criterion.title)}: {criterion.status}", ""]
            lines += [f"- {escaped(item)}" for item in criterion.items]
    lines += ["", "## Tasks", "", "| task | verdict |", "|---|---|"]
    lines += [
        f"| {escaped(item.name)} | {escaped(item.verdict.line if item.verdict else 'not judged')} |"
        for item in delivery.items
    ]
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    """Text that Markdown shows as it stands, on one line."""
    flat = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return re.sub(r"([\\`*_{}\[\]<>#|~$!&])", r"\\\1", flat)
