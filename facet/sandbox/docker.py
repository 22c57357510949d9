"""The Docker engine behind `facet.sandbox.base.Engine`, through the docker SDK.

Not covered: disk quotas (overlay2 over ext4 has none: files are bounded by ulimit, the whole by a
size watcher during commands that last) and process limits of image builds (the classic builder
has none: builds are bounded by memory, file size and time).
"""

import atexit
import socket
import threading
import uuid
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from facet.config import load_config
from facet.errors import BaseMissing, EngineError, EngineUnavailable
from facet.sandbox.base import Sandbox, SandboxOptions
from facet.sandbox.docker_build import run_build
from facet.sandbox.docker_errors import boundary, one_line
from facet.sandbox.docker_owner import (
    BUILD,
    HOST,
    KIND,
    OWNER,
    RUN,
    WORKSPACE,
    Owner,
    host_name,
    is_leftover,
)
from facet.sandbox.docker_sandbox import DockerSandbox
from facet.types.task import FileSet

DEFAULTS = SandboxOptions()
DROPPED = ("NET_RAW", "MKNOD", "AUDIT_WRITE")
BUILD_MEMORY_MB = 2048
REQUEST_TIMEOUT_S = 300.0  # of one answer of the server: generous, a loaded host is slow


class DockerEngine:
    """Makes images and containers. Safe to use from several threads; nothing happens before use.

    What it starts is labelled with its workspace, run and owner; `close` (and the end of the
    process) removes what is left of it. An image built with a `tag` is kept: it is nobody's.
    """

    def __init__(self, workspace_label: str, *, run: str = "", locks: Path | None = None) -> None:
        self._workspace = workspace_label
        self._run = run
        self._locks = locks
        self._guard = threading.Lock()
        self._gate = threading.Condition()
        self._making = 0  # containers and images being made now
        self._refusing = False
        self._client: Any = None
        self._owner: Owner | None = None

    # ---- server and labels ----------------------------------------------------------------

    @property
    def api(self) -> Any:
        """The SDK's low-level client, made on first use."""
        with self._guard:
            if self._client is None:
                import docker

                _knock()
                with boundary("connecting to Docker"):
                    self._client = docker.from_env(timeout=int(REQUEST_TIMEOUT_S)).api
            return self._client

    def _labels(self, extra: Mapping[str, str] | None = None) -> dict[str, str]:
        with self._guard:
            if self._owner is None:
                folder = self._locks or load_config().cache / "owners"
                try:
                    self._owner = Owner(folder.absolute(), self._workspace)
                except OSError as error:
                    raise EngineError(
                        f"cannot keep a lock file in {folder} ({error.strerror}):"
                        " set FACET_CACHE to a folder that can be written"
                    ) from error
                atexit.register(_close_quietly, weakref.ref(self))
            path = str(self._owner.path)
        ours = {WORKSPACE: self._workspace, OWNER: path, HOST: host_name()}
        if self._run:
            ours[RUN] = self._run
        return {**(extra or {}), **ours}

    def check(self) -> str:
        """Version of the server; raises EngineUnavailable when none answers."""
        with boundary("asking for the Docker server"):
            return str(self.api.version(api_version=False)["Version"])

    # ---- images ---------------------------------------------------------------------------

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
        """Build an image, return its id; see `base.Engine.build`.

        Each untagged build is an image of its own, also where all its layers are cached: whoever
        removes it takes nothing from another.
        """
        with self._making_one():
            ours = {**self._labels(labels), BUILD: uuid.uuid4().hex}
            steps = {WORKSPACE: self._workspace, HOST: host_name()}
            return run_build(
                self.api,
                context,
                dockerfile=dockerfile,
                network="none" if network == "none" else "default",
                timeout_s=timeout_s,
                tag=tag,
                labels={**(labels or {}), **dict.fromkeys(steps, "")} if tag else ours,
                step_labels=steps,
                memory_mb=BUILD_MEMORY_MB,
            )

    def image(self, name: str) -> str | None:
        """Id of a local image, or None."""
        from docker.errors import ImageNotFound

        with boundary(f"looking for image {name}"):
            try:
                return str(self.api.inspect_image(name)["Id"])
            except ImageNotFound:
                return None

    def remove_image(self, image: str) -> None:
        """Remove an image; a missing one is fine, one still in use is an EngineError.

        A built image goes with its untagged steps; a snapshot must leave the image it came from.
        """
        from docker.errors import ImageNotFound

        with boundary(f"removing image {image}"):
            try:
                found = self.api.inspect_image(image)
                labels = (found.get("Config") or {}).get("Labels") or {}
                snapshot = labels.get(KIND) == "snapshot"
                self.api.remove_image(image, force=True, noprune=snapshot)
            except ImageNotFound:
                return

    # ---- containers -----------------------------------------------------------------------

    def start(self, image: str, options: SandboxOptions = DEFAULTS) -> Sandbox:
        """Start a container that stays up; EngineError (with its log's tail) if it does not."""
        with self._making_one(), boundary(f"starting a container of {image[:40]}"):
            labels = self._labels(dict(options.labels))
            image_id = self.image(image)
            if image_id is None:
                kind = BaseMissing if image.startswith("facet-base") else EngineError
                hint = ": run `facet base build`" if kind is BaseMissing else ""
                raise kind(f"image {image} is not on this machine{hint}")
            container = self._create(image_id, options, labels)
            try:
                self.api.start(container)
                if options.keep_entrypoint and not self._stays_up(container):
                    tail = self.api.logs(container, tail=20)[-2000:].decode("utf-8", "replace")
                    raise EngineError(
                        f"the container of {image[:40]} ended at once: {one_line(tail)}"
                    )
            except BaseException:
                self.api.remove_container(container, force=True, v=True)
                raise
        kept = {k: v for k, v in labels.items() if k.startswith("facet.")}
        return DockerSandbox(self.api, container, image_id, options.disk_mb, kept)

    def _create(self, image: str, options: SandboxOptions, labels: dict[str, str]) -> str:
        from docker import types

        api = self.api
        mounts = [
            types.Mount(
                target=mount.target,
                source=mount.source,
                type="bind" if mount.source.startswith("/") else "volume",
                read_only=True,
            )
            for mount in options.mounts
        ]
        fsize = options.fsize_mb << 20
        host = api.create_host_config(
            init=True,
            network_mode=options.network,
            cap_drop=list(DROPPED),
            security_opt=["no-new-privileges"],
            mem_limit=options.memory_mb << 20,
            memswap_limit=options.memory_mb << 20,
            nano_cpus=int(options.cpus * 1e9),
            pids_limit=options.pids,
            ulimits=[
                types.Ulimit(name="fsize", soft=fsize, hard=fsize),
                types.Ulimit(name="core", soft=0, hard=0),
            ],
            mounts=mounts,
            log_config=types.LogConfig(type="json-file", config={"max-size": "1m"}),
        )
        made = api.create_container(
            image,
            command=list(options.command),
            entrypoint=None if options.keep_entrypoint else [""],
            environment=dict(options.env),
            working_dir=options.workdir or None,
            user=options.user or None,
            hostname=options.hostname,
            labels=labels,
            host_config=host,
        )
        return str(made["Id"])

    def _stays_up(self, container: str) -> bool:
        return bool(self.api.inspect_container(container)["State"].get("Running"))

    @contextmanager
    def _making_one(self) -> Iterator[None]:
        """Something is being made; refused once `refuse` was called."""
        with self._gate:
            if self._refusing:
                raise EngineError("the work was stopped: nothing more is started")
            self._making += 1
        try:
            yield
        finally:
            with self._gate:
                self._making -= 1
                self._gate.notify_all()

    def refuse(self, *, wait_s: float = 30.0) -> None:
        """Start nothing more, for good; waits until what is being made now is made.

        After it, `close` leaves no container: nothing can follow. A build that outlasts `wait_s`
        seconds is left to the next start's reaper.
        """
        with self._gate:
            self._refusing = True
            self._gate.wait_for(lambda: self._making == 0, timeout=wait_s)

    # ---- leftovers ------------------------------------------------------------------------

    def reap(self) -> int:
        """Remove leftovers of this workspace whose process is dead; returns how many."""
        self._labels()
        owner = self._owner
        assert owner is not None
        oldest = owner.oldest_live()
        return self._remove_all(
            {"label": [f"{WORKSPACE}={self._workspace}"]},
            lambda labels, created: is_leftover(labels, created, oldest),
        )

    def close(self) -> None:
        """Remove what this engine still has, release its lock; it can be used again."""
        with self._guard:
            owner, self._owner = self._owner, None
        if owner is not None:
            try:
                mine = str(owner.path)
                oldest = owner.oldest_live(others=True)
                self._remove_all(
                    {"label": [f"{WORKSPACE}={self._workspace}"]},
                    lambda labels, created: (
                        labels.get(OWNER) == mine
                        or (OWNER not in labels and is_leftover(labels, created, oldest))
                    ),
                )
            finally:
                owner.release()
        with self._guard:
            if self._client is not None:
                self._client.close()
                self._client = None

    def _remove_all(self, filters: dict[str, Any], unwanted: Any) -> int:
        from docker.errors import APIError

        removed = 0
        with boundary("removing leftovers"):
            for found in self.api.containers(all=True, filters=filters):
                if unwanted(found.get("Labels") or {}, float(found.get("Created") or 0)):
                    removed += self._try(self.api.remove_container, found["Id"], force=True, v=True)
            for found in self.api.networks(filters=filters):
                if unwanted(found.get("Labels") or {}, 0.0):
                    removed += self._try(self.api.remove_network, found["Id"])
            progress = True
            while progress:  # children first: a parent's removal is refused until they are gone
                progress = False
                for found in self.api.images(all=True, filters=filters):
                    if unwanted(found.get("Labels") or {}, float(found.get("Created") or 0)):
                        try:
                            self.api.remove_image(found["Id"], force=True)
                        except APIError:
                            continue
                        removed += 1
                        progress = True
        return removed

    def _try(self, remove: Any, *args: Any, **options: Any) -> int:
        from docker.errors import APIError

        try:
            remove(*args, **options)
        except APIError:
            return 0  # another reaper was first, or it is still being removed
        return 1


def _knock() -> None:
    """Is there a server behind the Unix socket? (The SDK leaks a socket where there is none.)"""
    from docker.constants import DEFAULT_UNIX_SOCKET
    from docker.utils import kwargs_from_env

    address = str(kwargs_from_env().get("base_url") or DEFAULT_UNIX_SOCKET)
    _, unix, path = address.partition("unix://")
    if not unix:
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as knock:
        try:
            knock.connect(path)
        except OSError as error:
            reason = error.strerror or str(error)
            raise EngineUnavailable(
                f"no Docker server answers at {path} ({reason}): start Docker"
            ) from error


def _close_quietly(reference: "weakref.ref[DockerEngine]") -> None:
    engine = reference()
    if engine is not None:
        try:
            engine.close()
        except EngineError:
            return  # the server is gone: the next start reaps
