"""The real Harbor runs what we export: the untouched state scores 0, the oracle 1."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Literal

import pytest

from facet.base_images import base_ready
from facet.config import load_config
from facet.errors import BaseMissing
from facet.exports import Chosen, export_harbor
from facet.sandbox.docker import DockerEngine
from tests.conftest import missing
from tests.golden import good_tasks

pytestmark = [pytest.mark.harbor, pytest.mark.docker, pytest.mark.timeout(1200)]


@pytest.fixture(scope="module")
def harbor() -> str:
    """Path of the harbor command that `.ci/harbor-env` made, or of one on PATH."""
    made = load_config().cache / "harbor" / "venv" / "bin" / "harbor"
    found = str(made) if made.is_file() else shutil.which("harbor")
    if found is None:
        missing("HARBOR", "no harbor command: run .ci/harbor-env")
    compose = subprocess.run(["docker", "compose", "version"], capture_output=True, check=False)
    if compose.returncode != 0:
        missing("HARBOR", "Harbor needs the docker compose plug-in v2: run .ci/harbor-env")
    assert found is not None
    return found


@pytest.fixture(scope="module")
def exported(docker_server: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The three golden tasks as an export on the base image of this machine."""
    with closing(DockerEngine("tests-harbor")) as engine:
        try:
            base_ready(engine)
        except BaseMissing as error:
            missing("DOCKER", str(error))
    out = tmp_path_factory.mktemp("harbor") / "out"
    chosen = [Chosen(task=task) for task in good_tasks()]
    export_harbor(chosen, out, base_ref="facet-base")
    return out


def remove_images(trials: Iterable[str]) -> None:
    """Images that Harbor leaves behind without a name, known by its compose project."""
    for trial in trials:
        label = f"label=com.docker.compose.project={trial.lower()}__env"
        listed = subprocess.run(
            ["docker", "image", "ls", "-q", "--filter", label],
            capture_output=True,
            text=True,
            check=True,
        )
        for image in set(listed.stdout.split()):
            subprocess.run(["docker", "rmi", image], capture_output=True, check=False)


def rewards(
    harbor: str, tasks: Path, jobs: Path, agent: Literal["nop", "oracle"]
) -> dict[str, float | None]:
    """Reward per task of one job, read from its result files (the exit code says nothing)."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    command = [harbor, "run", "-p", str(tasks), "-a", agent, "-o", str(jobs), "-n", "2", "-y", "-q"]
    done = subprocess.run(
        [*command, "--job-name", agent],
        env={**environment, "HARBOR_TELEMETRY": "0"},
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    found: dict[str, float | None] = {}
    for file in sorted((jobs / agent).glob("*/result.json")):
        result = json.loads(file.read_text())
        graded = result.get("verifier_result") or {}
        found[result["task_name"]] = (graded.get("rewards") or {}).get("reward")
    remove_images(folder.name for folder in (jobs / agent).iterdir() if folder.is_dir())
    assert found, f"harbor wrote no result: {done.stdout[-2000:]}{done.stderr[-2000:]}"
    return found


def test_harbor_scores_the_untouched_state_0_and_the_oracle_1(
    harbor: str, exported: Path, tmp_path: Path
) -> None:
    names = {task.name for task in good_tasks()}
    assert rewards(harbor, exported, tmp_path, "nop") == dict.fromkeys(names, 0.0)
    assert rewards(harbor, exported, tmp_path, "oracle") == dict.fromkeys(names, 1.0)
    kept = json.loads(next((tmp_path / "oracle").glob("orders*/result.json")).read_text())
    dense = kept["verifier_result"]["rewards"]
    assert dense["fraction"] == 1.0
    assert sum(key.startswith("check.") for key in dense) == 18
