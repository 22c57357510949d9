"""Builds an image with the engine's classic builder, and tells the task's faults from ours."""

import io
import json
import re
import tarfile
import threading
import time
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from facet.errors import BaseMissing, BuildError, EngineError, EngineUnavailable
from facet.sandbox.docker_errors import boundary, one_line
from facet.types.task import FileSet

LOG_LIMIT = 200_000
CACHE_RACES = 3  # attempts when a cached layer is removed by another build's end
VANISHED = ("no such image: sha256:", "layer does not exist", "unknown parent image")
FSIZE_MB = 2048

DISK_FULL = "no space left on device"
OURS = (  # engine trouble, whatever the Dockerfile says
    "cannot connect to the docker daemon",
    "context canceled",
    "error creating overlay mount",
    "failed to register layer",
    *VANISHED,
    "input/output error",
    "too many open files in system",
    "unexpected eof",
    "devicemapper",
    "runc did not terminate",
    "cgroup",
    "containerd",
)
UNAVAILABLE = (  # the base image is not here and cannot be fetched: "cannot run here"
    "pull access denied",
    "manifest unknown",
    "manifest for",
    "dial tcp",
    "i/o timeout",
    "no such host",
    "tls handshake",
    "toomanyrequests",
    "request canceled while waiting for connection",
    "repository does not exist",
    "no matching manifest",
    "server misbehaving",
    "unauthorized",
    "x509:",
)
TASKS = (  # the context's own fault
    "returned a non-zero code",
    "copy failed",
    "add failed",
    "file not found in build context",
    "dockerfile parse error",
    "unknown instruction",
    "cannot locate specified dockerfile",
    "requires at least one argument",
    "requires exactly",
    "the dockerfile (",
    "file with no instructions",
    "no build stage in current context",
    "failed to process",
    "invalid reference format",
    "unable to convert uid/gid",
    "unable to find user",
    "no matching entries",
    "executable file not found",
    "no such file or directory: unknown",
    "failed to parse",
    "invalid from flag value",
    "circular dependency",
    "invalid argument",
    "invalid containerport",
    "unknown flag",
    "names can not be blank",
    "syntax error",
    "must have two arguments",
    "name must be",
    "forbidden path",
    "the command",
    "invalid signal",
    "not a directory",
    "cannot overwrite",
    "when using copy with more than one source",
)
FETCH_FAILED = re.compile(
    r"Temporary failure resolving|Could not resolve|Failed to fetch|Unable to fetch|^Err:", re.M
)
COLOUR = re.compile(r"\x1b\[[0-9;]*m")  # the builder paints what a step writes to stderr
NOT_FOUND = re.compile(r"Unable to locate package|has no installation candidate")


class Step(NamedTuple):
    """One instruction of the build and what it printed."""

    instruction: str
    output: str


def context_tar(context: FileSet, dockerfile: str, text: str) -> bytes:
    """The build context as a tar: same files, same bytes, on every machine."""
    buffer = io.BytesIO()
    folders: set[str] = set()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for file in context.files:
            for parent in reversed(PurePosixPath(file.path).parents[:-1]):
                if str(parent) not in folders:
                    folders.add(str(parent))
                    tar.addfile(_entry(str(parent), 0o755, tarfile.DIRTYPE))
            data = text.encode() if file.path == dockerfile else file.data
            entry = _entry(file.path, 0o755 if file.executable else 0o644, tarfile.REGTYPE)
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))
    return buffer.getvalue()


def _entry(name: str, mode: int, kind: bytes) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.mode, entry.type, entry.mtime = mode, kind, 0
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = "root"
    return entry


def with_labels(dockerfile: str, labels: Mapping[str, str]) -> str:
    """The Dockerfile with our labels set right after each FROM.

    So every layer, and every container of a RUN step, says whose it is even if the build dies.
    """
    if not labels:
        return dockerfile
    pairs = " ".join(f"{key}={json.dumps(value)}" for key, value in sorted(labels.items()))
    out: list[str] = []
    inside = is_from = False
    for line in dockerfile.splitlines():
        comment = line.lstrip().startswith("#")
        if not inside and not comment:
            is_from = bool(re.match(r"\s*FROM\s", line, re.I))
        if not comment:
            inside = line.rstrip().endswith("\\")
        out.append(line)
        if is_from and not inside and not comment:
            out.append(f"LABEL {pairs}")
            is_from = False
    return "\n".join(out) + "\n"


def run_build(
    api: Any,
    context: FileSet,
    *,
    dockerfile: str,
    network: str,
    timeout_s: float,
    tag: str,
    labels: Mapping[str, str],
    step_labels: Mapping[str, str],
    memory_mb: int,
) -> str:
    """Build and return the image's id."""
    source = context.get(dockerfile)
    if source is None:
        raise BuildError(f"the build context has no {dockerfile}")
    text = with_labels(source.text, step_labels) if step_labels else source.text
    data = context_tar(context, dockerfile, text)
    params: dict[str, Any] = {
        "dockerfile": dockerfile,
        "networkmode": network,
        "rm": True,
        "forcerm": True,
        "memory": memory_mb << 20,
        "memswap": memory_mb << 20,
        "labels": json.dumps(dict(labels)),
        "ulimits": json.dumps([{"Name": "fsize", "Soft": FSIZE_MB << 20, "Hard": FSIZE_MB << 20}]),
    }
    if tag:
        params["t"] = tag
    for attempt in range(CACHE_RACES):
        log, error = _attempt(api, data, params, timeout_s)
        if log.image:
            return log.image
        flat = f"{error} {log.error}".lower()
        if attempt + 1 < CACHE_RACES and any(word in flat for word in VANISHED):
            continue
        raise error or _classified(log.error or "it ended without an image", log)
    raise AssertionError("unreachable")


def _attempt(
    api: Any, data: bytes, params: Mapping[str, Any], timeout_s: float
) -> tuple["BuildLog", BuildError | EngineError | None]:
    log = BuildLog()
    late = threading.Event()
    try:
        with boundary("building an image"):
            _stream(api, data, params, timeout_s, log, late)
    except EngineUnavailable as error:
        if not late.is_set():
            return log, error
    except EngineError as error:
        if not late.is_set():
            return log, _classified(str(error), log)
    return log, _too_late(log, timeout_s) if late.is_set() and not log.image else None


class BuildLog:
    """The build's messages, bounded, step by step."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.error = ""
        self.image = ""
        self._text = ""

    def take(self, message: Mapping[str, Any]) -> None:
        """One JSON message of the engine."""
        stream = COLOUR.sub("", str(message.get("stream") or ""))
        step = re.match(r"Step \d+/\d+ : (.*)", stream, re.S)
        if step:
            self.steps.append(Step(one_line(step[1].strip(), 2000), ""))
        elif stream and self.steps:
            last = self.steps[-1]
            self.steps[-1] = last._replace(output=(last.output + stream)[-LOG_LIMIT:])
        self._text = (self._text + stream)[-LOG_LIMIT:]
        if message.get("error"):
            self.error = str(message["error"])
            self._text = (self._text + self.error)[-LOG_LIMIT:]
        aux = message.get("aux")
        if isinstance(aux, dict) and aux.get("ID"):
            self.image = str(aux["ID"])

    @property
    def text(self) -> str:
        """Tail of the log without our own label steps."""
        return re.sub(
            r"Step \d+/\d+ : LABEL facet\..*\n(?: --->.*\n|Removing.*\n)*", "", self._text
        )

    def failing(self) -> str:
        """The first instruction that went wrong.

        A package list that could not be fetched and was let pass (`apt-get update || true`) is
        named instead of the later install that misses it.
        """
        if not self.steps:
            return ""
        last = self.steps[-1]
        if NOT_FOUND.search(last.output):
            for step in self.steps[:-1]:
                if FETCH_FAILED.search(step.output):
                    return step.instruction
            for step in self.steps[:-1]:
                if "apt-get update" in step.instruction and "||" in step.instruction:
                    return step.instruction
        return last.instruction


def _stream(
    api: Any,
    data: bytes,
    params: Mapping[str, Any],
    timeout_s: float,
    log: BuildLog,
    late: threading.Event,
) -> None:
    until = time.monotonic() + timeout_s
    response = api._post(
        api._url("/build"),
        data=data,
        params=params,
        headers={"Content-Type": "application/x-tar"},
        stream=True,
        timeout=timeout_s + 30.0,
    )
    api._raise_for_status(response)

    def stop() -> None:
        late.set()
        response.raw.shutdown()  # the engine cancels a build whose client is gone

    timer = threading.Timer(max(until - time.monotonic(), 0.1), stop)
    timer.daemon = True
    timer.start()
    try:
        for line in response.iter_lines(chunk_size=1 << 16):
            if line.strip():
                log.take(json.loads(line))
    except ValueError as error:
        if not late.is_set():
            raise EngineError(f"the engine's build log is not JSON: {error}") from error
    finally:
        timer.cancel()
        response.close()


def _too_late(log: BuildLog, timeout_s: float) -> BuildError | EngineError:
    if any(step.instruction.upper().startswith("RUN") for step in log.steps):
        line = log.steps[-1].instruction
        return BuildError(
            f"the build took longer than {timeout_s:g} s, at: {line}", log=log.text, line=line
        )
    return EngineError(f"the engine did not reach a RUN step within {timeout_s:g} s")


def _classified(error: str, log: BuildLog) -> BuildError | EngineError:
    """BuildError only for what is listed as the context's fault; anything else is ours (owed)."""
    flat = one_line(error)
    low = flat.lower()
    ran = "returned a non-zero code" in low  # the step's own words are no evidence about the engine
    full = f"{low} {log.text[-4000:].lower()}"
    if DISK_FULL in full or (not ran and any(word in low for word in OURS)):
        return EngineError(f"building an image: {flat}")
    at_from = not log.steps or log.steps[-1].instruction.upper().startswith("FROM")
    if at_from and any(word in low for word in UNAVAILABLE):
        name = log.steps[-1].instruction.split()[1] if log.steps else "the base image"
        if re.match(r"facet-base(?::|\Z)|facet-packages", name):
            return BaseMissing(f"{name} is not built on this machine: run `facet base build`")
        return EngineError(f"base image {name} is not here and cannot be fetched: {flat}")
    if any(word in low for word in TASKS):
        line = log.failing()
        where = f", at: {line}" if line else ""
        return BuildError(f"{flat}{where}", log=log.text, line=line)
    return EngineError(f"building an image: {flat}")
