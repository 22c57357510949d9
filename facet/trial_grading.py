"""Grading one container that holds an actor's final state: lay tests down, run, collect.

Tests of ours run under the mounted runner alone: no shell, Python or library of the image takes
part. A foreign test.sh runs as it is, with the image's interpreter; only what stands before and
after it is the runner's.
"""

import base64
import binascii
import json

from facet.conditions import Conditions
from facet.errors import EngineError, SandboxGone
from facet.grading.testsh import TEST_SH
from facet.reports import REPORT_LIMIT, Found, Left
from facet.sandbox.base import ExecResult, PutFile, Sandbox
from facet.types.task import Task, TextFile
from facet.types.trial import Log, TamperEvidence
from facet.types.value import Value

HELPER_TIMEOUT_S = 180.0
"""Limit of our own helper commands: only a host in trouble reaches it."""
BUNDLE_LIMIT = 4 * REPORT_LIMIT


class Graded(Value):
    """What the grading part gave."""

    left: Left
    tamper: tuple[TamperEvidence, ...] = ()
    log: Log = Log()
    seconds: float = 0.0
    notes: tuple[str, ...] = ()


class CannotPrepare(Exception):
    """The tests cannot be laid down in this container; the message says why."""


def is_ours(task: Task) -> bool:
    """Does this task's test.sh only start the runner?"""
    return task.verifier.files.text("test.sh") == TEST_SH


def grade(
    sandbox: Sandbox,
    task: Task,
    conditions: Conditions,
    *,
    runner: str,
    stage: str,
    own_tests: bool = False,
) -> Graded:
    """Run the task's tests once in `sandbox`.

    `runner` is the mounted runner's folder, `stage` a folder that nobody else knows. With
    `own_tests` the image's own /tests are run as they lie there. Raises CannotPrepare, and
    EngineError for engine trouble.
    """
    ours = is_ours(task) and not own_tests
    tests = task.verifier.files.files
    sandbox.put([placed(f"{stage}/tests", f.path, f) for f in tests])
    if ours:
        result = sandbox.exec(
            [f"{runner}/run", "--grade", stage, "/tests"],
            timeout_s=task.settings.verifier_timeout_sec,
            user="0:0",
            env=conditions.for_runner(),
        )
    elif own_tests:
        result = _run_foreign(sandbox, task, conditions, runner)
    else:
        prepared = helper(sandbox, runner, "--prepare", stage)
        if not prepared.ok:
            raise CannotPrepare(f"grading could not be prepared: {one_line(prepared.text)}")
        result = _run_foreign(sandbox, task, conditions, runner)
    files: dict[str, Found] = {}
    tamper: tuple[TamperEvidence, ...] = ()
    lost = result.killed
    try:
        files, tamper = _bundle(sandbox, runner, stage, collect=not ours or result.timed_out)
    except SandboxGone as error:
        if not lost and not result.timed_out:
            raise
        lost = lost or str(error)
    log = merged(result)
    return Graded(
        left=Left(files=files, exit=result.exit, timed_out=result.timed_out, log=result.text),
        tamper=tamper,
        log=log.model_copy(update={"text": log.text.replace(runner, "<runner>")}),
        seconds=result.seconds,
        notes=(f"the grading container was killed: {one_line(lost)}",) if lost else (),
    )


def _run_foreign(sandbox: Sandbox, task: Task, conditions: Conditions, runner: str) -> ExecResult:
    script = task.verifier.files.get("test.sh")
    direct = script is not None and script.data.startswith(b"#!")
    return sandbox.exec(
        ["/tests/test.sh"] if direct else ["bash", "/tests/test.sh"],
        timeout_s=task.settings.verifier_timeout_sec,
        env=conditions.for_script() | {"FACET_RUNNER": f"{runner}/run"},
    )


def helper(sandbox: Sandbox, runner: str, call: str, stage: str) -> ExecResult:
    """One short call of the runner; EngineError when the host is too slow for it."""
    result = sandbox.exec([f"{runner}/run", call, stage], timeout_s=HELPER_TIMEOUT_S, user="0:0")
    if result.timed_out:
        raise EngineError(f"the host took more than {HELPER_TIMEOUT_S:g} s for {call}")
    return result


def _bundle(
    sandbox: Sandbox, runner: str, stage: str, *, collect: bool
) -> tuple[dict[str, Found], tuple[TamperEvidence, ...]]:
    """Reports and tamper evidence; empty when the verifier took the container with it."""
    for again in (False, True):
        if (collect or again) and sandbox.alive():
            helper(sandbox, runner, "--collect", stage)
        try:
            data = sandbox.read(f"{stage}/bundle.json", max_bytes=BUNDLE_LIMIT)
        except (FileNotFoundError, IsADirectoryError, ValueError):
            if collect:
                break
            continue  # the runner did not reach its end: collect what there is
        return parse_bundle(data)
    return {}, ()


def parse_bundle(data: bytes) -> tuple[dict[str, Found], tuple[TamperEvidence, ...]]:
    """Reports by file name and tamper evidence, as the runner collected them.

    A bundle that does not parse counts as no report at all.
    """
    try:
        value = json.loads(data)
        files = {
            name: Found(
                state=entry["state"],
                data=base64.b64decode(entry.get("data", ""), validate=True),
                reason=str(entry.get("reason", ""))[:200],
            )
            for name, entry in value["files"].items()
        }
        tamper = tuple(
            TamperEvidence(path=path, kind=kind, detail=detail)
            for path, kind, detail in value["tamper"]
        )
    except (ValueError, KeyError, TypeError, AttributeError, binascii.Error, RecursionError):
        return {}, ()
    return files, tamper


def placed(folder: str, path: str, file: TextFile) -> PutFile:
    """A file of an artifact below a folder; scripts are executable."""
    executable = file.executable or path.endswith(".sh")
    return PutFile(path=f"{folder}/{path}", data=file.data, mode=0o755 if executable else 0o644)


def merged(result: ExecResult) -> Log:
    """stdout, then stderr."""
    out, err = result.stdout, result.stderr
    return Log(
        text=out.text + err.text,
        bytes_total=out.bytes_total + err.bytes_total,
        bytes_cut=out.bytes_cut + err.bytes_cut,
    )


def one_line(text: str) -> str:
    """Text for a detail: one line, bounded."""
    return " ".join(text.split())[:500]
