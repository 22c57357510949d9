"""Watches how much a container grows while a long command runs, and kills it past its limit."""

import threading
from typing import Any, Self

FIRST_S = 2.0
EVERY_S = 3.0


class SizeWatcher:
    """Context manager around a command; looks first after 2 s, so short commands cost nothing."""

    def __init__(self, api: Any, container: str, limit_mb: int) -> None:
        self._api = api
        self._container = container
        self._limit = limit_mb << 20
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="facet-size", daemon=True)
        self.reason = ""

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join(timeout=30.0)

    def _watch(self) -> None:
        from docker.errors import DockerException
        from requests.exceptions import RequestException

        wait_s = FIRST_S
        while not self._done.wait(wait_s):
            wait_s = EVERY_S
            try:
                grown = container_growth(self._api, self._container)
                if grown > self._limit:
                    self.reason = (
                        f"it grew by {grown >> 20} MB, its limit is {self._limit >> 20} MB"
                    )
                    self._api.kill(self._container)
                    return
            except (DockerException, RequestException):
                return  # the container or the server is gone: the command itself will say so


def container_growth(api: Any, container: str) -> int:
    """Bytes the container's own layer holds (the engine walks it: cost grows with its files)."""
    url = api._url("/containers/{0}/json", container)
    found = api._result(api._get(url, params={"size": 1}), True)
    return int(found.get("SizeRw") or 0)
