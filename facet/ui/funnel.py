"""The funnel: counts with their denominators, what fell out with its reason, and the way there."""

import pandas as pd
import streamlit as st

from facet.funnel import Drop, Funnel, Step, Unit
from facet.ui.place import Place, at_params
from facet.ui.text import count, line, md, table_height
from facet.ui.words import RUN_LOOK

UNITS: tuple[tuple[Unit, str, str], ...] = (
    ("skill", "Skills", "from a package found to a context of use"),
    ("pair", "Pairs", "two contexts that complement each other"),
    ("seed", "Tasks", "from an accepted seed to a valid task"),
)
"""The three units of the funnel; each has its own denominator."""


def run_picker(place: Place) -> str:
    """Which run is counted, "" for everything."""
    runs = place.store.runs()
    options = ["", *(r.run for r in runs)]
    words = {r.run: f"{r.run} · {RUN_LOOK[r.status].word}" for r in runs}
    return (
        st.selectbox(
            "Run",
            options,
            key="run",
            bind="query-params",
            format_func=lambda r: line(words.get(r, "all runs"), 90),
            label_visibility="collapsed",
            width=340,
        )
        or ""
    )


def funnel_page(place: Place, run: str) -> None:
    """Bars by unit on top; the items behind them below."""
    found = place.store.funnel(run)
    for column, (unit, title, about) in zip(st.columns(3, gap="small"), UNITS, strict=True):
        with column, st.container(border=True, height="stretch"):
            st.markdown(f"**{title}**  \n:small[:gray[{about}]]")
            _bars([s for s in found.steps if s.unit == unit])
    st.space("small")
    _behind(place, found)


def _bars(steps: list[Step]) -> None:
    start = steps[0].count if steps else 0
    if not start:
        st.caption("Nothing yet.")
        return
    previous = start
    for step in steps:
        share = step.count / step.of if step.of else 0.0
        lost = previous - step.count
        word = "not looked at" if step.name == "asked" else "lost here"
        note = f" · {lost} {word}" if lost > 0 else ""
        st.progress(
            min(share, 1.0),
            text=f"**{step.count}** of {step.of} {step.name} ({share:.0%}){note}",
        )
        words = step.meaning
        if step.first_time is not None and step.after_repair is not None:
            words += f": {step.first_time} first time, {step.after_repair} after repair"
        st.caption(words)
        previous = step.count


def _behind(place: Place, found: Funnel) -> None:
    """Everything that fell out, grouped by where and why; tasks link to their page."""
    st.subheader("What fell out, and why", anchor=False)
    if not found.drops:
        st.caption("Nothing fell out.")
        return
    groups: dict[tuple[str, str], list[Drop]] = {}
    for drop in found.drops:
        groups.setdefault((drop.unit, drop.step), []).append(drop)
    ranked = sorted(groups.items(), key=lambda g: -len(g[1]))
    names = {f"{unit}: {line(step, 60)} · {len(drops)}": drops for (unit, step), drops in ranked}
    picked = st.pills(
        "Reason", list(names), default=next(iter(names)), key="why", label_visibility="collapsed"
    )
    drops = names.get(picked or "", list(found.drops))
    event = st.dataframe(
        pd.DataFrame(
            [
                {
                    "unit": d.unit,
                    "where": line(d.step, 60),
                    "what": line(d.name or d.id, 120),
                    "reason": line(d.reason, 400),
                    "id": line(d.id, 160),
                }
                for d in drops
            ]
        ),
        hide_index=True,
        key=f"drops:{picked}",
        on_select="rerun",
        selection_mode="single-cell",
        height=table_height(len(drops), limit=520),
        column_config={
            "what": st.column_config.TextColumn(width=280),
            "reason": st.column_config.TextColumn(width=560),
        },
        alt="Items that fell out, with the reason",
    )
    st.caption("Click a row of a task to open it.")
    cells = event.selection.cells
    if cells and 0 <= cells[0][0] < len(drops):
        drop = drops[cells[0][0]]
        if drop.unit == "seed":
            st.switch_page("app_pages/task.py", query_params=at_params(place, task=drop.id))
        if drop.unit == "skill":
            st.switch_page("app_pages/skills.py", query_params=at_params(place, skill=drop.id))


def totals(place: Place, run: str) -> None:
    """The numbers a batch is judged by, each with what it is out of."""
    found = place.store.funnel(run)
    seeds = found.step("seed", "accepted").count
    valid = found.step("seed", "valid")
    tasks = [t for t in place.store.tasks(run=run) if t.status == "valid"]
    checks = [t.checks for t in tasks if t.checks]
    calls = place.store.calls(run)
    made, cached = sum(c.calls for c in calls), sum(c.cached for c in calls)
    mean = f"{sum(checks) / len(checks):.1f}" if checks else "–"
    share = f"{valid.count / seeds:.0%} of {count(seeds, 'seed')}" if seeds else "no seeds"
    first = f"{valid.first_time or 0} of {valid.count}"
    with st.container(horizontal=True, gap="small"):
        for name, value, note in (
            ("valid tasks", str(valid.count), share),
            ("valid at first try", first, "before any repair"),
            ("checks per task", mean, f"mean of {count(len(checks), 'task')}"),
            ("model calls", f"{made:,}", f"{cached:,} from cache"),
        ):
            st.metric(
                name,
                value,
                note,
                delta_color="off",
                delta_arrow="off",
                border=True,
                width=200,
            )
    models = sorted({t.model for t in place.store.tasks(run=run) if t.model})
    if models:
        st.caption("made by " + ", ".join(md(m, 60) for m in models))
