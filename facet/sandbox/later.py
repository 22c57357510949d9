"""An engine that removes images behind the work, so that the next task need not wait for it.

Images go one after another, in the order in which they were given up; what cannot be removed is
left to the reaper, since it carries our label. `close` waits until all are gone.
"""

import threading
from collections.abc import Mapping
from contextlib import suppress
from queue import SimpleQueue
from typing import Literal

from facet.errors import EngineError
from facet.sandbox.base import DEFAULT_OPTIONS, Engine, Sandbox, SandboxOptions
from facet.types.task import FileSet


class RemovingLater:
    """Passes everything on to `engine` (see `facet.sandbox.base.Engine`) but `remove_image`."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._given_up: SimpleQueue[str | None] = SimpleQueue()
        self._guard = threading.Lock()
        self._thread: threading.Thread | None = None

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
        return self._engine.build(
            context,
            dockerfile=dockerfile,
            network=network,
            timeout_s=timeout_s,
            tag=tag,
            labels=labels,
        )

    def image(self, name: str) -> str | None:
        """See `Engine.image`."""
        return self._engine.image(name)

    def start(self, image: str, options: SandboxOptions = DEFAULT_OPTIONS) -> Sandbox:
        """See `Engine.start`."""
        return self._engine.start(image, options)

    def remove_image(self, image: str) -> None:
        """Give an image up: it is removed soon. Never raises for the engine's trouble."""
        with self._guard:
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._remove_all, name="facet-remove", daemon=True
                )
                self._thread.start()
            self._given_up.put(image)

    def _remove_all(self) -> None:
        while (image := self._given_up.get()) is not None:
            with suppress(EngineError):
                self._engine.remove_image(image)

    def reap(self) -> int:
        """See `Engine.reap`."""
        return self._engine.reap()

    def close(self) -> None:
        """Wait until everything given up is gone; it can be used again. Leaves `engine` open."""
        with self._guard:
            thread, self._thread = self._thread, None
            if thread is not None:
                self._given_up.put(None)
        if thread is not None:
            thread.join()
