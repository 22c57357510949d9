"""The only reader of environment variables and of bundled file locations."""

import os
from pathlib import Path

from facet.types.value import Value

ENVIRONMENT_VARIABLES: tuple[tuple[str, str], ...] = (
    ("FACET_WORKSPACE", "workspace folder (default data/workspace)"),
    ("FACET_MODEL", "default model (default offline)"),
    ("FACET_PERSON", "who decides when the app is used without sign-in"),
    ("FACET_CACHE", "folder for wheels, resources and rootfs (default ~/.cache/facet)"),
    ("FACET_REQUIRE_DOCKER", "1: a missing Docker server fails tests instead of skipping them"),
    ("FACET_REQUIRE_HARBOR", "1: a missing harbor command fails tests instead of skipping them"),
    ("FACET_REQUIRE_BROWSER", "1: a missing chromium fails tests instead of skipping them"),
    ("ANTHROPIC_API_KEY", "key for anthropic:<model>"),
    ("OPENAI_API_KEY", "key for openai:<model> and compatible servers"),
    ("OPENAI_BASE_URL", "address of an OpenAI-compatible server"),
)
"""Name and meaning of every variable that is read; the README shows this table."""


class Config(Value):
    """Where things are and what the user set, read once."""

    workspace: Path
    model: str
    person: str
    cache: Path
    anthropic_key: str
    openai_key: str
    openai_base_url: str


def load_config(environ: dict[str, str] | None = None) -> Config:
    """Read the environment (or the mapping given instead of it)."""
    env = dict(os.environ) if environ is None else environ
    return Config(
        workspace=Path(env.get("FACET_WORKSPACE") or "data/workspace"),
        model=env.get("FACET_MODEL") or "offline",
        person=env.get("FACET_PERSON") or env.get("USER") or "local",
        cache=Path(env.get("FACET_CACHE") or Path(env.get("HOME") or "/tmp") / ".cache/facet"),
        anthropic_key=env.get("ANTHROPIC_API_KEY", ""),
        openai_key=env.get("OPENAI_API_KEY", ""),
        openai_base_url=env.get("OPENAI_BASE_URL", ""),
    )


def child_environ(**settings: str) -> dict[str, str]:
    """This process's environment with these settings on top, for a process it starts."""
    return {**os.environ, **settings}


def project_root() -> Path:
    """Folder that holds app.py, prompts/ and data/: the checkout, or the installed package's copy.

    An installed package keeps them under `facet/_bundled/`.
    """
    package = Path(__file__).resolve().parent
    bundled = package / "_bundled"
    return bundled if bundled.is_dir() else package.parent


def prompts_dir() -> Path:
    """Templates of every model call."""
    return project_root() / "prompts"


def data_dir() -> Path:
    """Bundled base-image files, probes, prices and samples."""
    return project_root() / "data"
