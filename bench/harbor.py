"""Harbor's jobs: its command runs as a process, verdicts are read from its result files."""

import json
import os
import shutil
import subprocess
import time
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path

import yaml

from facet.config import load_config
from facet.errors import EngineError, InputError

AGENTS = ("nop", "oracle")
LIMIT_S = 3600.0  # of one job


def command() -> Path:
    """The harbor command that `.ci/harbor-env` made, or one on PATH. Raises InputError."""
    made = load_config().cache / "harbor" / "venv" / "bin" / "harbor"
    found = str(made) if made.is_file() else shutil.which("harbor")
    if found is None:
        raise InputError("no harbor command here: run .ci/harbor-env, or give --no-harbor")
    return Path(found)


def names(tasks: Path) -> tuple[str, ...]:
    """Names of the tasks below a folder, as results carry them."""
    return tuple(
        tomllib.loads(file.read_text(encoding="utf-8"))["task"]["name"]
        for file in sorted(tasks.glob("*/task.toml"))
    )


def two_jobs(harbor: Path, tasks: Path, jobs: Path) -> float:
    """One job per agent, one after the other, settings as they come; returns seconds."""
    return sum(
        _run(harbor, ["-p", str(tasks), "-a", agent, "-o", str(jobs), "--job-name", agent])
        for agent in AGENTS
    )


def one_job(harbor: Path, tasks: Path, jobs: Path) -> float:
    """Both agents in one job, two trials at a time; returns seconds."""
    jobs.mkdir(parents=True, exist_ok=True)
    file = jobs.with_suffix(".yaml")
    file.write_text(
        yaml.safe_dump(
            {
                "job_name": "both",
                "jobs_dir": str(jobs),
                "n_concurrent_trials": 2,
                "agents": [{"name": agent} for agent in AGENTS],
                "datasets": [{"path": str(tasks)}],
            }
        ),
        encoding="utf-8",
    )
    return _run(harbor, ["-c", str(file)])


def _run(harbor: Path, arguments: Sequence[str]) -> float:
    """One job. Its exit code says nothing of trials; no result file means no verdict."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    began = time.monotonic()
    try:
        done = subprocess.run(
            [str(harbor), "run", *arguments, "-y", "-q"],
            env={**environment, "HARBOR_TELEMETRY": "0"},
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise EngineError(f"harbor did not end within {LIMIT_S:g} s") from error
    seconds = time.monotonic() - began
    if done.returncode != 0:
        tail = " ".join((done.stdout + done.stderr).split())[-400:]
        raise EngineError(f"harbor ended with exit code {done.returncode}: {tail}")
    return seconds


def verdicts(jobs: Path, names: Iterable[str]) -> tuple[tuple[str, bool | None], ...]:
    """Per task: does nop stay below 1 and the oracle reach it? None where a reward is missing."""
    rewards: dict[tuple[str, str], float | None] = {}
    for file in sorted(jobs.glob("*/*/result.json")):
        said = json.loads(file.read_text(encoding="utf-8"))
        agent = (said.get("agent_info") or {}).get("name") or ""
        graded = said.get("verifier_result") or {}
        rewards[said["task_name"], agent] = (graded.get("rewards") or {}).get("reward")
    return tuple((name, _valid(*(rewards.get((name, a)) for a in AGENTS))) for name in names)


def _valid(nop: float | None, oracle: float | None) -> bool | None:
    if nop is None or oracle is None:
        return None
    return nop < 1.0 <= oracle


def forget(jobs: Path) -> None:
    """Remove the images that these jobs left without a name, so that each lap builds anew."""
    for trial in (p for p in jobs.glob("*/*") if p.is_dir()):
        label = f"label=com.docker.compose.project={trial.name.lower()}__env"
        listed = subprocess.run(
            ["docker", "image", "ls", "-q", "--filter", label],
            capture_output=True,
            text=True,
            check=False,
        )
        for image in set(listed.stdout.split()):
            subprocess.run(["docker", "rmi", image], capture_output=True, check=False)
