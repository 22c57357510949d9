"""Gate `sealed`: nothing gives the answer away, and nobody can forge a verdict.

Static: solution or tests in the build context (`facet.leaks`). Dynamic: every tamper probe of
`data/probes/*.sh` runs as an actor and must not get the full reward.
"""

from collections.abc import Iterable
from pathlib import Path

from facet.config import data_dir
from facet.contract.matrix import all_needs
from facet.contract.words import outside
from facet.judge import Bench
from facet.leaks import leaks
from facet.trial import ActorSpec
from facet.types.task import Task, TextFile
from facet.types.verdict import Gate

MARK = b"@PATHS@"


def probe_scripts(task: Task, folder: Path | None = None) -> tuple[TextFile, ...]:
    """The probes as scripts, with the paths that the checks read filled in."""
    paths = "\n".join(_checked_paths(task)).encode()
    return tuple(
        TextFile(path=path.name, data=path.read_bytes().replace(MARK, paths), executable=True)
        for path in sorted((folder or data_dir() / "probes").glob("*.sh"))
    )


def sealed(bench: Bench) -> Gate:
    """Look for leaks, then run every probe."""
    found = [leak.line for leak in leaks(bench.task)]
    if found:
        return Gate(name="sealed", status="failed", evidence=found[0], details=tuple(found[:40]))
    scripts = probe_scripts(bench.task)
    trials = bench.run(
        *(ActorSpec(actor="probe", label=s.path.removesuffix(".sh"), script=s) for s in scripts)
    )
    away = [t for t in trials if t.outcome == "infrastructure"]
    if away:
        line = f"probe {away[0].label}: {away[0].detail or 'the engine failed'}"
        return Gate(name="sealed", status="not_assessed", evidence=line)
    scored = tuple(
        f"verifier: probe {t.label} gets reward {t.reward:g} without solving anything"
        for t in trials
        if t.outcome == "graded" and t.reward is not None and t.reward >= 1.0
    )
    if scored:
        return Gate(name="sealed", status="failed", evidence=scored[0], details=scored)
    line = f"no leak in the build context; {len(trials)} tamper probes score nothing"
    return Gate(name="sealed", status="passed", evidence=line)


def _checked_paths(task: Task) -> Iterable[str]:
    paths = (path for need in all_needs(task).values() for path, _ in need.paths)
    return sorted({path for path in paths if not outside(path)})[:200]
