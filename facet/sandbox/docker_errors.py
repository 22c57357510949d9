"""Translates what the docker SDK and its HTTP stack raise into our error classes."""

from collections.abc import Iterator
from contextlib import contextmanager

from facet.errors import EngineError, EngineUnavailable, SandboxGone

GONE = ("is not running", "no such container", "no such exec", "is paused", "marked for removal")


def one_line(text: str, limit: int = 400) -> str:
    """The text on one line, cut to `limit` characters."""
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"


@contextmanager
def boundary(what: str, *, container: str = "") -> Iterator[None]:
    """Any failure of the engine inside becomes an EngineError that says what was tried.

    With `container` given, an answer that it is gone or not running becomes SandboxGone.
    """
    from docker.errors import APIError, DockerException
    from requests.exceptions import ConnectionError as RequestsConnectionError
    from requests.exceptions import RequestException
    from urllib3.exceptions import HTTPError

    try:
        yield
    except APIError as error:
        text = str(error.explanation or error)
        low = text.lower()
        lost = error.status_code == 404 and "no such image" not in low
        if container and (lost or any(g in low for g in GONE)):
            raise SandboxGone(f"{what}: container {container[:12]}: {one_line(text)}") from error
        raise EngineError(f"{what}: {one_line(text)}") from error
    except RequestsConnectionError as error:
        raise EngineUnavailable(f"{what}: no Docker server answers: {one_line(str(error))}") from (
            error
        )
    except (RequestException, DockerException, HTTPError, OSError) as error:
        kind = EngineUnavailable if _unreachable(error) else EngineError
        raise kind(f"{what}: {one_line(str(error)) or type(error).__name__}") from error


def _unreachable(error: Exception) -> bool:
    text = str(error).lower()
    return "error while fetching server api version" in text or "connection refused" in text
