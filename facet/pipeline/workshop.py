"""What the line needs of a machine: build and probe, look, judge. One bench per seed.

`Workshop` is the contract (tests bring a double); `DockerWorkshop` is the real one. Images and
containers of a bench are gone when it closes.
"""

import threading
from typing import Protocol, Self

from facet.base_images import base_ready
from facet.errors import BuildError, EngineError
from facet.gates import SEVEN
from facet.images import Images
from facet.judge import judge
from facet.realize import realize, start
from facet.sandbox.base import Engine, Sandbox
from facet.stages.looking import look_into
from facet.strict import STRICT, STRICT_GATES
from facet.types.asks import Look, Looked
from facet.types.manifest import Manifest, RealizedManifest
from facet.types.task import Environment, Task
from facet.types.verdict import Judgement
from facet.workspace import Workspace


class Workbench(Protocol):
    """The machine's side of one seed; a context manager."""

    def realize(self, environment: Environment) -> RealizedManifest:
        """Build and probe. BuildError = the plan's fault, EngineError = ours."""
        ...

    def look(self, environment: Environment, look: Look) -> Looked:
        """One glance into a container of an environment that was realized."""
        ...

    def judge(self, task: Task) -> Judgement:
        """Every deciding gate of a task."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...


class Workshop(Protocol):
    """Makes benches. Safe to use from several threads."""

    def check(self) -> None:
        """Raise EngineUnavailable or BaseMissing when nothing can be built here."""
        ...

    def open(self, run: str) -> Workbench:
        """A bench for one seed of a run."""
        ...


class DockerWorkshop:
    """Benches on one engine; `strict` lets the gates beyond the seven decide too."""

    def __init__(self, engine: Engine, workspace: Workspace, *, strict: bool = False) -> None:
        self._engine = engine
        self._workspace = workspace
        self._strict = strict

    def check(self) -> None:
        """A server that answers, a base image and the grading runner."""
        self._engine.check()
        base_ready(self._engine)

    def open(self, run: str) -> "DockerBench":
        """A bench whose images are removed with it."""
        return DockerBench(self._engine, self._workspace, strict=self._strict)


class DockerBench:
    """Images by environment, at most one container to look into, and the judge."""

    def __init__(self, engine: Engine, workspace: Workspace, *, strict: bool = False) -> None:
        self._engine = engine
        self._workspace = workspace
        self._gates = STRICT_GATES if strict else SEVEN
        self._images = Images(engine, lambda env: realize(engine, env, workspace=workspace))
        self._lock = threading.Lock()
        self._open: tuple[str, Sandbox] | None = None

    def realize(self, environment: Environment) -> RealizedManifest:
        """Build and probe, once per environment."""
        return self._images.get(environment).manifest

    def look(self, environment: Environment, look: Look) -> Looked:
        """One glance; trouble of the engine is what the writer sees of it."""
        with self._lock:
            try:
                sandbox = self._container(environment)
                return look_into(sandbox, look, _workdir(environment.manifest))
            except (EngineError, BuildError) as error:
                return Looked(look=look, ok=False, output=f"cannot look: {error}"[:300])

    def judge(self, task: Task) -> Judgement:
        """The first seven gates, or all."""
        return judge(
            task,
            engine=self._engine,
            workspace=self._workspace,
            images=self._images,
            gates=self._gates,
            more=STRICT,
        )

    def _container(self, environment: Environment) -> Sandbox:
        digest = environment.value_digest()
        if self._open is not None and self._open[0] == digest:
            return self._open[1]
        self._close_container()
        sandbox = start(self._engine, self._images.get(environment))
        self._open = (digest, sandbox)
        return sandbox

    def _close_container(self) -> None:
        if self._open is not None:
            self._open[1].close()
            self._open = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._close_container()
        finally:
            self._images.close()


def _workdir(manifest: Manifest | None) -> str:
    return manifest.workdir if manifest else "/"
