"""Every state of the machine, without having it."""

import json
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from facet.base_images import BASES, DEBIAN, recipe_digest
from facet.cli.doctor import findings_table, summary
from facet.cli.main import build_app
from facet.config import Config, load_config
from facet.doctor import Finding, ThisHost, examine, fit
from facet.errors import EngineUnavailable
from facet.sandbox.fake import FakeCommand, FakeEngine, FakeReply, FakeSandbox

SECRET = "sk-very-secret"


class Machine:
    """A pretended machine."""

    def __init__(
        self, *commands: str, version: tuple[int, int, int] = (3, 12, 1), free: int = 50 << 30
    ) -> None:
        self.commands, self.version, self.free = commands, version, free

    def python(self) -> tuple[int, int, int]:
        return self.version

    def which(self, command: str) -> str | None:
        return f"/usr/bin/{command}" if command in self.commands else None

    def free_bytes(self, path: Path) -> int:
        return self.free

    def system(self) -> str:
        return "Linux"


def ready_engine() -> FakeEngine:
    def runner(sandbox: FakeSandbox, command: FakeCommand) -> FakeReply:
        return FakeReply(stdout=recipe_digest().encode())

    engine = FakeEngine(runner, images={DEBIAN: {}})
    for base in BASES:
        image = engine.add_image(f"{base.name}:latest", {})
        engine._names[f"{base.name}:{recipe_digest(base)}"] = image
    return engine


def config(tmp_path: Path, **keys: str) -> Config:
    return load_config({"HOME": str(tmp_path), **keys})


def states(findings: tuple[Finding, ...]) -> dict[str, str]:
    return {f.name: f.state for f in findings}


def test_a_complete_machine_is_fit(tmp_path: Path) -> None:
    host = Machine("chromium", "harbor")
    keys = {"ANTHROPIC_API_KEY": SECRET, "OPENAI_API_KEY": SECRET}
    found = examine(ready_engine(), config(tmp_path, **keys), host)
    assert set(states(found).values()) == {"ok"}
    assert fit(found)
    assert all(not f.mend for f in found)
    assert SECRET not in str([f.to_json() for f in found])


def test_what_the_main_job_does_not_need_is_optional(tmp_path: Path) -> None:
    found = examine(ready_engine(), config(tmp_path), Machine())
    assert fit(found)
    optional = {f.name for f in found if f.state == "optional"}
    assert optional == {"Anthropic key", "OpenAI key", "Chromium", "Harbor"}
    assert all(f.mend for f in found if f.state == "optional")


@pytest.mark.parametrize(
    ("said", "commands", "mend"),
    [
        ("no Docker server answers (Connection refused)", ("docker",), "systemctl start docker"),
        ("no Docker server answers (No such file)", (), "apt-get install docker.io"),
        ("no Docker server answers (Permission denied)", ("docker",), "usermod -aG docker"),
    ],
)
def test_a_client_without_a_server_is_no_docker(
    tmp_path: Path, said: str, commands: tuple[str, ...], mend: str
) -> None:
    engine = ready_engine()
    engine.trouble = EngineUnavailable(said)
    found = examine(engine, config(tmp_path), Machine(*commands))
    assert not fit(found)
    docker = next(f for f in found if f.name == "Docker server")
    assert (docker.state, docker.found) == ("missing", said)
    assert mend in docker.mend
    assert states(found)["facet-base"] == "unknown"
    assert states(found)["grading runner"] == "unknown"


def test_a_missing_and_a_stale_base_image_name_their_command(tmp_path: Path) -> None:
    missing = examine(FakeEngine(images={"x": {}}), config(tmp_path), Machine("mmdebstrap"))
    by_name = {f.name: f for f in missing}
    assert by_name["facet-base"].mend == "facet base build --bootstrap"
    assert by_name["grading runner"].state == "missing"
    stale = examine(
        FakeEngine(images={"facet-base:latest": {}, DEBIAN: {}}), config(tmp_path), Machine()
    )
    by_name = {f.name: f for f in stale}
    assert by_name["facet-base"].found == "of an older recipe"
    assert by_name["facet-base"].mend == "facet base build"


def test_an_old_python_and_a_full_disk_are_missing(tmp_path: Path) -> None:
    host = Machine(version=(3, 11, 2), free=1 << 20)
    found = examine(ready_engine(), config(tmp_path), host)
    assert states(found)["Python"] == states(found)["disk"] == "missing"
    assert summary(found) == "Missing for the main job: Python, disk."


def test_the_real_host_answers(tmp_path: Path) -> None:
    host = ThisHost()
    assert host.python() >= (3, 12, 0)
    assert host.free_bytes(tmp_path / "not" / "yet") > 0
    assert host.which("no-such-command-anywhere") is None


@pytest.mark.parametrize("width", [80, 100])
def test_the_table_breaks_no_word_and_keeps_its_width(tmp_path: Path, width: int) -> None:
    engine = ready_engine()
    engine.trouble = EngineUnavailable("no Docker server answers at /var/run/docker.sock " * 3)
    console = Console(width=width, record=True, file=(tmp_path / "out").open("w"))
    findings = examine(engine, config(tmp_path), Machine())
    console.print(findings_table(findings))
    console.file.close()
    text = console.export_text()
    assert all(len(line) <= width for line in text.splitlines())
    for word in ("Docker server", "grading runner", "$ sudo apt-get install docker.io", "optional"):
        assert word in text


def test_the_command_prints_json_and_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
    monkeypatch.setenv("FACET_CACHE", str(tmp_path))
    done = CliRunner().invoke(build_app(["doctor"]), ["doctor", "--json"])
    assert done.exit_code == 3
    answer = json.loads(done.stdout)
    assert answer["ready"] is False
    assert {"name", "state", "found", "mend", "needed"} == set(answer["findings"][0])
    table = CliRunner().invoke(build_app(["doctor"]), ["doctor"])
    assert table.exit_code == 3
    assert table.stdout.splitlines()[-1].startswith("Missing for the main job: Docker server")
