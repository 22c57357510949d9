"""The four artifacts next to each other: one pane each, code with colours and line numbers."""

import streamlit as st

from facet.types.task import ARTIFACTS, Artifact, Task, TextFile, text_file
from facet.types.value import short
from facet.ui.text import SHOWN_BYTES, language, line, md, plain, size
from facet.ui.words import ARTIFACT_LOOK

PANE_HEIGHT = 300  # pixels of code in the 2x2 view
ZOOM_HEIGHT = 760


def artifact_files(task: Task, artifact: Artifact) -> list[TextFile]:
    """Files of one artifact, the one to read first in front."""
    if artifact == "instruction":
        return [text_file("instruction.md", task.instruction.text)]
    if artifact == "environment":
        return _ordered(task.environment.files.files, ("Dockerfile", "docker-compose.yaml"))
    if artifact == "solution":
        return _ordered(task.solution.files.files, ("solve.sh",))
    tests = [f.path for f in task.verifier.files.files if f.path.endswith(".py")]
    return _ordered(task.verifier.files.files, (*tests, "test.sh"))


def _ordered(files: tuple[TextFile, ...], first: tuple[str, ...]) -> list[TextFile]:
    rank = {name: i for i, name in enumerate(first)}
    return sorted(files, key=lambda f: (rank.get(f.path, len(rank)), f.path))


def artifact_panes(task: Task, *, digits: bool) -> None:
    """All four 2x2, or one large (`?part=` in the address).

    `digits` says whether 1-4 are free as keys (not while the reject strip uses them).
    """
    zoom = str(st.query_params.get("part", ""))
    if zoom in ARTIFACTS:
        with st.container(horizontal=True, gap="small"):
            for artifact in ARTIFACTS:
                _zoom_button(task, artifact, zoom, digits=digits)
        with st.container(border=True, gap="xsmall"):
            _pane(task, zoom, ZOOM_HEIGHT, alone=True, digits=False)
        return
    for pair in (ARTIFACTS[:2], ARTIFACTS[2:]):
        for column, artifact in zip(st.columns(2, gap="small"), pair, strict=True):
            with column, st.container(border=True, gap="xsmall"):
                _pane(task, artifact, PANE_HEIGHT, alone=False, digits=digits)


def _zoom_button(task: Task, artifact: Artifact, zoom: str, *, digits: bool) -> None:
    """Shows one artifact large, or all four again; part of the address."""
    look = ARTIFACT_LOOK[artifact]
    if st.button(
        look.word,
        key=f"zoom:{artifact}:{short(task.digest)}:{zoom}",
        icon=look.icon,
        shortcut=str(ARTIFACTS.index(artifact) + 1) if digits else None,
        type="primary" if zoom == artifact else "tertiary",
        help="show all four" if zoom == artifact else "show this one large",
    ):
        if zoom == artifact:
            st.query_params.pop("part", None)
        else:
            st.query_params["part"] = artifact
        st.rerun(scope="app")


@st.fragment
def _pane(task: Task, artifact: Artifact, height: int, *, alone: bool, digits: bool) -> None:
    """Name, file picker and code of one artifact; picking a file reruns this pane alone."""
    files = artifact_files(task, artifact)
    by_path = {f.path: f for f in files}
    picked = files[0].path if files else ""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if not alone:
            _zoom_button(task, artifact, "", digits=digits)
            st.space("stretch")
        if len(files) > 1:
            picked = (
                st.selectbox(
                    f"File of the {artifact}",
                    list(by_path),
                    key=f"file:{artifact}:{short(task.digest)}",
                    format_func=lambda p: f"{line(p, 90)} · {size(len(by_path[p].data))}",
                    label_visibility="collapsed",
                    width="stretch" if alone else 250,
                )
                or picked
            )
        elif files:
            st.caption(f"{md(picked, 90)} · {size(len(files[0].data))}", width="content")
    if files:
        show_file(by_path[picked], height)
    else:
        st.caption("This artifact holds no file.")


def show_file(file: TextFile, height: int) -> None:
    """One file as code; binary files are named, not shown."""
    if b"\0" in file.data[:8000]:
        st.caption(f"Binary file, {size(len(file.data))}: not shown.")
        return
    if not file.data:
        st.caption("Empty file.")
        return
    st.code(
        plain(file.text, SHOWN_BYTES),
        language=language(file.path),
        line_numbers=True,
        wrap_lines=file.path.endswith(".md"),
        height=height,
    )
