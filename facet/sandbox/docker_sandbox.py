"""One running container, driven through the docker SDK."""

import io
import json
import re
import tarfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, Self

from facet.errors import EngineError, SandboxGone
from facet.sandbox.base import Copied, ExecResult, Process, PutFile
from facet.sandbox.docker_copy import read_archive
from facet.sandbox.docker_errors import boundary
from facet.sandbox.docker_exec import run_exec
from facet.sandbox.docker_kill import run_killer
from facet.sandbox.docker_watch import SizeWatcher
from facet.types.trial import StateChange

GO_DIR, GO_LINK = 1 << 31, 1 << 27
GO_TYPE = GO_DIR | GO_LINK | (1 << 26) | (1 << 25) | (1 << 24) | (1 << 21) | (1 << 19)
CHANGES_BYTES = 16_000_000
CHANGE = re.compile(rb'\{"Path":("(?:[^"\\]|\\.)*"),"Kind":([012])\}')
KINDS = {0: "modified", 1: "added", 2: "deleted"}


class DockerSandbox:
    """Fulfils `facet.sandbox.base.Sandbox`. Made by `DockerEngine.start`."""

    def __init__(
        self, api: Any, container: str, image: str, disk_mb: int, labels: dict[str, str]
    ) -> None:
        self._api = api
        self._id = container
        self._image = image
        self._disk_mb = disk_mb
        self._labels = labels
        self._killed = ""
        self._closed = False
        self._lock = threading.Lock()

    @property
    def id(self) -> str:
        """Engine's id of the container."""
        return self._id

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
        """Run a command; see `base.Sandbox.exec`.

        A deadline also kills what init adopted since the command began; should anything survive
        that, the container itself is killed.
        """
        self._check_usable()
        watcher = SizeWatcher(self._api, self._id, self._disk_mb)
        with watcher:
            result = run_exec(
                self._api,
                self._id,
                command,
                timeout_s=timeout_s,
                user=user,
                workdir=workdir,
                env=env or {},
                max_output=max_output,
                kill=self._kill_exec,
                killed=lambda: watcher.reason,
            )
        if watcher.reason:
            self._killed = watcher.reason
        return result

    def _kill_exec(self, marker: str) -> None:
        try:
            ended = run_killer(self._api, self._id, self._image, labels=self._labels, marker=marker)
        except SandboxGone:
            return
        except EngineError:
            ended = False
        if not ended:
            self._kill_container("a command outlived its deadline and could not be ended")

    def _kill_container(self, reason: str) -> None:
        self._killed = reason
        with boundary("killing a container", container=self._id):
            if self.alive():
                self._api.kill(self._id)

    def put(self, files: Sequence[PutFile]) -> None:
        """Write files in one tar; missing parents are made (root, 0755)."""
        if not files:
            return
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as tar:
            for file in files:
                pure = PurePosixPath(file.path)
                if not pure.is_absolute() or ".." in pure.parts or "\0" in file.path:
                    raise ValueError(f"{file.path!r} is not an absolute path in a container")
                entry = tarfile.TarInfo(str(pure)[1:])
                entry.size, entry.mode = len(file.data), file.mode
                entry.uid, entry.gid, entry.mtime = file.uid, file.gid, int(time.time())
                tar.addfile(entry, io.BytesIO(file.data))
        self._check_usable()
        with boundary("writing files", container=self._id):
            self._api.put_archive(self._id, "/", buffer.getvalue())

    def read(self, path: str, *, max_bytes: int = 1_000_000) -> bytes:
        """Content of a regular file, read by the engine, not by anything in the container.

        So it can be read also after the container was killed.
        """
        return self._archive(path, lambda answer: _one_file(path, answer, max_bytes))

    def copy(self, path: str, *, max_bytes: int = 64_000_000, max_files: int = 5000) -> Copied:
        """A file, or a folder with all below it, read by the engine; see `base.Sandbox.copy`."""
        return self._archive(
            path,
            lambda answer: read_archive(path, answer.iter_content(1 << 16), max_bytes, max_files),
        )

    def _archive[T](self, path: str, take: Callable[[Any], T]) -> T:
        """What `take` makes of the engine's archive of a path."""
        if self._closed:
            self._check_usable()
        url = self._api._url("/containers/{0}/archive", self._id)
        with boundary(f"reading {path!r}", container=self._id):
            response = self._api._get(
                url, params={"path": path}, stream=True, headers={"Accept-Encoding": "identity"}
            )
            try:
                if response.status_code == 404 and b"No such container" not in response.content:
                    raise FileNotFoundError(f"{path}: no such file in the container")
                self._api._raise_for_status(response)
                return take(response)
            except (FileNotFoundError, IsADirectoryError) as error:
                wrong: OSError | ValueError = error
            except ValueError as error:
                wrong = error
            finally:
                response.close()
        raise wrong

    def changes(self, *, limit: int = 5000) -> tuple[StateChange, ...]:
        """Paths that differ from the image, sorted, at most `limit`."""
        url = self._api._url("/containers/{0}/changes", self._id)
        body = bytearray()
        with boundary("comparing a container to its image", container=self._id):
            response = self._api._get(url, stream=True)
            try:
                self._api._raise_for_status(response)
                for chunk in response.iter_content(1 << 16):
                    body += chunk
                    if len(body) > CHANGES_BYTES:
                        break
            finally:
                response.close()
        found = [
            StateChange.model_validate({"path": json.loads(path), "change": KINDS[int(kind)]})
            for path, kind in CHANGE.findall(bytes(body))
        ]
        return tuple(sorted(found, key=lambda change: change.path)[:limit])

    def processes(self) -> tuple[Process, ...]:
        """What runs in the container now; pids and users are the host's. Zombies are left out."""
        with boundary("listing processes", container=self._id):
            table = self._api.top(self._id, ps_args="-eo pid,stat,uid,args")
        rows = table.get("Processes") or []
        return tuple(
            Process(
                pid=int(row[0]), user="root" if row[2] == "0" else row[2], command=" ".join(row[3:])
            )
            for row in rows
            if not row[1].startswith("Z")
        )

    def end_processes(self, *, grace_s: float = 0.0) -> None:
        """End all but init and the container's own command; verified with the engine.

        What survives three rounds takes the whole container down: its files can still be committed.
        """
        for _ in range(3):
            if len(self.processes()) <= 2:
                return
            try:
                run_killer(self._api, self._id, self._image, labels=self._labels, grace_s=grace_s)
            except SandboxGone:
                raise
            except EngineError:
                break
            grace_s = 0.0
        if len(self.processes()) > 2:
            self._kill_container("its processes could not be ended")

    def commit(self, *, labels: Mapping[str, str] | None = None) -> str:
        """Keep the filesystem as an image that starts as the container's own image would."""
        with boundary("committing a container", container=self._id):
            config = self._api.inspect_image(self._image).get("Config") or {}
            keep: dict[str, Any] = {
                "Labels": {**self._labels, "facet.kind": "snapshot", **(labels or {})},
                "User": config.get("User") or "0",  # "" would keep the user of this container
                "WorkingDir": config.get("WorkingDir") or "/",
            }
            if config.get("Entrypoint"):
                keep["Entrypoint"] = config["Entrypoint"]
            if config.get("Cmd"):
                keep["Cmd"] = config["Cmd"]
            return str(self._api.commit(self._id, conf=keep)["Id"])

    def alive(self) -> bool:
        """Is the container still running?"""
        try:
            with boundary("asking for a container", container=self._id):
                state = self._api.inspect_container(self._id)["State"]
        except SandboxGone:
            return False
        return bool(state.get("Running"))

    def close(self) -> None:
        """Remove the container and its anonymous volumes; safe to call twice."""
        with self._lock:
            if self._closed:
                return
            try:
                with boundary("removing a container", container=self._id):
                    self._api.remove_container(self._id, force=True, v=True)
            except SandboxGone:
                pass
            self._closed = True

    def _check_usable(self) -> None:
        if self._closed:
            raise SandboxGone(f"container {self._id[:12]} was removed")
        if self._killed:
            raise SandboxGone(f"container {self._id[:12]} was killed: {self._killed}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _one_file(path: str, response: Any, max_bytes: int) -> bytes:
    """The only member of an archive answer, refused by its header before any content is read."""
    from docker.utils import decode_json_header

    stat = decode_json_header(response.headers["x-docker-container-path-stat"])
    mode = int(stat["mode"])
    if mode & GO_DIR:
        raise IsADirectoryError(f"{path}: is a directory")
    if mode & GO_TYPE:
        kind = "a link" if mode & GO_LINK else "a device, FIFO or socket"
        raise ValueError(f"{path}: {kind}, not a regular file")
    if int(stat["size"]) > max_bytes:
        raise ValueError(f"{path}: {stat['size']} bytes, more than {max_bytes}")
    body = bytearray()
    for chunk in response.iter_content(1 << 16):
        body += chunk
        if len(body) > max_bytes + (1 << 16):
            raise ValueError(f"{path}: longer than {max_bytes} bytes")
    try:
        with tarfile.open(fileobj=io.BytesIO(bytes(body)), mode="r:") as tar:
            member = tar.next()
            if member is None or not member.isreg() or member.size > max_bytes:
                raise ValueError(f"{path}: not a regular file of at most {max_bytes} bytes")
            content = tar.extractfile(member)
            return content.read() if content else b""
    except tarfile.TarError as error:
        raise EngineError(f"reading {path!r}: the engine's archive is broken: {error}") from error
