"""The live container of a task: start, look at files, processes and differences, run a command."""

import re
from pathlib import PurePosixPath

import pandas as pd
import streamlit as st

from facet.curation import Desk
from facet.errors import EngineError
from facet.live import LiveView, Room
from facet.sandbox.base import ExecResult
from facet.types.payloads import ProbeRun
from facet.types.task import Task
from facet.types.value import short
from facet.ui.text import code_height, count, language, line, md, plain, seconds, size, table_height

MARKS = {"added": "+ added", "modified": "~ modified", "deleted": "- deleted"}


def container_panel(
    room: Room | None, why_not: str, desk: Desk | None, key: str, person: str, task: Task
) -> None:
    """The panel; `why_not` is the one line to show when containers cannot run here."""
    st.subheader("Live container", anchor=False)
    if room is None or why_not:
        st.markdown(f":orange[:material/power_off: {why_not}]")
        st.caption("Everything else on this page works without it, from stored runs.")
        return
    view = room.view(task.digest)
    if view.state == "building":
        _building(room, task.digest)
        return
    if view.state != "ready":
        _start(room, task, view)
        return
    _ready(room, desk, key, person, task, view)


def _start(room: Room, task: Task, view: LiveView) -> None:
    if view.state == "failed":
        st.error(md(view.line, 600), icon=":material/error:")
        if view.log:
            st.code(plain(view.log), language=None, height=200)
    st.caption("The untouched initial state, services running, no network. Nothing is graded.")
    if st.button("Start container", icon=":material/play_arrow:", key=f"up:{short(task.digest)}"):
        room.open(task)
        st.rerun()


@st.fragment(run_every=1.0)
def _building(room: Room, digest: str) -> None:
    view = room.view(digest)
    if view.state != "building":
        st.rerun()
    st.status(f"{view.line} · {seconds(view.seconds)}", state="running")


def _ready(
    room: Room, desk: Desk | None, key: str, person: str, task: Task, view: LiveView
) -> None:
    tag = short(task.digest)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.badge(f"up {seconds(view.seconds)}", icon=":material/circle:", color="green")
        st.caption(f"container {view.container} · network off", width="content")
        st.space("stretch")
        if st.button(
            "Run the reference solution",
            icon=":material/terminal:",
            key=f"solve:{tag}",
            help="runs solve.sh here, so that its effect can be looked at",
        ):
            _solve(room, task)
        if st.button("Stop", icon=":material/stop:", key=f"down:{tag}"):
            room.close(task.digest)
            st.rerun()
    what = st.segmented_control(
        "What to look at",
        ["Command", "Files", "Processes", "Diff to image"],
        default="Command",
        required=True,
        key=f"look:{tag}",
        label_visibility="collapsed",
    )
    try:
        if what == "Files":
            _files(room, task)
        elif what == "Processes":
            _processes(room, task)
        elif what == "Diff to image":
            _changes(room, task)
        else:
            _command(room, desk, key, person, task)
    except EngineError as error:
        st.error(md(str(error), 500), icon=":material/error:")


def _solve(room: Room, task: Task) -> None:
    try:
        with st.spinner("running solve.sh"):
            result = room.solve(
                task.digest, task, timeout_s=min(task.settings.agent_timeout_sec, 600)
            )
    except EngineError as error:
        st.error(md(str(error), 500), icon=":material/error:")
        return
    st.session_state[f"output:{task.digest}"] = ("bash /solution/solve.sh", result)


def _command(room: Room, desk: Desk | None, key: str, person: str, task: Task) -> None:
    tag = short(task.digest)
    with (
        st.form(f"command:{tag}", border=False),
        st.container(horizontal=True, vertical_alignment="bottom", gap="small"),
    ):
        command = st.text_input(
            "Command (bash, at most 60 s)",
            key=f"command-text:{tag}",
            max_chars=2000,
            placeholder="ls -la /app",
        )
        sent = st.form_submit_button("Run", icon=":material/play_arrow:")
    if sent and command and command.strip():
        with st.spinner("running"):
            result = room.run(task.digest, command)
        if desk is not None:
            desk.probe(
                ProbeRun(
                    task=key,
                    task_digest=task.digest,
                    command=command[:2000],
                    exit=result.exit,
                    output=result.text[:4000],
                    person=person,
                )
            )
        st.session_state[f"output:{task.digest}"] = (command, result)
    stored = st.session_state.get(f"output:{task.digest}")
    if stored:
        _output(*stored)


def _output(command: str, result: ExecResult) -> None:
    end = "killed at its deadline" if result.timed_out else f"exit {result.exit}"
    st.caption(f"{end} · {seconds(result.seconds)}")
    cut = result.stdout.bytes_cut + result.stderr.bytes_cut
    text = f"$ {command}\n{result.stdout.text}{result.stderr.text}"
    if cut:
        text += f"\n… {cut:,} bytes cut"
    shown = plain(_strip_colors(text))
    st.code(shown, language=None, height=code_height(shown, 360))


def _strip_colors(text: str) -> str:
    """Without ANSI colour sequences; every other control character is shown as an escape."""
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def _files(room: Room, task: Task) -> None:
    tag = short(task.digest)
    manifest = task.environment.manifest
    here = st.session_state.get(f"cd:{tag}") or (manifest.workdir if manifest else "/")
    typed = st.text_input("Folder", value=here, key=f"folder:{tag}:{here}", max_chars=500)
    if typed and typed != here:
        st.session_state[f"cd:{tag}"] = typed
        st.rerun()
    folder = here
    entries = room.entries(task.digest, folder)
    names = ["../", *(e.name + ("/" if e.kind == "dir" else "") for e in entries)]
    frame = pd.DataFrame(
        {
            "name": [line(n, 120) for n in names],
            "size": ["", *(size(e.size) if e.kind == "file" else e.kind for e in entries)],
            "mode": ["", *(e.mode for e in entries)],
            "owner": ["", *(line(e.owner, 30) for e in entries)],
        }
    )
    picked = st.dataframe(
        frame,
        hide_index=True,
        key=f"entries:{tag}:{folder}",
        on_select="rerun",
        selection_mode="single-cell",
        height=table_height(len(names), limit=280),
        alt="Files of a folder of the container",
    )
    cells = picked.selection.cells
    if not cells or not 0 <= cells[0][0] < len(names):
        st.caption("Click a file to read it, a folder to open it.")
        return
    name = names[cells[0][0]]
    if name.endswith("/"):
        inner = PurePosixPath(folder) / name
        st.session_state[f"cd:{tag}"] = str(inner.parent.parent if name == "../" else inner)
        st.rerun()
    path = str(PurePosixPath(folder) / name)
    st.caption(md(path, 200))
    text = plain(room.read(task.digest, path))
    st.code(text, language=language(path), line_numbers=True, height=code_height(text, 300))


def _processes(room: Room, task: Task) -> None:
    found = room.processes(task.digest)
    st.dataframe(
        [{"pid": p.pid, "user": line(p.user, 30), "command": line(p.command, 300)} for p in found],
        hide_index=True,
        alt="Processes of the container",
    )


def _changes(room: Room, task: Task) -> None:
    found = room.changes(task.digest)
    if not found:
        st.caption("No difference to the image.")
        return
    st.caption(f"{count(len(found), 'path')} differ from the image")
    st.dataframe(
        [{"change": MARKS[c.change], "path": line(c.path, 300)} for c in found],
        hide_index=True,
        height=table_height(len(found), limit=360),
        alt="Paths that differ from the image",
    )
