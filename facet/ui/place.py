"""Where a page reads and writes: the workspace of this app, or the bundled sample read-only.

One `Place` per workspace and server, shared by all sessions; one `Seat` per session. Which place
is shown: `?at=sample` or `?at=own` in the URL, else the workspace as soon as it holds anything.
"""

import atexit
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import streamlit as st

from facet.config import data_dir, load_config
from facet.curation import Desk
from facet.errors import FacetError
from facet.launch import Launches
from facet.live import Opened, Room
from facet.sandbox.base import Engine, Sandbox
from facet.store import Store
from facet.types.task import Task
from facet.ui.seat import Seat
from facet.ui.text import line, md
from facet.workspace import Workspace

ENGINE_FRESH_S = 5.0  # how long one look at the engine is believed


@dataclass
class EngineState:
    """Whether containers can run here, asked at most every few seconds."""

    ask: Callable[[], None]  # raises FacetError with one line when they cannot
    _at: float = -1e9
    _line: str = ""

    def why_not(self) -> str:
        """ "" when containers can run, else one line: what is missing and what to run."""
        now = time.monotonic()
        if now - self._at > ENGINE_FRESH_S:
            try:
                self.ask()
                self._line = ""
            except FacetError as error:
                self._line = line(str(error), 300)
            self._at = time.monotonic()
        return self._line


@dataclass
class Place:
    """Everything a page needs of one workspace."""

    name: str  # "own" or "sample"
    workspace: Workspace
    store: Store
    engine: EngineState
    room: Room
    desk: Desk | None = None  # None: read-only
    launches: Launches | None = None
    started: float = field(default_factory=time.time)

    @property
    def read_only(self) -> bool:
        """True for the sample."""
        return self.desk is None


def _leave(place: Place | None) -> None:
    """What happens to a place nobody will use again."""
    if place is not None:
        place.store.close()


@st.cache_resource(show_spinner=False, on_release=_leave)
def own_place(path: str) -> Place:
    """The workspace of this app, its index owned by this process. Raises WorkspaceError."""
    workspace = Workspace.open(Path(path))
    state, room = _containers(workspace)
    return Place(
        name="own",
        workspace=workspace,
        store=Store.open(workspace),
        engine=state,
        room=room,
        desk=Desk(workspace.journal),
        launches=Launches(workspace),
    )


@st.cache_resource(show_spinner=False, on_release=_leave)
def sample_place(path: str, own: str) -> Place | None:
    """The bundled sample, or None where it is missing or damaged."""
    try:
        workspace = Workspace.open(Path(path), create=False)
        store = Store.memory(workspace)
    except FacetError:
        return None
    host = own_place(own)
    return Place(
        name="sample", workspace=workspace, store=store, engine=host.engine, room=host.room
    )


def _containers(workspace: Workspace) -> tuple[EngineState, Room]:
    """The engine's state and the room for live containers; neither touches Docker before use."""

    @lru_cache(maxsize=1)
    def engine() -> Engine:
        from facet.sandbox.docker import DockerEngine

        return DockerEngine(str(workspace.root))

    @lru_cache(maxsize=1)
    def reap_once() -> int:
        return engine().reap()

    def ask() -> None:
        from facet.base_images import base_ready

        engine().check()
        base_ready(engine())
        reap_once()

    def make(task: Task) -> tuple[Sandbox, Opened]:
        from facet.realize import realize, start

        realized = realize(engine(), task.environment, workspace=workspace)
        try:
            sandbox = start(engine(), realized)
        except BaseException:
            engine().remove_image(realized.image)
            raise
        return sandbox, Opened(image=realized.image, manifest=realized.manifest)

    room = Room(make, lambda image: engine().remove_image(image))
    atexit.register(room.close_all)
    return EngineState(ask), room


def seat() -> Seat:
    """This session's seat."""
    found = st.session_state.get("seat")
    if not isinstance(found, Seat):
        found = st.session_state["seat"] = Seat()
    return found


def person() -> str:
    """Who decides: typed in this session, else FACET_PERSON or the login name."""
    typed = str(st.session_state.get("who", "") or "").strip()
    return line(typed or load_config().person, 40) or "local"


def current() -> Place:
    """The place this page shows, freshly ingested; one line and no page where there is none."""
    path = str(load_config().workspace.absolute())
    try:
        own = own_place(path)
        own.store.ingest()
        own.room.close_idle()
        wanted = st.query_params.get("at", "")
        if wanted == "own":
            return own
        if wanted == "sample" or not _holds_anything(own):
            return sample_place(str(data_dir() / "sample" / "workspace"), path) or own
    except FacetError as error:
        st.error(md(str(error), 600), icon=":material/error:")
        st.stop()
    return own


def own() -> Place:
    """The workspace of this app, whatever the page shows."""
    return own_place(str(load_config().workspace.absolute()))


def _holds_anything(place: Place) -> bool:
    launched = place.launches.views() if place.launches else ()
    return bool(launched) or place.store.health().events > 0


def at_params(place: Place, **params: str) -> dict[str, str]:
    """Query parameters that keep a link in this place."""
    kept = {"at": "sample"} if place.name == "sample" else {}
    return {**kept, **{k: v for k, v in params.items() if v}}
