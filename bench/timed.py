"""An engine that adds up how long each kind of work took, for where our time goes."""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, Self

from bench.figures import Part
from facet.sandbox.base import (
    DEFAULT_OPTIONS,
    Copied,
    Engine,
    ExecResult,
    Process,
    PutFile,
    Sandbox,
    SandboxOptions,
)
from facet.types.task import FileSet
from facet.types.trial import StateChange


class Clock:
    """Seconds and calls per kind of work; safe to use from several threads."""

    def __init__(self) -> None:
        self._spent: dict[str, list[float]] = {}
        self._guard = threading.Lock()

    def timed[T](self, name: str, work: Callable[[], T]) -> T:
        """Do `work` and count it under `name`, also when it raises."""
        began = time.monotonic()
        try:
            return work()
        finally:
            spent = time.monotonic() - began
            with self._guard:
                self._spent.setdefault(name, []).append(spent)

    def parts(self) -> tuple[Part, ...]:
        """What was counted so far."""
        with self._guard:
            return tuple(
                Part(name=name, seconds=sum(found), calls=len(found))
                for name, found in self._spent.items()
            )


class TimedEngine:
    """Passes everything on to `engine` (see `facet.sandbox.base.Engine`)."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._clock = Clock()

    def parts(self) -> tuple[Part, ...]:
        """Work by kind."""
        return self._clock.parts()

    def check(self) -> str:
        """See `Engine.check`."""
        return self._engine.check()

    def build(
        self,
        context: FileSet,
        *,
        dockerfile: str = "Dockerfile",
        network: Literal["none", "bridge"] = "none",
        timeout_s: float = 600.0,
        tag: str = "",
        labels: Mapping[str, str] | None = None,
    ) -> str:
        """See `Engine.build`."""
        return self._clock.timed(
            "build",
            lambda: self._engine.build(
                context,
                dockerfile=dockerfile,
                network=network,
                timeout_s=timeout_s,
                tag=tag,
                labels=labels,
            ),
        )

    def image(self, name: str) -> str | None:
        """See `Engine.image`."""
        return self._clock.timed("ask for an image", lambda: self._engine.image(name))

    def start(self, image: str, options: SandboxOptions = DEFAULT_OPTIONS) -> Sandbox:
        """See `Engine.start`."""
        started = self._clock.timed("start a container", lambda: self._engine.start(image, options))
        return TimedSandbox(started, self._clock)

    def remove_image(self, image: str) -> None:
        """See `Engine.remove_image`."""
        self._clock.timed("remove an image", lambda: self._engine.remove_image(image))

    def reap(self) -> int:
        """See `Engine.reap`."""
        return self._engine.reap()


class TimedSandbox:
    """Passes everything on to `sandbox` (see `facet.sandbox.base.Sandbox`)."""

    def __init__(self, sandbox: Sandbox, clock: Clock) -> None:
        self._sandbox = sandbox
        self._clock = clock

    @property
    def id(self) -> str:
        """See `Sandbox.id`."""
        return self._sandbox.id

    def exec(
        self,
        command: Sequence[str],
        *,
        timeout_s: float,
        user: str = "",
        workdir: str = "",
        env: Mapping[str, str] | None = None,
        max_output: int = 1_000_000,
    ) -> ExecResult:
        """See `Sandbox.exec`."""
        return self._clock.timed(
            kind_of(command),
            lambda: self._sandbox.exec(
                command,
                timeout_s=timeout_s,
                user=user,
                workdir=workdir,
                env=env,
                max_output=max_output,
            ),
        )

    def put(self, files: Sequence[PutFile]) -> None:
        """See `Sandbox.put`."""
        self._clock.timed("put files", lambda: self._sandbox.put(files))

    def read(self, path: str, *, max_bytes: int = 1_000_000) -> bytes:
        """See `Sandbox.read`."""
        return self._clock.timed(
            "read files", lambda: self._sandbox.read(path, max_bytes=max_bytes)
        )

    def copy(self, path: str, *, max_bytes: int = 64_000_000, max_files: int = 5000) -> Copied:
        """See `Sandbox.copy`."""
        return self._clock.timed(
            "read files",
            lambda: self._sandbox.copy(path, max_bytes=max_bytes, max_files=max_files),
        )

    def changes(self, *, limit: int = 5000) -> tuple[StateChange, ...]:
        """See `Sandbox.changes`."""
        return self._clock.timed("compare to the image", lambda: self._sandbox.changes(limit=limit))

    def processes(self) -> tuple[Process, ...]:
        """See `Sandbox.processes`."""
        return self._clock.timed("list processes", lambda: self._sandbox.processes())

    def end_processes(self, *, grace_s: float = 0.0) -> None:
        """See `Sandbox.end_processes`."""
        self._clock.timed("end processes", lambda: self._sandbox.end_processes(grace_s=grace_s))

    def commit(self, *, labels: Mapping[str, str] | None = None) -> str:
        """See `Sandbox.commit`."""
        return self._clock.timed("snapshot", lambda: self._sandbox.commit(labels=labels))

    def alive(self) -> bool:
        """See `Sandbox.alive`."""
        return self._clock.timed("is it alive", lambda: self._sandbox.alive())

    def close(self) -> None:
        """See `Sandbox.close`."""
        self._clock.timed("remove a container", lambda: self._sandbox.close())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def kind_of(command: Sequence[str]) -> str:
    """What a command does for us, by its words."""
    words = " ".join(command[:2])
    if "/solution/" in words:
        return "act (solve.sh)"
    if "--grade" in words or "/tests/test.sh" in words:
        return "grade (test.sh)"
    if words.startswith("/bin/bash -c") and "pids=()" in " ".join(command):
        return "start services"
    return "other commands"
