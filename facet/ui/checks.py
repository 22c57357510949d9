"""The check x state table (before = untouched state, after = reference solution), and one check."""

import pandas as pd
import streamlit as st

from facet.check_source import check_sources, find_check
from facet.matrix import FLAG_MEANING, READING_ORDER, Matrix, Row, matrix, suspect
from facet.types.task import Task
from facet.types.trial import CheckResult, Trial
from facet.types.value import short
from facet.types.verdict import Judgement
from facet.ui.text import code_height, line, md, plain, table_height
from facet.ui.words import CHECK_MARK

SHADES = {
    "light": {"pass": "#DDF3E4", "fail": "#FBE0E2", "error": "#FCE8D2", "ink": "#1B2030"},
    "dark": {"pass": "#17402A", "fail": "#4D1F26", "error": "#4D3517", "ink": "#E3E7EF"},
}


def checks_page(task: Task, judgement: Judgement | None) -> None:
    """Table on the left, the selected check with its source and what it said on the right."""
    if judgement is None or not judgement.trials:
        st.caption("The verifier did not run yet on this version of the task.")
        return
    table = matrix(judgement, task.verifier.checks)
    _headline(table)
    if not table.rows:
        st.caption("No check reported a result.")
        _logs(judgement)
        return
    left, right = st.columns([3, 2], gap="medium")
    with left:
        picked = _table(task, table)
        flags = sorted({f for r in table.rows for f in r.flags})
        if flags:
            st.caption("  ·  ".join(f"**{f}**: {FLAG_MEANING[f]}" for f in flags))
        with st.expander("How to read it"):
            st.table(
                [{"before": b, "after": a, "first suspect": s} for b, a, s in READING_ORDER],
                hide_index=True,
                alt="What the two states say about who is wrong",
            )
    with right:
        _one_check(task, judgement, picked)
    _logs(judgement)


def _headline(table: Matrix) -> None:
    words = suspect(table)
    if words:
        st.markdown(f"**{md(words, 400)}**")


def _table(task: Task, table: Matrix) -> Row:
    """The table itself; returns the selected row, at first the most interesting one."""
    keys = [c.key for c in table.columns]
    titles: list[str] = []
    for column in table.columns:
        name = line(column.title, 28)
        titles.append(name if name not in titles else f"{name} {len(titles)}")
    rows = []
    for row in table.rows:
        cells = {t: CHECK_MARK.get(s, s) for t, s in zip(titles, row.statuses, strict=True)}
        rows.append(
            {
                "check": line(row.id, 80),
                **cells,
                "flags": ", ".join(row.flags),
                "requirement": line(row.title, 200),
            }
        )
    frame = pd.DataFrame(rows)
    shades = SHADES["dark" if st.context.theme.type == "dark" else "light"]
    styled = frame.style.map(lambda v: _shade(str(v), shades), subset=pd.Index(titles))
    start = _interesting(table, keys)
    event = st.dataframe(
        styled,
        hide_index=True,
        key=f"checks:{short(task.digest)}",
        on_select="rerun",
        selection_mode="single-cell",
        height=table_height(len(rows)),
        column_config={
            "check": st.column_config.TextColumn(pinned=True, width="medium"),
            "requirement": st.column_config.TextColumn(width="large"),
            **{t: st.column_config.TextColumn(width=90) for t in titles},
        },
        alt="Result of every check in every state",
    )
    chosen = event.selection.cells
    index = int(chosen[0][0]) if chosen else start
    return table.rows[index if index < len(table.rows) else start]


def _interesting(table: Matrix, keys: list[str]) -> int:
    """Row to show first: a brittle or vacuous check, else the first."""
    for flag in ("brittle", "vacuous", "never ran", "dead"):
        for index, row in enumerate(table.rows):
            if flag in row.flags:
                return index
    return 0


def _shade(cell: str, shades: dict[str, str]) -> str:
    for word in ("pass", "fail", "error"):
        if cell.endswith(word):
            return f"background-color: {shades[word]}; color: {shades['ink']}"
    return ""


def _one_check(task: Task, judgement: Judgement, row: Row) -> None:
    with st.container(border=True, gap="small"):
        st.markdown(f"**{md(row.id, 120)}**")
        if row.title:
            st.text(line(row.title, 300))
        for trial in judgement.trials:
            result = next((c for c in trial.checks if c.id == row.id), None)
            if result is not None:
                _said(trial, result)
        _source(task, row)


def _source(task: Task, row: Row) -> None:
    """The check's own function, with its place in the file."""
    source = find_check(check_sources(task.verifier.files), row.id)
    if source is None:
        st.caption("Its source was not found in the verifier's files.")
        return
    node = source.node
    first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
    last = node.end_lineno or node.lineno
    lines = task.verifier.files.text(source.file).split("\n")[first - 1 : last]
    st.caption(f"{md(source.file, 90)}, lines {first}-{last}")
    text = plain("\n".join(lines), 20_000)
    st.code(text, language="python", line_numbers=True, height=code_height(text, 320))


def _said(trial: Trial, result: CheckResult) -> None:
    state = {"nop": "before", "oracle": "after"}.get(trial.actor, f"{trial.actor} {trial.label}")
    color = {"passed": "green", "failed": "red", "error": "orange"}.get(result.status, "gray")
    st.markdown(f":{color}-badge[{CHECK_MARK[result.status]}] {md(state, 60)}")
    if result.status in ("failed", "error"):
        told = [plain(result.message, 2000).strip()] if result.message else []
        if result.expected or result.actual:
            told += [
                f"expected  {line(result.expected, 500)}",
                f"actual    {line(result.actual, 500)}",
            ]
        if result.line:
            told.append(f"at        {line(result.file, 90)}:{result.line}")
        if told:
            st.code("\n".join(told), language=None, wrap_lines=True)


def _logs(judgement: Judgement) -> None:
    """What each trial printed: the actor's log and the verifier's, with how much was cut."""
    with st.expander("Logs of every trial", icon=":material/article:"):
        for trial in judgement.trials:
            reward = "no reward" if trial.reward is None else f"reward {trial.reward:g}"
            name = f"{trial.actor} {trial.label}".strip()
            st.markdown(
                f"**{md(name, 80)}** · {trial.outcome.replace('_', ' ')} · {reward} · "
                f"{trial.total_s:.1f} s {' · ' + md(trial.detail) if trial.detail else ''}"
            )
            for title, log in (("actor", trial.actor_log), ("verifier", trial.verifier_log)):
                if log.text.strip():
                    cut = f", {log.bytes_cut:,} bytes cut" if log.bytes_cut else ""
                    st.caption(f"{title}{cut}")
                    text = plain(log.text, 20_000)
                    st.code(text, language=None, height=code_height(text, 200))
