"""Our own laps: the command as a process, the floor below it, and where the time goes."""

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from bench.figures import Part
from bench.timed import TimedEngine
from facet.errors import EngineError
from facet.judge import judge
from facet.sandbox.base import Engine, PutFile, Sandbox
from facet.services import start_services
from facet.types.task import FileSet, Task

LIMIT_S = 3600.0


def validated(folder: Path, workspace: Path) -> tuple[float, tuple[tuple[str, bool | None], ...]]:
    """`facet validate FOLDER --json` as a process: its seconds, and task name -> valid.

    None for a task that cannot be run here. Raises EngineError where the command gave no verdicts.
    """
    facet = Path(sys.executable).with_name("facet")
    began = time.monotonic()
    done = subprocess.run(
        [str(facet), "validate", str(folder), "--json", "--workspace", str(workspace)],
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    seconds = time.monotonic() - began
    if done.returncode not in (0, 1):
        raise EngineError(f"facet validate gave no verdicts: {done.stderr.strip()[-400:]}")
    words = {"valid": True, "invalid": False, "broken": False}
    tasks = json.loads(done.stdout)["tasks"]
    return seconds, tuple((task["name"], words.get(task["state"])) for task in tasks)


def floor(engine: Engine, task: Task) -> float:
    """Seconds of building, testing, solving and testing again, with nothing around them.

    The container is started, its services too, and files are put in, off the clock.
    """
    began = time.monotonic()
    image = engine.build(task.environment.files)
    seconds = time.monotonic() - began
    try:
        with engine.start(image) as sandbox:
            if task.environment.manifest is not None:
                start_services(sandbox, task.environment.manifest)
            sandbox.put(
                [
                    *_placed("/tests", task.verifier.files),
                    *_placed("/solution", task.solution.files),
                ]
            )
            for script in ("/tests/test.sh", "/solution/solve.sh", "/tests/test.sh"):
                seconds += _timed(sandbox, script)
    finally:
        engine.remove_image(image)
    return seconds


def _placed(folder: str, files: FileSet) -> list[PutFile]:
    return [PutFile(path=f"{folder}/{f.path}", data=f.data, mode=0o755) for f in files.files]


def _timed(sandbox: Sandbox, script: str) -> float:
    began = time.monotonic()
    result = sandbox.exec(["bash", script], timeout_s=600)
    seconds = time.monotonic() - began
    if result.exit is None:
        raise EngineError(f"{script} did not end within 600 s")
    return seconds


def parts(engine: Engine, tasks: Sequence[Task]) -> tuple[float, tuple[Part, ...]]:
    """Judge the tasks in this process: seconds by the clock, and the work by kind.

    Kinds overlap in time, since two trials run at once.
    """
    timed = TimedEngine(engine)
    began = time.monotonic()
    for task in tasks:
        judge(task, engine=timed)
    return time.monotonic() - began, timed.parts()
