"""The queue: counts by status, filters, and the table that fills in while a run works."""

import pandas as pd
import streamlit as st

from facet.store.rows import TaskRow
from facet.ui.listing import FILTERS, GROUPS, next_to_review, pick, status_of, why
from facet.ui.place import Place, at_params
from facet.ui.text import clock, count, line, table_height
from facet.ui.words import STATUS

PAGE_ROWS = 200
GLYPH = {
    "green": "●",
    "red": "●",
    "violet": "◐",
    "blue": "◌",
    "orange": "▲",
    "yellow": "?",
    "gray": "○",
}


def headline(place: Place) -> None:
    """The next thing to do."""
    rows = place.store.tasks()
    following = next_to_review(rows)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.subheader("Queue", anchor=False, width="content")
        st.space("stretch")
        if st.button(
            "Review next",
            key="review-next",
            icon=":material/rate_review:",
            type="primary",
            shortcut="n",
            disabled=not following,
            help="the first task that waits for a decision",
        ):
            st.switch_page("app_pages/task.py", query_params=at_params(place, task=following))


def queue_table(place: Place) -> None:
    """Filters and the table; a click on a row opens its task."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        groups = st.pills(
            "Status",
            list(FILTERS),
            selection_mode="multi",
            key="show",
            bind="query-params",
            label_visibility="collapsed",
        )
        st.space("stretch")
        text = st.text_input(
            "Search",
            key="find",
            bind="query-params",
            max_chars=200,
            icon=":material/search:",
            placeholder="title, skill, reason, id",
            label_visibility="collapsed",
            width=320,
            live=True,
        )
    _table(place, list(groups), text or "")


@st.fragment(run_every=2.0)
def _table(place: Place, groups: list[str], text: str) -> None:
    """Reruns by itself: what a run beside the app writes shows up here."""
    place.store.ingest()
    every = place.store.tasks()
    rows = pick(every, groups, text)
    _counts(every)
    if not rows:
        st.caption(
            "No task matches these filters." if every else "Tasks will appear here as they start."
        )
        return
    page = 1
    if len(rows) > PAGE_ROWS:
        page = st.pagination(-(-len(rows) // PAGE_ROWS), key="page", bind="query-params")
    part = rows[(page - 1) * PAGE_ROWS : page * PAGE_ROWS]
    event = st.dataframe(
        pd.DataFrame([_record(r) for r in part]),
        hide_index=True,
        key="queue",
        on_select="rerun",
        selection_mode="single-cell",
        row_height=36,
        height=table_height(len(part), 36, 680),
        column_config={
            "status": st.column_config.TextColumn(width=120),
            "task": st.column_config.TextColumn(width=330),
            "why": st.column_config.TextColumn(width=300),
            "checks": st.column_config.NumberColumn(width=70),
            "rounds": st.column_config.NumberColumn(
                width=70, help="repair rounds: environment and task"
            ),
            "skills": st.column_config.TextColumn(width=260),
        },
        alt="Tasks with their status and why",
    )
    st.caption(f"{len(rows)} of {count(len(every), 'task')} · click a row to open it")
    cells = event.selection.cells
    if cells and 0 <= cells[0][0] < len(part):
        st.switch_page(
            "app_pages/task.py", query_params=at_params(place, task=part[cells[0][0]].key)
        )


def _counts(rows: list[TaskRow]) -> None:
    found = [status_of(r) for r in rows]
    if not found:
        return
    with st.container(horizontal=True, gap="small"):
        for status, look in STATUS.items():
            if status in found:
                st.badge(
                    f"{found.count(status)} {look.word}",
                    icon=look.icon,
                    color=look.color,
                    help=look.meaning,
                )
        waiting = sum(GROUPS[s] == "in work" for s in found)
        if waiting:
            st.caption("filling in", width="content")


def _record(row: TaskRow) -> dict[str, object]:
    look = STATUS[status_of(row)]
    return {
        "status": f"{GLYPH[look.color]} {look.word}",
        "task": line(row.title or " + ".join(row.skills) or row.key, 120),
        "why": line(why(row), 200),
        "checks": row.checks or None,
        "rounds": row.rounds + row.environment_rounds,
        "skills": line(" + ".join(row.skills), 120),
        "model": line(row.model, 40),
        "updated": clock(row.updated),
        "id": line(row.key, 80),
    }
