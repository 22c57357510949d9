"""`facet base build` as a process: one line per outcome, and the exit code of its kind."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest


def facet(*args: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Run the command as a user would."""
    return subprocess.run(
        [sys.executable, "-m", "facet.cli.main", *args],
        capture_output=True,
        text=True,
        env={**os.environ, **env},
        timeout=300,
        check=False,
    )


def test_without_a_docker_server_it_ends_with_one_line_and_code_3(tmp_path: Path) -> None:
    done = facet("base", "build", DOCKER_HOST=f"unix://{tmp_path}/no.sock")
    assert done.returncode == 3
    assert done.stdout == ""
    assert len(done.stderr.strip().splitlines()) == 1
    assert done.stderr.startswith("facet: ")


def test_help_shows_an_example() -> None:
    done = facet("base", "build", "--help")
    assert done.returncode == 0
    assert "Example: facet base build --bootstrap" in done.stdout


@pytest.mark.docker
def test_an_up_to_date_base_is_reported_as_ready(docker_server: str, tmp_path: Path) -> None:
    from facet.base_images import base_status
    from facet.sandbox.docker import DockerEngine
    from tests.conftest import missing

    if base_status(DockerEngine(str(tmp_path), locks=tmp_path)).state != "ready":
        missing("DOCKER", "the base image is not built")
    done = facet("base", "build", "--workspace", str(tmp_path / "w"), "--json")
    assert done.returncode == 0, done.stderr
    assert [status["state"] for status in json.loads(done.stdout)] == ["ready"]
    assert "up to date" in done.stderr
