"""Shared fixtures. Tests run with FACET_* cleared, in temporary folders, with no model key."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "any machine load", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("any machine load")

REQUIRED = {
    name: os.environ.get(f"FACET_REQUIRE_{name}") == "1" for name in ("DOCKER", "HARBOR", "BROWSER")
}
CACHE = os.environ.get("FACET_CACHE", "")


@pytest.fixture(autouse=True)
def clean_environ(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No FACET_* setting or key of the person who runs the tests leaks in."""
    for name in list(os.environ):
        if name.startswith("FACET_") or name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
            monkeypatch.delenv(name)
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
