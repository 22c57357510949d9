"""Shared fixtures. Tests run with FACET_* cleared, in temporary folders, with no model key."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(  # CI asks the same examples every time; a person's run explores
    "any machine load",
    deadline=None,
    derandomize=os.environ.get("FACET_REQUIRE_DOCKER") == "1",
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("any machine load")

REQUIRED = {
    name: os.environ.get(f"FACET_REQUIRE_{name}") == "1" for name in ("DOCKER", "HARBOR", "BROWSER")
}
CACHE = os.environ.get("FACET_CACHE", "")


@pytest.fixture(autouse=True)
def clean_environ(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No FACET_* setting, key, model address or proxy of who runs the tests leaks in."""
    for name in list(os.environ):
        if name.startswith(("FACET_", "ANTHROPIC_", "OPENAI_")):
            monkeypatch.delenv(name)
    for name in ("no_proxy", "NO_PROXY"):  # servers of tests are here, wheels may be behind one
        away = [os.environ[name]] if os.environ.get(name) else []
        monkeypatch.setenv(name, ",".join([*away, "127.0.0.1", "localhost"]))
    if CACHE:
        monkeypatch.setenv("FACET_CACHE", CACHE)
    monkeypatch.setenv("FACET_WORKSPACE", str(tmp_path / "workspace"))


def missing(name: str, reason: str) -> None:
    """Skip, or fail where this thing is required (CI)."""
    if REQUIRED[name]:
        pytest.fail(f"{reason} (FACET_REQUIRE_{name}=1)")
    pytest.skip(reason)


@pytest.fixture(scope="session")
def docker_server() -> str:
    """Version of the Docker *server*; skips or fails without one."""
    from facet.errors import EngineError
    from facet.sandbox.docker import DockerEngine

    try:
        return DockerEngine("tests").check()
    except EngineError as error:
        missing("DOCKER", f"no Docker server: {error}")
        raise


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real skills and trials beside the project; tests that use them skip where they are absent."""
    folder = Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("no ../shared/data beside the project")
    return folder
