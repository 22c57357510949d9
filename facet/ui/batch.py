"""Runs: the button that makes a demo batch, and the progress of a run read from its events."""

from pathlib import Path

import streamlit as st

from facet.errors import FacetError
from facet.launch import LaunchView
from facet.store.rows import RunRow, TaskRow
from facet.ui.listing import status_of, why
from facet.ui.place import Place, at_params
from facet.ui.text import clock, line, md, plain, seconds, table_height
from facet.ui.words import RUN_LOOK, STATUS

DEMO_COUNT = 4
RESUMABLE = ("interrupted", "cancelled", "budget", "failed")


def start_demo(place: Place) -> None:
    """The button; where containers cannot run it says in one line what to run first."""
    why_not = place.engine.why_not()
    pressed = st.button(
        f"Make a demo batch of {DEMO_COUNT}",
        key="demo",
        icon=":material/play_arrow:",
        type="primary",
        disabled=bool(why_not) or place.launches is None,
        help="runs `facet run --count 4` with the embedded author: no key, no network",
    )
    if why_not:
        st.markdown(f":orange[:material/power_off: {md(why_not, 300)}]", width="content")
    if pressed:
        launch(place, "--count", str(DEMO_COUNT))


def launch(place: Place, *words: str, run: str = "") -> None:
    """Start a run and go where its progress is shown."""
    if place.launches is None:
        return
    try:
        place.launches.start(*words, run=run)
    except FacetError as error:
        st.error(md(str(error), 300), icon=":material/error:")
        return
    st.switch_page("app_pages/synthesize.py", query_params={"at": "own"})


@st.fragment(run_every=1.0)
def progress(place: Place, picked: str) -> None:
    """Everything about the runs of this workspace, read anew every second."""
    place.store.ingest()
    launches = place.launches.views() if place.launches else ()
    runs = place.store.runs()
    _waiting(launches, runs)
    if not runs:
        if not launches:
            st.caption("No run yet.")
        return
    names = [r.run for r in runs]
    run = runs[names.index(picked)] if picked in names else runs[0]
    _one_run(place, run, launches)
    _others(place, runs, run.run)


def _waiting(launches: tuple[LaunchView, ...], runs: list[RunRow]) -> None:
    """Processes that this app started and that have written no event yet, or ended badly."""
    known = {r.run for r in runs}
    for one in launches[:3]:
        if one.running and one.run not in known:
            st.status("Starting: reading and screening skills", state="running")
        elif one.exit not in (None, 0) and one.run not in known:
            last = one.tail.splitlines()[-1] if one.tail else f"it ended with exit {one.exit}"
            st.error(md(last, 400), title="The run did not start", icon=":material/error:")


def _one_run(place: Place, run: RunRow, launches: tuple[LaunchView, ...]) -> None:
    look = RUN_LOOK[run.status]
    done = min(run.ended / run.count, 1.0) if run.count else 0.0
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(f"**{md(run.run, 60)}**", width="content")
            st.badge(look.word, icon=look.icon, color=look.color)
            st.badge(md(run.model, 40) or "model unknown", color="gray")
            st.caption(
                f"{run.order or 'forward'} order · seed {run.seed} · {clock(run.started)}",
                width="content",
            )
            st.space("stretch")
            _controls(place, run)
        st.progress(done, text=f"{run.ended} of {run.count} ended, {run.valid} valid")
        dollars = "unknown" if run.dollars is None else f"${run.dollars:.4f}"
        with st.container(horizontal=True, gap="small"):
            checks = "–" if run.checks is None else f"{run.checks:.1f}"
            for name, value in (
                ("valid", f"{run.valid} of {run.ended}"),
                ("mean checks", checks),
                ("model calls", f"{run.calls}"),
                ("from cache", f"{run.cached_calls} of {run.calls}"),
                ("tokens", f"{run.tokens:,}"),
                ("cost", dollars),
                ("time", seconds(run.seconds)),
            ):
                st.metric(name, value, border=True, width=146)
        if run.reason:
            st.caption(md(run.reason, 400))
        _seeds(place, run)
        mine = next((x for x in launches if x.run == run.run), None)
        if mine is not None and mine.tail:
            with st.expander("Log of its process", icon=":material/article:"):
                st.code(plain(mine.tail), language=None, height=220)


def _controls(place: Place, run: RunRow) -> None:
    if place.launches is None:
        return
    if run.status == "running":
        if st.button("Cancel", key=f"stop:{run.run}", icon=":material/stop:"):
            if place.launches.cancel(run.run):
                st.toast("Asked to stop; what is finished is kept.", icon=":material/stop:")
            else:
                st.toast("Its process was not found on this machine.", icon=":material/help:")
    elif run.status in RESUMABLE and st.button(
        "Resume", key=f"resume:{run.run}", icon=":material/play_arrow:"
    ):
        try:
            place.launches.start("--resume", run.run, run=run.run)
            st.toast("Going on where it stopped.", icon=":material/play_arrow:")
        except FacetError as error:
            st.error(md(str(error), 300), icon=":material/error:")


def _seeds(place: Place, run: RunRow) -> None:
    rows = place.store.tasks(run=run.run)
    if not rows:
        st.caption("No seed accepted yet.")
        return
    event = st.dataframe(
        [_record(r) for r in rows],
        hide_index=True,
        key=f"seeds:{run.run}",
        on_select="rerun",
        selection_mode="single-cell",
        height=table_height(len(rows), limit=430),
        column_config={
            "task": st.column_config.TextColumn(width=320),
            "why": st.column_config.TextColumn(width=320),
        },
        alt="Seeds of this run and how far each came",
    )
    cells = event.selection.cells
    if cells and 0 <= cells[0][0] < len(rows):
        st.switch_page(
            "app_pages/task.py", query_params=at_params(place, task=rows[cells[0][0]].key)
        )


def _record(row: TaskRow) -> dict[str, object]:
    look = STATUS[status_of(row)]
    return {
        "status": look.word,
        "task": line(row.title or " + ".join(row.skills) or row.key, 120),
        "stage": line(row.stage, 40),
        "why": line(why(row), 200),
        "checks": row.checks or None,
        "rounds": row.rounds + row.environment_rounds,
        "time": seconds(row.seconds) if row.seconds else "",
    }


def _others(place: Place, runs: list[RunRow], shown: str) -> None:
    others = [r for r in runs if r.run != shown][:20]
    if not others:
        return
    st.caption("Other runs")
    for run in others:
        look = RUN_LOOK[run.status]
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.badge(look.word, icon=look.icon, color=look.color)
            st.markdown(
                f"{md(run.run, 60)} · {run.valid} valid of {run.ended} · {clock(run.started)}",
                width="content",
            )
            if st.button("Show", key=f"show:{run.run}", type="tertiary"):
                st.query_params["run"] = run.run
                st.rerun(scope="app")


def run_form(place: Place) -> None:
    """What a run is asked to do; the same words as `facet run`."""
    why_not = place.engine.why_not()
    with (
        st.form("run", border=True),
        st.container(horizontal=True, vertical_alignment="bottom", gap="small"),
    ):
        count = st.number_input("Tasks", 1, 500, DEMO_COUNT, width=110)
        seed = st.number_input("Seed", 0, 10**9, 0, width=110)
        workers = st.number_input("Workers", 1, 16, 2, width=110)
        order = st.selectbox("Order", ["forward", "joint", "reverse"], width=130)
        model = st.text_input("Model", value="offline", max_chars=120, width=220)
        skills = st.text_input(
            "Folder of skills", placeholder="the bundled sample", max_chars=500, width=260
        )
        sent = st.form_submit_button(
            "Start", icon=":material/play_arrow:", type="primary", disabled=bool(why_not)
        )
    if why_not:
        st.markdown(f":orange[:material/power_off: {md(why_not, 300)}]")
    if sent:
        words = ["--count", str(count), "--seed", str(seed), "--workers", str(workers)]
        words += ["--order", str(order), "--model", model.strip() or "offline"]
        words += ["--skills", str(Path(skills.strip()).absolute())] if skills.strip() else []
        launch(place, *words)
