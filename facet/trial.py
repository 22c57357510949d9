"""One actor in one fresh container, graded once -> one Trial (contract.md section 2).

The actor's final filesystem is committed and graded in a new container without network, so that
no process of the actor can touch the grading; the runner is mounted under a random name and
brings its own loader, libc and Python. The verdict is read from files, by path, and everything
made here is removed, whatever happens. What went wrong is an outcome, never an exception: engine
trouble is `infrastructure`. Not covered: building the image (`realize.py`), and several services
of a compose file.
"""

import secrets
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from facet.base_images import ensure_runner
from facet.conditions import Conditions
from facet.errors import BuildError, EngineError, EngineUnavailable, SandboxGone
from facet.reports import read_left
from facet.sandbox.base import Engine, Mount, Process, Sandbox, SandboxOptions
from facet.services import start_services
from facet.trial_apart import Apart, Carried, carry, lay, unseen_note
from facet.trial_effects import EFFECT_OF, effects
from facet.trial_grading import CannotPrepare, Graded, grade, merged, one_line, placed
from facet.types.apart import PUBLISHED
from facet.types.task import Task, TextFile
from facet.types.trial import Actor, Log, Outcome, StateChange, Trial
from facet.types.value import Value

SERVICE_GRACE_S = 10.0
"""What declared services get between SIGTERM and the snapshot (redis saves its data)."""

type Keep = Callable[[str, tuple[Process, ...]], None]
"""Takes over an actor's final state: image id, and the processes of the actor that still ran."""


class ActorSpec(Value):
    """Who acts: nobody (`script` None), or a script run as /solution/<its name>."""

    actor: Actor
    label: str = ""
    script: TextFile | None = None


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


def run_trial(
    engine: Engine,
    image: str,
    task: Task,
    actor: ActorSpec,
    *,
    check_order_seed: int | None = None,
    conditions: Conditions | None = None,
    apart: Apart | None = None,
    keep: Keep | None = None,
) -> Trial:
    """Run one actor on a built image and grade the result.

    With `apart` the verifier runs in a container of its own and sees the declared artifacts only.
    `keep` is handed the actor's final state as an image (it removes it) and what still ran then.

    Never raises for what a task, an actor or the engine does; `Cancelled` and bugs pass through,
    with containers and snapshots removed. Seconds in the record are wall clock.
    """
    chosen = conditions or Conditions()
    if check_order_seed is not None:
        chosen = chosen.model_copy(update={"check_order_seed": check_order_seed})
    trial = _OneTrial(engine, image, task, actor, chosen, apart, keep)
    return trial.run()


def look_after[T](
    engine: Engine, image: str, task: Task, actor: ActorSpec, look: Callable[[Sandbox], T]
) -> T | None:
    """What `look` sees where the actor's script ended, its processes gone; nothing is graded.

    None when the actor does not come to its end. Raises EngineError.
    """
    trial = _OneTrial(engine, image, task, actor, Conditions())
    try:
        with trial._start(image, trial._options()) as sandbox:
            trial._act(sandbox)
            trial._end(sandbox)
            return look(sandbox)
    except _Ended:
        return None


class _OneTrial:
    """The steps of one trial, and what is known of it so far."""

    def __init__(
        self,
        engine: Engine,
        image: str,
        task: Task,
        actor: ActorSpec,
        conditions: Conditions,
        apart: Apart | None = None,
        keep: Keep | None = None,
    ) -> None:
        self.engine = engine
        self.image = image
        self.task = task
        self.actor = actor
        self.conditions = conditions
        self.apart = apart
        self.keep = keep
        self.running: tuple[Process, ...] = ()  # beside what the actor started; only for `keep`
        self.manifest = task.environment.manifest
        self.acted = _Acted()
        self.home = f"/facet-{secrets.token_hex(8)}"  # where the runner is mounted
        self.stage = f"/facet-{secrets.token_hex(8)}"  # tests before they are laid down, reports

    def run(self) -> Trial:
        """Act, keep the state, grade, read."""
        started = time.monotonic()
        snapshot = ""
        graded: Graded | None = None
        outcome: Outcome
        try:
            volume = ensure_runner(self.engine)
            if self.apart is not None:
                with self._start(self.image, self._options()) as sandbox:
                    self._act(sandbox)
                    snapshot = self._snapshot(sandbox) if self.keep else self._end(sandbox)
                    carried = carry(sandbox, self.apart.artifacts)
                    with self._changes_meanwhile(sandbox):
                        graded = self._grade_apart(self.apart, carried, volume)
            elif self.actor.script is None and self.task.settings.grading == "snapshot":
                graded = self._grade_image(self.image, volume)
            elif self.task.settings.grading == "live":
                with self._start(self.image, self._grading_options(volume)) as sandbox:
                    self._act(sandbox)
                    with self._changes_meanwhile(sandbox):
                        graded = self._grade(sandbox)
            else:
                with self._start(self.image, self._options()) as sandbox:
                    self._act(sandbox)
                    snapshot = self._snapshot(sandbox)
                    with self._changes_meanwhile(sandbox):
                        graded = self._grade_image(snapshot, volume)
        except _Ended as ended:
            outcome, detail = ended.outcome, str(ended)
        except EngineError as error:
            outcome, detail = "infrastructure", one_line(str(error))
        finally:
            if snapshot and self.keep is None:
                self._forget(snapshot)
        total = time.monotonic() - started
        if graded is None:
            return self._record(outcome, detail, total)
        reading = read_left(graded.left)
        return self._record(
            reading.outcome,
            "; ".join((reading.detail, *graded.notes, *self._unseen())),
            total,
            reward=reading.reward,
            rewards=reading.rewards,
            checks=reading.checks,
            verifier_exit=graded.left.exit,
            verifier_log=graded.log,
            verifier_s=round(graded.seconds, 3),
            tamper=graded.tamper,
        )

    def _unseen(self) -> tuple[str, ...]:
        note = unseen_note(self.acted.changes, self.apart.artifacts) if self.apart else ""
        return (note,) if note else ()

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
            raise _Ended("build_failed", one_line(str(error))) from error
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
        if self.keep is not None:
            self.running = sandbox.processes()
        name = script.path.rpartition("/")[2]
        own = [f for f in self.task.solution.files.files if f.path.split("/")[0] not in _VARIANTS]
        files = {f.path: f for f in own} | {name: script}
        sandbox.put([placed("/solution", path, f) for path, f in files.items()])
        path = f"/solution/{name}"
        direct = script.data.startswith(b"#!")
        result = sandbox.exec(
            [path] if direct else ["bash", path],
            timeout_s=self.task.settings.agent_timeout_sec,
            env=self.conditions.for_script(),
        )
        self.acted = _Acted(exit=result.exit, log=merged(result), seconds=result.seconds)
        if result.timed_out:
            wrote = self._reward_lies(sandbox)
            limit = self.task.settings.agent_timeout_sec
            raise _Ended("actor_timeout", f"the actor reached its limit of {limit:g} s{wrote}")
        if result.killed or not sandbox.alive():
            why = result.killed or "its first process ended"
            raise _Ended("actor_error", f"the actor's container did not survive it: {why}")
        if result.exit != 0 and self.actor.actor != "agent":
            raise _Ended("actor_error", f"{name} ended with exit code {result.exit}")

    @contextmanager
    def _changes_meanwhile(self, sandbox: Sandbox) -> Iterator[None]:
        """Compare the actor's container to its image while its snapshot is graded.

        The engine needs most of a second for it, so only actors whose effect is read have it.
        """
        if self.actor.actor not in EFFECT_OF or self.actor.script is None:
            yield
            return
        with ThreadPoolExecutor(max_workers=1) as pool:
            changes = pool.submit(sandbox.changes)
            yield
            kept = effects(changes.result(), self.home)
            self.acted = self.acted.model_copy(update={"changes": kept})

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

    def _end(self, sandbox: Sandbox) -> str:
        """End every process of the actor, services with grace; no image is made."""
        services = self.manifest is not None and bool(self.manifest.services)
        sandbox.end_processes(grace_s=SERVICE_GRACE_S if services else 0.0)
        return ""

    def _snapshot(self, sandbox: Sandbox) -> str:
        """End every process of the actor and keep the filesystem."""
        known = {p.pid for p in self.running}
        left = sandbox.processes() if self.keep is not None else ()
        self._end(sandbox)
        image = sandbox.commit()
        if self.keep is not None:
            self.keep(image, tuple(p for p in left if p.pid not in known))
        return image

    # -- grading ------------------------------------------------------------------------

    def _grade_image(self, image: str, volume: str) -> Graded:
        options = self._grading_options(volume)
        try:
            sandbox = self.engine.start(image, options)
        except EngineUnavailable:
            raise
        except EngineError as error:
            if image != self.image and self._image_starts(options):
                why = (
                    f"the actor's final state does not start as a container: {one_line(str(error))}"
                )
                raise _Ended("actor_error", why) from error
            raise
        with sandbox:
            note = self._services_again(sandbox, untouched=image == self.image)
            try:
                graded = self._grade(sandbox)
            except SandboxGone as error:
                if note:
                    raise _Ended("actor_error", note) from error
                raise
        return graded.model_copy(update={"notes": (*graded.notes, *((note,) if note else ()))})

    def _services_again(self, sandbox: Sandbox, *, untouched: bool) -> str:
        """Start the declared services for grading; "" or why one is down.

        On an actor's final state that is no verdict: checks of the service fail by themselves.
        """
        if self.manifest is None or not self.manifest.services:
            return ""
        try:
            start_services(sandbox, self.manifest)
        except EngineUnavailable:
            raise
        except (BuildError, EngineError) as error:
            if not untouched:
                return f"after the actor: {one_line(str(error))}"
            if isinstance(error, EngineError):
                raise
            raise _Ended("build_failed", one_line(str(error))) from error
        return ""

    def _grade_apart(self, apart: Apart, carried: Carried, volume: str) -> Graded:
        """Grade in the verifier's own container, given what was carried."""
        with self.engine.start(apart.image, self._grading_options(volume)) as sandbox:
            try:
                lay(sandbox, carried, own_tests=apart.own_tests)
            except CannotPrepare as error:
                raise _Ended("verifier_error", str(error)) from error
            graded = self._grade(sandbox, own_tests=apart.own_tests)
        gone = [f"not there: {path}" for path in carried.missing if path != PUBLISHED]
        left = [f"not carried: {path}, a link or device" for path in carried.skipped]
        return graded.model_copy(update={"notes": (*graded.notes, *gone[:5], *left[:5])})

    def _grade(self, sandbox: Sandbox, *, own_tests: bool = False) -> Graded:
        try:
            return grade(
                sandbox,
                self.task,
                self.conditions,
                runner=self.home,
                stage=self.stage,
                own_tests=own_tests,
            )
        except CannotPrepare as error:
            theirs = self.acted.exit is not None and self.apart is None
            outcome: Outcome = "actor_error" if theirs else "verifier_error"
            raise _Ended(outcome, str(error)) from error

    def _image_starts(self, options: SandboxOptions) -> bool:
        """Does the untouched image start under the same conditions?"""
        try:
            with self.engine.start(self.image, options) as sandbox:
                return sandbox.alive()
        except EngineError:
            return False


_VARIANTS = ("partials", "alternatives")
