"""One actor in one fresh container, graded once -> one Trial (contract.md section 2).

The actor's final filesystem is committed and graded in a new container without network, so that
no process of the actor can touch the grading; the runner is mounted under a random name and
brings its own loader, libc and Python. The verdict is read from files, by path, and everything
made here is removed, whatever happens. What went wrong is an outcome, never an exception: engine
trouble is `infrastructure`. Not covered: building the image (`realize.py`), and several services
of a compose file.
"""

import base64
import binascii
import json
import secrets
import time
from collections.abc import Sequence
from typing import Any

from facet.base_images import ensure_runner
from facet.errors import BuildError, EngineError, EngineUnavailable, SandboxGone
from facet.grading.testsh import TEST_SH
from facet.realize import start_services
from facet.reports import REPORT_LIMIT, Found, Left, read_left
from facet.sandbox.base import Engine, ExecResult, Mount, PutFile, Sandbox, SandboxOptions
from facet.types.task import Task, TextFile
from facet.types.trial import Actor, Log, Outcome, StateChange, TamperEvidence, Trial
from facet.types.value import Value

SERVICE_GRACE_S = 10.0
"""What declared services get between SIGTERM and the snapshot (redis saves its data)."""
HELPER_TIMEOUT_S = 180.0
"""Limit of our own helper commands: only a host in trouble reaches it."""
BUNDLE_LIMIT = 4 * REPORT_LIMIT
FAKETIME = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1"
"""Where base images keep libfaketime."""


class ActorSpec(Value):
    """Who acts: nobody (`script` None), or a script run as /solution/<its name>."""

    actor: Actor
    label: str = ""
    script: TextFile | None = None


class Conditions(Value):
    """What is varied on purpose; the plain run leaves all of it empty."""

    check_order_seed: int | None = None  # shuffles the checks
    clock_shift: str = ""  # libfaketime offset such as "+400d"; services keep the real clock
    env: tuple[tuple[str, str], ...] = ()  # e.g. LANG, TZ: for actor and verifier


class _Ended(Exception):
    """The trial is over before grading: outcome and one line."""

    def __init__(self, outcome: Outcome, detail: str) -> None:
        super().__init__(detail)
        self.outcome: Outcome = outcome


class _Acted(Value):
    """What the actor's part gave."""

    exit: int | None = None
    log: Log = Log()
    changes: tuple[StateChange, ...] = ()
    seconds: float = 0.0


class _Graded(Value):
    """What the grading part gave."""

    left: Left
    tamper: tuple[TamperEvidence, ...] = ()
    log: Log = Log()
    seconds: float = 0.0
    notes: tuple[str, ...] = ()


def run_trial(
    engine: Engine,
    image: str,
    task: Task,
    actor: ActorSpec,
    *,
    check_order_seed: int | None = None,
    conditions: Conditions | None = None,
) -> Trial:
    """Run one actor on a built image and grade the result.

    Never raises for what a task, an actor or the engine does; `Cancelled` and bugs pass through,
    with containers and snapshots removed. Seconds in the record are wall clock.
    """
    chosen = conditions or Conditions()
    if check_order_seed is not None:
        chosen = chosen.model_copy(update={"check_order_seed": check_order_seed})
    trial = _OneTrial(engine, image, task, actor, chosen)
    return trial.run()


class _OneTrial:
    """The steps of one trial, and what is known of it so far."""

    def __init__(
        self, engine: Engine, image: str, task: Task, actor: ActorSpec, conditions: Conditions
    ) -> None:
        self.engine = engine
        self.image = image
        self.task = task
        self.actor = actor
        self.conditions = conditions
        self.manifest = task.environment.manifest
        self.acted = _Acted()
        self.home = f"/facet-{secrets.token_hex(8)}"  # where the runner is mounted
        self.stage = f"/facet-{secrets.token_hex(8)}"  # tests before they are laid down, reports
        self.ours = task.verifier.files.text("test.sh") == TEST_SH

    def run(self) -> Trial:
        """Act, keep the state, grade, read."""
        started = time.monotonic()
        snapshot = ""
        graded: _Graded | None = None
        outcome: Outcome
        try:
            volume = ensure_runner(self.engine)
            if self.actor.script is None and self.task.settings.grading == "snapshot":
                graded = self._grade_image(self.image, volume)
            elif self.task.settings.grading == "live":
                with self._start(self.image, self._grading_options(volume)) as sandbox:
                    self._act(sandbox)
                    graded = self._grade(sandbox)
            else:
                with self._start(self.image, self._options()) as sandbox:
                    self._act(sandbox)
                    snapshot = self._snapshot(sandbox)
                graded = self._grade_image(snapshot, volume)
        except _Ended as ended:
            outcome, detail = ended.outcome, str(ended)
        except EngineError as error:
            outcome, detail = "infrastructure", _line(str(error))
        finally:
            if snapshot:
                self._forget(snapshot)
        total = time.monotonic() - started
        if graded is None:
            return self._record(outcome, detail, total)
        reading = read_left(graded.left)
        return self._record(
            reading.outcome,
            "; ".join((reading.detail, *graded.notes)),
            total,
            reward=reading.reward,
            rewards=reading.rewards,
            checks=reading.checks,
            verifier_exit=graded.left.exit,
            verifier_log=graded.log,
            verifier_s=round(graded.seconds, 3),
            tamper=graded.tamper,
        )

    def _record(self, outcome: Outcome, detail: str, total: float, **more: Any) -> Trial:
        return Trial(
            task_digest=self.task.digest,
            actor=self.actor.actor,
            label=self.actor.label,
            outcome=outcome,
            detail=detail,
            actor_exit=self.acted.exit,
            actor_log=self.acted.log,
            actor_s=round(self.acted.seconds, 3),
            changes=self.acted.changes,
            total_s=round(total, 3),
            **more,
        )

    # -- containers ---------------------------------------------------------------------

    def _options(self) -> SandboxOptions:
        settings = self.task.settings
        return SandboxOptions(
            memory_mb=settings.memory_mb,
            cpus=settings.cpus,
            env=self.conditions.env,
            keep_entrypoint=self.manifest is None,
        )

    def _grading_options(self, volume: str) -> SandboxOptions:
        mounts = (
            Mount(source=volume, target=self.home),
            Mount(source="/dev/null", target="/etc/ld.so.preload"),
        )
        command = (f"{self.home}/run", "--pause")
        return self._options().model_copy(update={"mounts": mounts, "command": command})

    def _start(self, image: str, options: SandboxOptions) -> Sandbox:
        """A container with its declared services healthy."""
        sandbox = self.engine.start(image, options)
        try:
            if self.manifest is not None and self.manifest.services:
                start_services(sandbox, self.manifest)
        except BuildError as error:
            sandbox.close()
            raise _Ended("build_failed", _line(str(error))) from error
        except BaseException:
            sandbox.close()
            raise
        return sandbox

    def _forget(self, image: str) -> None:
        try:
            self.engine.remove_image(image)
        except EngineError:
            return  # the reaper of the next start removes it: it carries our label

    # -- acting -------------------------------------------------------------------------

    def _act(self, sandbox: Sandbox) -> None:
        """Run the actor's script, bounded; raises _Ended when there is nothing to grade."""
        script = self.actor.script
        if script is None:
            return
        name = script.path.rpartition("/")[2]
        own = [f for f in self.task.solution.files.files if f.path.split("/")[0] not in _VARIANTS]
        files = {f.path: f for f in own} | {name: script}
        sandbox.put([_placed("/solution", f.path, f) for f in files.values()])
        path = f"/solution/{name}"
        direct = script.data.startswith(b"#!")
        result = sandbox.exec(
            [path] if direct else ["bash", path],
            timeout_s=self.task.settings.agent_timeout_sec,
            env=self._env(),
        )
        self.acted = _Acted(exit=result.exit, log=_merged(result), seconds=result.seconds)
        if result.timed_out:
            wrote = self._reward_lies(sandbox)
            limit = self.task.settings.agent_timeout_sec
            raise _Ended("actor_timeout", f"the actor reached its limit of {limit:g} s{wrote}")
        if result.killed or not sandbox.alive():
            why = result.killed or "its first process ended"
            raise _Ended("actor_error", f"the actor's container did not survive it: {why}")
        self.acted = self.acted.model_copy(update={"changes": _effects(sandbox)})
        if result.exit != 0 and self.actor.actor != "agent":
            raise _Ended("actor_error", f"{name} ended with exit code {result.exit}")

    def _env(self) -> dict[str, str]:
        env = dict(self.conditions.env)
        if self.conditions.clock_shift:
            env |= {"LD_PRELOAD": FAKETIME, "FAKETIME": self.conditions.clock_shift}
            env["FAKETIME_DONT_FAKE_MONOTONIC"] = "1"
        return env

    def _reward_lies(self, sandbox: Sandbox) -> str:
        for name in ("reward.json", "reward.txt"):
            try:
                sandbox.read(f"/logs/verifier/{name}", max_bytes=1)
            except FileNotFoundError:
                continue
            except (IsADirectoryError, ValueError, EngineError):
                pass
            return f"; it left a {name}, which counts for nothing"
        return ""

    def _snapshot(self, sandbox: Sandbox) -> str:
        """End every process of the actor, services with grace, and keep the filesystem."""
        services = self.manifest is not None and bool(self.manifest.services)
        sandbox.end_processes(grace_s=SERVICE_GRACE_S if services else 0.0)
        return sandbox.commit()

    # -- grading ------------------------------------------------------------------------

    def _grade_image(self, image: str, volume: str) -> _Graded:
        options = self._grading_options(volume)
        notes: list[str] = []
        try:
            sandbox = self.engine.start(image, options)
        except EngineUnavailable:
            raise
        except EngineError as error:
            if image != self.image and self._image_starts():
                why = f"the actor's final state does not start as a container: {_line(str(error))}"
                raise _Ended("actor_error", why) from error
            raise
        with sandbox:
            if self.manifest is not None and self.manifest.services:
                try:
                    start_services(sandbox, self.manifest)
                except BuildError as error:
                    if image == self.image:
                        raise _Ended("build_failed", _line(str(error))) from error
                    notes.append(f"after the actor: {_line(str(error))}")
            graded = self._grade(sandbox)
        return graded.model_copy(update={"notes": (*graded.notes, *notes)})

    def _image_starts(self) -> bool:
        try:
            with self.engine.start(self.image, self._options()) as sandbox:
                return sandbox.alive()
        except EngineError:
            return False

    def _grade(self, sandbox: Sandbox) -> _Graded:
        """Lay the tests down, run them bounded, collect the reports."""
        tests = self.task.verifier.files.files
        sandbox.put([_placed(f"{self.stage}/tests", f.path, f) for f in tests])
        if self.ours:
            result = self._run(sandbox, ("--grade", self.stage, "/tests"))
        else:
            prepared = self._helper(sandbox, "--prepare")
            if not prepared.ok:
                why = f"grading could not be prepared: {_line(prepared.text)}"
                raise _Ended("verifier_error", why)
            result = self._run_foreign(sandbox)
        files: dict[str, Found] = {}
        tamper: tuple[TamperEvidence, ...] = ()
        lost = result.killed
        try:
            files, tamper = self._bundle(sandbox, collect=not self.ours or result.timed_out)
        except SandboxGone as error:
            if not lost and not result.timed_out:
                raise
            lost = lost or str(error)
        return _Graded(
            left=Left(files=files, exit=result.exit, timed_out=result.timed_out, log=result.text),
            tamper=tamper,
            log=_merged(result),
            seconds=result.seconds,
            notes=(f"the grading container was killed: {lost}",) if lost else (),
        )

    def _run(self, sandbox: Sandbox, args: Sequence[str]) -> ExecResult:
        env = dict(self.conditions.env)
        if self.conditions.check_order_seed is not None:
            env["FACET_CHECK_ORDER"] = str(self.conditions.check_order_seed)
        if self.conditions.clock_shift:
            env["FACET_CLOCK"] = self.conditions.clock_shift
        return sandbox.exec(
            [f"{self.home}/run", *args],
            timeout_s=self.task.settings.verifier_timeout_sec,
            user="0:0",
            env=env,
        )

    def _run_foreign(self, sandbox: Sandbox) -> ExecResult:
        script = self.task.verifier.files.get("test.sh")
        direct = script is not None and script.data.startswith(b"#!")
        env = self._env() | {"FACET_RUNNER": f"{self.home}/run"}
        if self.conditions.check_order_seed is not None:
            env["FACET_CHECK_ORDER"] = str(self.conditions.check_order_seed)
        return sandbox.exec(
            ["/tests/test.sh"] if direct else ["bash", "/tests/test.sh"],
            timeout_s=self.task.settings.verifier_timeout_sec,
            env=env,
        )

    def _helper(self, sandbox: Sandbox, call: str) -> ExecResult:
        result = sandbox.exec(
            [f"{self.home}/run", call, self.stage], timeout_s=HELPER_TIMEOUT_S, user="0:0"
        )
        if result.timed_out:
            raise EngineError(f"the host took more than {HELPER_TIMEOUT_S:g} s for {call}")
        return result

    def _bundle(
        self, sandbox: Sandbox, *, collect: bool
    ) -> tuple[dict[str, Found], tuple[TamperEvidence, ...]]:
        """Reports and tamper evidence; empty when the verifier took the container with it."""
        for again in (False, True):
            if (collect or again) and sandbox.alive():
                self._helper(sandbox, "--collect")
            try:
                data = sandbox.read(f"{self.stage}/bundle.json", max_bytes=BUNDLE_LIMIT)
            except (FileNotFoundError, IsADirectoryError, ValueError):
                if collect:
                    break
                continue  # the runner did not reach its end: collect what there is
            return parse_bundle(data)
        return {}, ()


_VARIANTS = ("partials", "alternatives")


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


def _placed(folder: str, path: str, file: TextFile) -> PutFile:
    executable = file.executable or path.endswith(".sh")
    return PutFile(path=f"{folder}/{path}", data=file.data, mode=0o755 if executable else 0o644)


def _effects(sandbox: Sandbox) -> tuple[StateChange, ...]:
    """The actor's changes, less what we put there and the folders that hold it."""
    ours = ("/solution", "/logs")
    return tuple(
        change
        for change in sandbox.changes()
        if not any(change.path == p or change.path.startswith(p + "/") for p in ours)
    )


def _merged(result: ExecResult) -> Log:
    """stdout, then stderr."""
    out, err = result.stdout, result.stderr
    return Log(
        text=out.text + err.text,
        bytes_total=out.bytes_total + err.bytes_total,
        bytes_cut=out.bytes_cut + err.bytes_cut,
    )


def _line(text: str) -> str:
    return " ".join(text.split())[:500]
