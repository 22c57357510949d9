"""Faults of a task that can be seen without running it: layout, names, line ends, syntax.

Pure. Each fault is `<path in the task folder>[:line]: <what>`, so that its first part names the
artifact. Shell syntax is not judged here: the container's own bash does that when it runs.
"""

import ast
import re
import warnings

from facet.types.task import Task, TextFile

NAME = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*\Z")
IMAGE_SOURCES = ("Dockerfile", "docker-compose.yaml", "docker-compose.yml")
LONGEST_SOURCE = 2_000_000  # bytes of Python that are parsed


def static_faults(task: Task) -> tuple[str, ...]:
    """All faults, the most basic first; empty when the task can be tried."""
    faults = [*_layout(task), *_line_ends(task), *_python(task)]
    ours = task.scenario is not None or task.environment.manifest is not None
    if ours and not NAME.match(task.name):
        faults.append(f"task.toml: name {task.name!r} is not `org/name`")
    return tuple(faults)


def static_remarks(task: Task) -> tuple[str, ...]:
    """What stock Harbor would refuse but we can still judge (foreign names without a group)."""
    if NAME.match(task.name):
        return ()
    return (f"task.toml: name {task.name!r} has no organisation part; export rewrites it",)


def syntax_fault(path: str, data: bytes) -> str:
    """`path:line: what` when this is not Python that compiles, else ""."""
    if len(data) > LONGEST_SOURCE:
        return f"{path}: more than {LONGEST_SOURCE} bytes of source"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(data)
    except SyntaxError as error:
        return f"{path}:{error.lineno or 1}: {error.msg}"
    except (ValueError, RecursionError, MemoryError) as error:
        return f"{path}: cannot be parsed ({type(error).__name__})"
    return ""


def _layout(task: Task) -> list[str]:
    faults = []
    if not task.instruction.text.strip():
        faults.append("instruction.md: is empty")
    environment = {f.path for f in task.environment.files.files}
    pulled = any(key == "docker_image" for key, _ in task.settings.metadata)
    if not environment.intersection(IMAGE_SOURCES) and not pulled:
        faults.append("environment/Dockerfile: is missing")
    for file, where in ((task.solution.files.get("solve.sh"), "solution/solve.sh"),):
        if file is None or not file.data.strip():
            faults.append(f"{where}: is missing or empty")
    if task.verifier.files.get("test.sh") is None:
        faults.append("tests/test.sh: is missing")
    return faults


def _line_ends(task: Task) -> list[str]:
    scripts: list[tuple[str, TextFile]] = [
        *(("solution", f) for f in task.solution.files.files),
        *(("tests", f) for f in task.verifier.files.files),
        *(("environment", f) for f in task.environment.files.files),
    ]
    faults = []
    for folder, file in scripts:
        shell = file.path.endswith((".sh", ".bash")) or file.data.startswith(b"#!")
        if shell and b"\r\n" in file.data:
            line = file.data[: file.data.index(b"\r\n")].count(b"\n") + 1
            faults.append(f"{folder}/{file.path}:{line}: CRLF line ends; a shell cannot run it")
    return faults


def _python(task: Task) -> list[str]:
    files = [f for f in task.verifier.files.files if f.path.endswith(".py")]
    return [fault for f in files if (fault := syntax_fault(f"tests/{f.path}", f.data))]
