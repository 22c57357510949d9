"""The task page's parts: what it is, what it holds, what the machine found, what people said."""

import streamlit as st

from facet.errors import FacetError
from facet.store.rows import TaskHistory
from facet.types.manifest import RealizedManifest
from facet.types.payloads import NoteWritten
from facet.types.task import Task
from facet.types.value import short
from facet.types.verdict import Judgement
from facet.ui.checks import checks_page
from facet.ui.container import container_panel
from facet.ui.gates import gate_list
from facet.ui.listing import blamed_badge, status_badge, task_title, why
from facet.ui.manifest import manifest_table
from facet.ui.panes import artifact_panes
from facet.ui.place import Place
from facet.ui.rounds import rounds_page
from facet.ui.scenario import axes, scenario_page
from facet.ui.text import clock, line, md
from facet.ui.verdict import opinions

VIEWS: tuple[str, ...] = ("Review", "Scenario", "Checks", "Environment", "Repairs")


def header(history: TaskHistory) -> str:
    """Title, status, why, where it comes from, and the switch of views; returns the view."""
    row = history.task
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.subheader(task_title(row), anchor=False, width="content")
        status_badge(row)
        if row.checks:
            st.badge(f"{row.checks} checks", icon=":material/fact_check:", color="gray")
        if row.digest:
            st.badge(short(row.digest, 8), icon=":material/tag:", color="gray", help="task digest")
        if row.model:
            st.badge(md(row.model, 40), icon=":material/smart_toy:", color="gray", help="model")
        st.space("stretch")
        view = view_switch()
    blamed = blamed_badge(row)
    skills = " + ".join(md(s, 60) for s in row.skills)
    st.caption(f"{md(why(row), 300)} {blamed} · {skills} · {md(row.key, 80)}")
    return view


def view_switch() -> str:
    """Which side of the task is shown; part of the address."""
    return (
        st.segmented_control(
            "View",
            VIEWS,
            default=VIEWS[0],
            required=True,
            key="view",
            bind="query-params",
            label_visibility="collapsed",
        )
        or VIEWS[0]
    )


def read_task(place: Place, history: TaskHistory) -> Task | None:
    """The bundle on screen; says why where there is none."""
    digest = history.task.digest
    if not digest:
        look = "The run is still at work on it" if history.task.status == "working" else "It ended"
        st.markdown(f"{look} before a task was written. {md(history.task.reason, 400)}")
        rounds_page(history)
        return None
    try:
        return place.workspace.bundles.read(digest)
    except FacetError as error:
        st.error(md(str(error), 400), icon=":material/error:")
        rounds_page(history)
        return None


def read_judgement(place: Place, history: TaskHistory) -> Judgement | None:
    """The latest judgement of the digest on screen, None when there is none to read."""
    judged = [j for j in history.judged if j.data.digest == history.task.digest]
    if not judged:
        return None
    try:
        return place.workspace.blobs.get_value(judged[-1].data.blob, Judgement)
    except FacetError as error:
        st.warning(md(str(error), 400), icon=":material/warning:")
        return None


def realized_of(history: TaskHistory, task: Task) -> RealizedManifest | None:
    """What the probe found for this very environment, None when it was never built."""
    digest = task.digests["environment"]
    built = [b.data for b in history.environments if b.data.environment == digest]
    return built[-1].realized if built else None


def review(
    place: Place, view: str, task: Task, history: TaskHistory, who: str, *, digits: bool
) -> None:
    """One view of the task."""
    judgement = read_judgement(place, history)
    if view == "Scenario":
        scenario_page(task)
    elif view == "Checks":
        checks_page(task, judgement)
    elif view == "Environment":
        left, right = st.columns([3, 2], gap="medium")
        with left:
            st.subheader("Planned against realized", anchor=False)
            manifest_table(task.environment.manifest, realized_of(history, task))
        with right:
            container_panel(
                place.room, place.engine.why_not(), place.desk, history.task.key, who, task
            )
    elif view == "Repairs":
        rounds_page(history)
    else:
        _side_by_side(place, task, history, judgement, who, digits=digits)


def _side_by_side(
    place: Place,
    task: Task,
    history: TaskHistory,
    judgement: Judgement | None,
    who: str,
    *,
    digits: bool,
) -> None:
    main, rail = st.columns([7, 2], gap="small")
    with main:
        artifact_panes(task, digits=digits)
    with rail:
        with st.container(border=True, gap="small"):
            st.markdown("**Gates**")
            with st.container(gap="xxsmall"):
                gate_list(judgement)
        if task.scenario is not None:
            with st.container(border=True, gap="xsmall"):
                st.markdown("**Five axes**")
                axes(task.scenario)
        with st.container(border=True, gap="small"):
            st.markdown("**Decisions and notes**")
            opinions(history)
            _notes(place, history, who)


def _notes(place: Place, history: TaskHistory, who: str) -> None:
    for note in history.notes[-5:]:
        st.caption(f"{md(note.data.person, 40)} · {clock(note.at)}")
        st.text(line(note.data.text, 1000))
    if place.desk is None:
        return
    tag = short(history.task.digest)
    with st.form(f"note:{tag}", border=False, clear_on_submit=True):
        text = st.text_area(
            "Note",
            key=f"note-text:{tag}",
            max_chars=4000,
            height=80,
            placeholder="a note for the next reader",
            label_visibility="collapsed",
        )
        sent = st.form_submit_button("Save note", icon=":material/save:")
    if sent and text and text.strip():
        answer = place.desk.note(
            NoteWritten(
                task=history.task.key,
                task_digest=history.task.digest,
                text=text.strip(),
                person=who,
            )
        )
        if answer.state in ("saved", "already"):
            place.store.ingest()
            st.toast(md(answer.line), icon=":material/check:")
            st.rerun()
        st.error(md(answer.line, 300), icon=":material/error:")
