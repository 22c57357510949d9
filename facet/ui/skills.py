"""The screened corpus: what was kept, what was dropped and the line that caused it, and pairs."""

import pandas as pd
import streamlit as st

from facet.errors import FacetError
from facet.store.rows import SkillRow
from facet.types.skill import Skill
from facet.ui.place import Place
from facet.ui.text import count, line, md, plain, table_height

PAGE_ROWS = 200
KINDS = ("dropped", "kept", "pairs")


def skills_page(place: Place) -> None:
    """List on the left, one skill with its findings on the right; pairs behind a switch."""
    rows = place.store.skills()
    kept = [r for r in rows if r.kept]
    pairs = place.store.pairs()
    counts = {"dropped": len(rows) - len(kept), "kept": len(kept), "pairs": len(pairs)}
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        what = st.segmented_control(
            "What",
            KINDS,
            default="kept" if not counts["dropped"] else "dropped",
            required=True,
            key="list",
            bind="query-params",
            format_func=lambda k: count(counts[k], "pair") if k == "pairs" else f"{counts[k]} {k}",
            label_visibility="collapsed",
        )
        st.space("stretch")
        text = st.text_input(
            "Search",
            key="find",
            bind="query-params",
            max_chars=200,
            icon=":material/search:",
            placeholder="name, id, reason",
            label_visibility="collapsed",
            width=320,
            live=True,
        )
    if not rows and not pairs:
        st.caption(
            "No skill was read into this workspace yet; a run or `facet skills import` does."
        )
        return
    if what == "pairs":
        _pairs(place, text or "")
        return
    _skills(place, [r for r in rows if r.kept == (what == "kept")], text or "")


def _skills(place: Place, rows: list[SkillRow], text: str) -> None:
    wanted = text.lower().strip()
    rows = [
        r
        for r in rows
        if wanted in " ".join((r.skill_id, r.name, r.description, r.rule, r.reason)).lower()
    ]
    if not rows:
        st.caption("No skill matches.")
        return
    page = 1
    if len(rows) > PAGE_ROWS:
        page = st.pagination(-(-len(rows) // PAGE_ROWS), key="page", bind="query-params")
    part = rows[(page - 1) * PAGE_ROWS : page * PAGE_ROWS]
    left, right = st.columns([3, 2], gap="medium")
    with left:
        event = st.dataframe(
            pd.DataFrame([_record(r) for r in part]),
            hide_index=True,
            key=f"skills:{page}:{rows[0].kept}",
            on_select="rerun",
            selection_mode="single-cell",
            height=table_height(len(part), limit=680),
            column_config={
                "skill": st.column_config.TextColumn(width=200),
                "reason": st.column_config.TextColumn(width=320),
                "description": st.column_config.TextColumn(width=420),
            },
            alt="Skills with the reason of every drop",
        )
        st.caption(f"{count(len(rows), 'skill')} · click a row to see it")
    cells = event.selection.cells
    asked = st.query_params.get("skill", "")
    chosen = next((r for r in rows if r.skill_id == asked), part[0])
    if cells and 0 <= cells[0][0] < len(part):
        chosen = part[cells[0][0]]
    with right:
        _one(place, chosen)


def _record(row: SkillRow) -> dict[str, object]:
    record: dict[str, object] = {"skill": line(row.name or row.skill_id, 80)}
    if row.kept:
        record |= {"contexts": row.contexts, "tasks": row.tasks}
        record["description"] = line(row.description, 300)
    else:
        where = f"{row.path}:{row.line}" if row.line else row.path
        record |= {"rule": line(row.rule, 40), "reason": line(row.reason, 200)}
        record["line"] = line(where, 120)
    record["licence"] = line(row.source.licence, 40)
    record["id"] = line(row.skill_id, 120)
    return record


def _one(place: Place, row: SkillRow) -> None:
    with st.container(border=True, gap="small"):
        word = ":green-badge[kept]" if row.kept else ":red-badge[dropped]"
        st.markdown(f"**{md(row.name or row.skill_id, 100)}** {word}")
        st.text(line(row.description, 600))
        licence = row.source.licence or "no licence found"
        st.caption(f"{md(row.skill_id, 120)} · {md(licence, 60)}")
        for finding in row.findings:
            color = "red" if finding.effect == "drop" else "orange"
            where = f"{finding.path}:{finding.line}" if finding.line else finding.path
            st.markdown(
                f":{color}-badge[{md(finding.rule, 60)}] {md(finding.reason, 300)}  \n"
                f":small[:gray[{md(where, 160)}]]"
            )
            if finding.excerpt:
                st.code(plain(finding.excerpt, 400), language=None, wrap_lines=True)
        if not row.findings and row.reason:
            st.text(line(row.reason, 400))
        _body(place, row)


def _body(place: Place, row: SkillRow) -> None:
    for stamped in place.store.contexts(skill=row.skill_id)[-1:]:
        for context in stamped.data.contexts:
            st.markdown(f":blue-badge[context] {md(context.capability, 80)}")
            st.text(line(context.situation, 400))
        if stamped.data.not_covered:
            st.caption(f"no context: {md(stamped.data.not_covered, 300)}")
    if not row.blob:
        return
    try:
        skill = place.workspace.blobs.get_value(row.blob, Skill)
    except FacetError as error:
        st.caption(md(str(error), 300))
        return
    with st.expander(f"SKILL.md, {count(len(skill.files), 'file')}"):
        st.code(plain(skill.body, 60_000), language="markdown", line_numbers=True, height=360)


def _pairs(place: Place, text: str) -> None:
    wanted = text.lower().strip()
    rows = []
    for stamped in place.store.pairs():
        pair = stamped.data
        record = {
            "kept": pair.verdict.keep,
            "first": line(pair.skill_ids[0], 100),
            "second": line(pair.skill_ids[1], 100),
            "complementary": line(pair.verdict.complementary, 300),
            "executable": line(pair.verdict.executable, 300),
        }
        if wanted in " ".join(str(v) for v in record.values()).lower():
            rows.append(record)
    if not rows:
        st.caption("No pair was judged yet.")
        return
    st.dataframe(
        pd.DataFrame(rows), hide_index=True, height=600, alt="Pairs with the judge's two reasons"
    )
