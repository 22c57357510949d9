"""What was found and what was done: environment rounds, blames, repairs with their diffs."""

import streamlit as st

from facet.store.rows import TaskHistory
from facet.types.value import short
from facet.types.verdict import Blame, Round
from facet.ui.text import clock, code_height, line, md, plain, seconds
from facet.ui.words import ARTIFACT_LOOK, STATUS


def rounds_page(history: TaskHistory) -> None:
    """The life of a task, oldest first, one box a round."""
    row = history.task
    if row.status == "working":
        st.caption("A run is still working on this task.")
    elif not history.rounds and not history.environment_rounds:
        first = "Valid at first try" if row.first_time_valid else "Ended"
        st.markdown(f"{first}: no repair round was needed." if row.first_time_valid else first)
    left, right = st.columns([3, 2], gap="medium")
    with left:
        for number, stamped in enumerate(history.environment_rounds, 1):
            with st.container(border=True, gap="small"):
                st.markdown(f"**Environment round {number}** · {clock(stamped.at)}")
                for problem in stamped.data.problems:
                    st.text(line(problem, 400))
        for one in history.rounds:
            _round(one.data, one.at)
        if not history.rounds:
            for blamed in history.blames:
                with st.container(border=True, gap="small"):
                    st.markdown(f"**Blamed** · {clock(blamed.at)}")
                    _blame(blamed.data)
    with right:
        _timeline(history)


def _round(one: Round, at: str) -> None:
    with st.container(border=True, gap="small"):
        taken = (
            ":orange-badge[rewrite refused]"
            if one.refused
            else f":green-badge[rewritten {short(one.before, 6)} → {short(one.after, 6)}]"
        )
        st.markdown(f"**Round {one.number}** · {clock(at)} {taken}")
        _blame(one.blame)
        if one.refused:
            st.text(line(one.refused, 500))
        if one.diff:
            text = plain(one.diff, 60_000)
            st.code(text, language="diff", line_numbers=True, height=code_height(text, 420))
        elif not one.refused:
            st.caption("No difference was recorded.")


def _blame(blame: Blame) -> None:
    look = ARTIFACT_LOOK.get(blame.artifact or "")
    who = (
        f":{look.color}-badge[{look.icon} {look.word}]"
        if look
        else ":gray-badge[:material/help: no artifact]"
    )
    category = f" {blame.category}" if blame.category else ""
    gate = f" · gate {blame.gate.replace('_', ' ')}" if blame.gate else ""
    st.markdown(f"{who}{category}{gate} · by {blame.by} :gray[{md(blame.rule, 80)}]")
    if blame.evidence:
        text = "\n".join(plain(e, 1000) for e in blame.evidence[:12])
        st.code(text, language=None, wrap_lines=True)


def _timeline(history: TaskHistory) -> None:
    st.subheader("Timeline", anchor=False)
    lines: list[tuple[str, str]] = []
    for s in history.stages:
        if s.data.error:
            lines.append((s.at, f":red[:material/error:] {md(s.data.stage)}: {md(s.data.error)}"))
        else:
            took = f" :gray[{seconds(s.data.seconds)}]" if s.data.seconds >= 0.05 else ""
            lines.append((s.at, f":gray[:material/check:] {md(s.data.stage)}{took}"))
    for b in history.environments:
        found = len(b.data.realized.mismatches)
        words = f"image built, {found} mismatches" if found else "image built as planned"
        lines.append((b.at, f":material/deployed_code: {words} :gray[{seconds(b.data.seconds)}]"))
    for w in history.written:
        words = f"task {short(w.data.digest, 8)} written (round {w.data.round})"
        lines.append((w.at, f":material/edit_note: {words}"))
    for j in history.judged:
        failed = next((g for g in j.data.gates if g.status == "failed"), None)
        words = "valid" if j.data.valid else (f"fails {failed.name}" if failed else "not assessed")
        color = "green" if j.data.valid else "red"
        checks = f"{j.data.checks} checks" if j.data.checks else ""
        lines.append(
            (
                j.at,
                f":{color}[:material/gavel:] judged {short(j.data.digest, 8)}: "
                f"{words.replace('_', ' ')} :gray[{checks}]",
            )
        )
    for r in history.rounds:
        who = r.data.blame.artifact or "nobody"
        lines.append((r.at, f":material/build: round {r.data.number}, {who} blamed"))
    for e in history.ended:
        look = STATUS.get(e.data.ending)
        word = "valid" if e.data.ending == "valid" else (look.word if look else e.data.ending)
        lines.append((e.at, f":material/flag: **{word}** {md(e.data.reason, 300)}"))
    with st.container(border=True, gap="xxsmall", height=520 if len(lines) > 17 else "content"):
        for _, words in sorted(lines, key=lambda x: x[0]):
            st.markdown(words)
