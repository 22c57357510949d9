"""Runs one command in a container over the engine's attached stream.

The command has ended when the engine says so, not when its output closes: a child that keeps stdout
open delays nothing. At the deadline its whole process tree is killed (`docker_kill`).
"""

import struct
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from facet.errors import EngineError
from facet.sandbox.base import ExecResult
from facet.sandbox.docker_errors import boundary
from facet.types.trial import Log

KILLS = 3  # a command may begin only after its deadline: a loaded engine starts it late
DRAIN_S = 0.5  # how long output of a command that has ended is still read
QUIET_S = 0.05


class Capture:
    """Keeps the first and last half of a stream of bytes, and counts the rest."""

    def __init__(self, limit: int) -> None:
        self._head_limit = limit - limit // 2
        self._tail_limit = limit // 2
        self._head = bytearray()
        self._tail = bytearray()
        self._total = 0

    def add(self, data: bytes) -> None:
        """Take the next bytes; memory stays below twice the limit."""
        self._total += len(data)
        room = self._head_limit - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        if data:
            self._tail += data
            if len(self._tail) > 2 * self._tail_limit + 65536:
                del self._tail[: len(self._tail) - self._tail_limit]

    def log(self, note: str = "") -> Log:
        """What was kept; a line in the middle tells how much was cut."""
        tail = self._tail[len(self._tail) - self._tail_limit :] if self._tail_limit else b""
        if len(self._tail) <= self._tail_limit:
            tail = self._tail
        cut = self._total - len(self._head) - len(tail)
        text = self._head.decode("utf-8", "replace") if cut else ""
        if cut:
            text += f"\n[... {cut} bytes cut ...]\n" + tail.decode("utf-8", "replace")
        else:
            text = (self._head + tail).decode("utf-8", "replace")
        return Log(text=text + note, bytes_total=self._total, bytes_cut=cut)


class Demux:
    """Splits the engine's framed stream into stdout and stderr."""

    def __init__(self, limit: int) -> None:
        self.stdout = Capture(limit)
        self.stderr = Capture(limit)
        self._header = bytearray()
        self._left = 0
        self._into = self.stdout

    def feed(self, data: bytes) -> None:
        """Take raw bytes of the connection, frames cut anywhere."""
        view = memoryview(data)
        while view:
            if self._left:
                part = view[: self._left]
                self._into.add(bytes(part))
                self._left -= len(part)
                view = view[len(part) :]
                continue
            need = 8 - len(self._header)
            self._header += view[:need]
            view = view[need:]
            if len(self._header) == 8:
                kind, self._left = struct.unpack(">BxxxL", self._header)
                self._into = self.stderr if kind == 2 else self.stdout
                self._header.clear()


class Stream:
    """The attached connection: bytes, nothing yet, or the end."""

    def __init__(self, raw: Any) -> None:
        self._response = getattr(raw, "_response", None)
        self._raw = raw
        self._sock = getattr(raw, "_sock", raw)
        self._early = self._read_ahead()

    def _read_ahead(self) -> bytes:
        """Bytes the HTTP layer read together with the headers."""
        answer: Any = getattr(self._response, "raw", None)
        buffered: Any = getattr(getattr(answer, "_fp", None), "fp", None)
        if not hasattr(buffered, "peek"):
            return b""
        self._sock.settimeout(0.0)
        try:
            return bytes(buffered.read(len(buffered.peek()) or 0) or b"")
        except OSError:
            return b""

    def receive(self, wait_s: float) -> bytes | None:
        """Next bytes; b"" at the end; None when nothing came for `wait_s` seconds."""
        if self._early:
            early, self._early = self._early, b""
            return early
        self._sock.settimeout(max(wait_s, 0.001))
        try:
            return bytes(self._sock.recv(1 << 16))
        except TimeoutError:
            return None
        except ConnectionResetError:
            return b""

    def close(self) -> None:
        """Drop the connection; what still writes to it meets a closed pipe."""
        if self._response is not None:
            self._response.close()
        self._raw.close()


def run_exec(
    api: Any,
    container: str,
    command: Sequence[str],
    *,
    timeout_s: float,
    user: str,
    workdir: str,
    env: Mapping[str, str],
    max_output: int,
    kill: Callable[[str], None],
    killed: Callable[[], str],
) -> ExecResult:
    """Run `command`; `kill(marker)` ends its tree; `killed()` says why the container was killed."""
    marker = uuid.uuid4().hex
    began = time.monotonic()
    with boundary("running a command", container=container):
        exec_id = api.exec_create(
            container,
            list(command),
            user=user,
            workdir=workdir or None,
            environment={**env, "FACET_EXEC": marker},
        )["Id"]
        stream = Stream(api.exec_start(exec_id, socket=True))
        output = Demux(max_output)
        try:
            exit_code, timed_out = _follow(api, exec_id, stream, output, began + timeout_s, killed)
            if timed_out:
                for _ in range(KILLS):
                    kill(marker)
                    if _has_ended(api, exec_id):
                        break
                _drain(stream, output)
        finally:
            stream.close()
    reason = killed()
    note = f"\n[the container was killed: {reason}]\n" if reason else ""
    if exit_code is None and not timed_out and not reason:
        raise EngineError(f"the engine lost the exit code of a command in {container[:12]}")
    return ExecResult(
        exit=exit_code,
        stdout=output.stdout.log(),
        stderr=output.stderr.log(note),
        timed_out=timed_out,
        seconds=time.monotonic() - began,
        killed=reason,
    )


def _follow(
    api: Any,
    exec_id: str,
    stream: Stream,
    output: Demux,
    deadline: float,
    killed: Callable[[], str],
) -> tuple[int | None, bool]:
    """Read output until the command ends or the deadline passes: (exit code, timed out).

    The engine forgets the command with its container: no code then, where we killed that.
    """
    from docker.errors import APIError

    try:
        return _followed(api, exec_id, stream, output, deadline)
    except APIError:
        if not killed():
            raise
        return None, False


def _followed(
    api: Any, exec_id: str, stream: Stream, output: Demux, deadline: float
) -> tuple[int | None, bool]:
    wait_s = 0.02
    asked = time.monotonic()
    while True:
        now = time.monotonic()
        if now >= deadline:
            return None, True
        data = stream.receive(min(wait_s, deadline - now))
        if data:
            output.feed(data)
            if now - asked < 0.25:  # a child may flood the output after the command has ended
                continue
        asked = now
        code = _exit_code(api, exec_id)
        if code is not None:
            if data != b"":
                _drain(stream, output)
            return code, False
        if data == b"":  # output closed, the command goes on (or the engine has not noticed yet)
            return _await_exit(api, exec_id, deadline)
        wait_s = min(wait_s * 1.5, 0.25)


def _await_exit(api: Any, exec_id: str, deadline: float) -> tuple[int | None, bool]:
    pause = 0.005
    while time.monotonic() < deadline:
        code = _exit_code(api, exec_id)
        if code is not None:
            return code, False
        time.sleep(pause)
        pause = min(pause * 1.5, 0.25)
    return None, True


def _exit_code(api: Any, exec_id: str) -> int | None:
    """Exit code once the command has ended (`Running` alone is also false before it began)."""
    state = api.exec_inspect(exec_id)
    return None if state.get("Running") else state.get("ExitCode")


def _has_ended(api: Any, exec_id: str) -> bool:
    """Within two seconds; a command that has not begun yet has not ended."""
    from docker.errors import NotFound

    try:
        return not _await_exit(api, exec_id, time.monotonic() + 2.0)[1]
    except NotFound:
        return True  # the container went with it


def _drain(stream: Stream, output: Demux) -> None:
    """Take what the ended command wrote last; never wait for its children."""
    until = time.monotonic() + DRAIN_S
    while time.monotonic() < until:
        data = stream.receive(QUIET_S)
        if not data:
            return
        output.feed(data)
