"""Built images by environment digest, for as long as somebody needs them.

One image serves every trial of one digest in this process. Threads that want the same digest wait
for one build. `close` removes what was built, whatever happened.
"""

import threading
from collections.abc import Callable
from types import TracebackType
from typing import Self

from facet.errors import BuildError
from facet.realize import Realized
from facet.sandbox.base import Engine
from facet.types.task import Environment

type Realize = Callable[[Environment], Realized]


class Images:
    """A small cache of realized environments; use as a context manager."""

    def __init__(self, engine: Engine, realize: Realize) -> None:
        self._engine = engine
        self._realize = realize
        self._lock = threading.Lock()
        self._building: dict[str, threading.Lock] = {}
        self._built: dict[str, Realized] = {}
        self._broken: dict[str, BuildError] = {}

    def get(self, environment: Environment) -> Realized:
        """The realized environment, built once. BuildError = the task's fault, also once.

        Raises EngineError when the engine failed; then the next call tries again.
        """
        digest = environment.value_digest()
        with self._lock:
            lock = self._building.setdefault(digest, threading.Lock())
        with lock:
            if digest in self._broken:
                raise self._broken[digest]
            if digest not in self._built:
                try:
                    self._built[digest] = self._realize(environment)
                except BuildError as error:
                    self._broken[digest] = error
                    raise
            return self._built[digest]

    def put(self, environment: Environment, realized: Realized) -> None:
        """Adopt an image somebody else built; it is removed with the others."""
        with self._lock:
            self._built.setdefault(environment.value_digest(), realized)

    def drop(self, environment: Environment) -> None:
        """Remove one image."""
        with self._lock:
            realized = self._built.pop(environment.value_digest(), None)
        if realized is not None:
            self._engine.remove_image(realized.image)

    def close(self) -> None:
        """Remove every image; safe to call twice."""
        with self._lock:
            built, self._built = self._built, {}
        for image in {realized.image for realized in built.values()}:
            self._engine.remove_image(image)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
