"""Judging a task in several steps: each step by the gates, in one state that is carried over.

The state after a step's reference solution is where the next step starts. Files are carried, as
in grading; processes are not: what a step leaves running is named. Pure but for `judge_steps`.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial as bind

from facet import gates as gate
from facet.assemble import declared_checks
from facet.errors import BuildError
from facet.gates import SEVEN
from facet.images import Images
from facet.judge_apart import Build, Judge, Kept, Tell, judge_one
from facet.realize import Realized, realize
from facet.sandbox.base import Engine, PutFile, SandboxOptions
from facet.types.apart import ARTIFACTS, STEPS, StepPlan, artifacts_of, packed, steps_of
from facet.types.manifest import RealizedManifest
from facet.types.task import Environment, FileSet, Instruction, Solution, Task, Verifier
from facet.types.value import Value
from facet.types.verdict import Judgement

SETUP_TIMEOUT_S = 600.0
OURS = ("/solution", "/tests", "/logs/verifier")
"""What an earlier step's solving and grading leaves; it is removed before the next step."""


class StepJudged(Value):
    """One step and what was found; no judgement when it was not reached."""

    name: str
    task: Task
    judgement: Judgement | None = None
    reason: str = ""  # why it was not reached
    left: tuple[str, ...] = ()  # processes its solution left running, which are not carried


def judge_steps(
    task: Task, *, engine: Engine, judge: Judge, tell: Tell, build: Build = realize
) -> Iterator[StepJudged]:
    """Judge the steps in order, as far as the state can be carried. Raises EngineError."""
    state = ""  # image that the next step starts from; "" = the environment's own
    stopped = ""
    with ExitStack() as stack:  # what is made later is a child of what was made before: last first
        root = stack.enter_context(Images(engine, bind(build, engine)))
        for number, plan in enumerate(steps_of(task)):
            step = step_task(task, plan)
            if stopped:
                yield StepJudged(name=plan.name, task=step, reason=stopped)
                continue
            tell(f"step {plan.name}")
            kept = Kept(engine)
            stack.callback(kept.drop)
            images = stack.enter_context(Images(engine, bind(build, engine)))
            try:
                start = state or root.get(task_environment(task)).image
                files = task.environment.files.below(f"steps/{plan.name}")
                image = start
                if number or files:
                    image = staged(engine, start, task, plan)
                    whole = RealizedManifest(files=(), image=image)
                    images.put(step.environment, Realized(image=image, manifest=whole, seconds=0.0))
            except BuildError as error:
                if not state and not error.line.startswith("steps/"):
                    judgement = judge_one(step, engine=engine, judge=judge, tell=tell, images=root)
                else:
                    judgement = not_built(step, error)
                yield StepJudged(name=plan.name, task=step, judgement=judgement)
                stopped = f"step {plan.name} does not come to its start"
                continue
            state = ""
            judgement = judge_one(
                step,
                engine=engine,
                judge=judge,
                tell=bind(_told, tell, plan.name),
                build=build,
                images=images if image != start else root,
                root=root,
                kept=kept,
            )
            yield StepJudged(name=plan.name, task=step, judgement=judgement, left=kept.running)
            if not kept.image:
                stopped = f"the solution of step {plan.name} gives no state to go on from"
            else:
                state = kept.take()
                stack.callback(engine.remove_image, state)


def _told(tell: Tell, name: str, line: str) -> None:
    tell(f"step {name}: {line}")


def staged(engine: Engine, image: str, task: Task, plan: StepPlan) -> str:
    """An image with the step's files in the working directory and its setup.sh run.

    Raises BuildError (line `steps/…`) when setup.sh fails, EngineError.
    """
    settings = task.settings
    options = SandboxOptions(memory_mb=settings.memory_mb, cpus=settings.cpus, keep_entrypoint=True)
    with engine.start(image, options) as box:
        box.exec(["rm", "-rf", *OURS], timeout_s=120, user="0:0")
        where = box.exec(["pwd"], timeout_s=120).stdout.text.strip() or "/"
        place = f"steps/{plan.name}"
        files = task.environment.files.below(place)
        box.put(
            [
                PutFile(
                    path=f"{where.rstrip('/')}/{f.path.removeprefix(place + '/')}",
                    data=f.data,
                    mode=0o755 if f.executable else 0o644,
                )
                for f in files
            ]
        )
        if any(f.path == f"{place}/setup.sh" for f in files):
            done = box.exec(
                ["bash", f"{where.rstrip('/')}/setup.sh"],
                timeout_s=min(SETUP_TIMEOUT_S, settings.build_timeout_sec),
            )
            if not done.ok:
                line = f"{place}/workdir/setup.sh"
                how = "reached its limit" if done.timed_out else f"ended with exit code {done.exit}"
                raise BuildError(f"{line} {how}", log=done.text[-4000:], line=line)
        box.end_processes()
        return box.commit()


def not_built(task: Task, error: BuildError) -> Judgement:
    """A judgement that ends at `builds`."""
    failed = gate.builds(str(error), gate.tail(error.log))
    gates = gate.in_order(SEVEN, lambda name: gate.loads(task) if name == "loads" else failed)
    return Judgement(task_digest=task.digest, gates=gates)


def task_environment(task: Task) -> Environment:
    """The environment without what single steps bring."""
    return Environment(files=_without_steps(task.environment.files))


def step_task(task: Task, plan: StepPlan) -> Task:
    """One step as a task of its own: shared tests and solution where the step has none."""
    place = f"steps/{plan.name}"
    tests = _below(task.verifier.files, place)
    shared = _without_steps(task.verifier.files)
    apart = plan.verifier_mode or dict(task.settings.metadata).get("verifier_mode", "shared")
    if apart == "separate" and tests.get("Dockerfile") is not None:
        files = tests
    elif apart == "separate" and shared.get("Dockerfile") is not None:
        files = shared
    else:
        files = shared
        for file in tests.files:
            files = files.with_file(file)
    solution = _below(task.solution.files, place)
    if not solution.files:
        solution = _without_steps(task.solution.files)
    settings = task.settings
    dropped = (STEPS, "steps", ARTIFACTS, "verifier_mode", "verifier.docker_image")
    metadata = [pair for pair in settings.metadata if pair[0] not in dropped]
    if apart == "separate":
        image = plan.verifier_image
        if not image and tests.get("Dockerfile") is None:
            image = dict(settings.metadata).get("verifier.docker_image", "")
        metadata += [("verifier_mode", "separate")]
        metadata += [(ARTIFACTS, packed((*artifacts_of(task), *plan.artifacts)))]
        metadata += [("verifier.docker_image", image)] if image else []
    limits = {
        "agent_timeout_sec": plan.agent_timeout_sec or settings.agent_timeout_sec,
        "verifier_timeout_sec": plan.verifier_timeout_sec or settings.verifier_timeout_sec,
        "metadata": tuple(metadata),
    }
    return task.model_copy(
        update={
            "name": f"{task.name} step {plan.name}",
            "instruction": Instruction(text=step_instruction(task, plan.name)),
            "environment": task_environment(task),
            "solution": Solution(files=solution),
            "verifier": Verifier(files=files, checks=declared_checks(files)),
            "settings": settings.model_copy(update=limits),
        }
    )


def step_instruction(task: Task, name: str) -> str:
    """The part of the joined instruction that `taskdir` wrote for this step."""
    text, found = task.instruction.text, 0
    parts: dict[str, tuple[int, int]] = {}
    last = ""
    for plan in steps_of(task):
        mark = f"# Step {plan.name}\n\n"
        at = text.find(mark, found)
        if at < 0:
            continue
        if last:
            parts[last] = (parts[last][0], at)
        found = at + len(mark)
        parts[plan.name] = (found, len(text))
        last = plan.name
    start, end = parts.get(name, (0, 0))
    return text[start:end]


def _below(files: FileSet, place: str) -> FileSet:
    return FileSet(
        files=tuple(
            f.model_copy(update={"path": f.path.removeprefix(place + "/")})
            for f in files.below(place)
        )
    )


def _without_steps(files: FileSet) -> FileSet:
    return FileSet(files=tuple(f for f in files.files if not f.path.startswith("steps/")))
