"""The documents say what the code does: commands, gates, settings, exit codes, modules."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from facet.cli.main import COMMANDS
from facet.config import ENVIRONMENT_VARIABLES
from facet.errors import (
    Cancelled,
    EngineError,
    FacetError,
    InputError,
    WorkspaceError,
)
from facet.gates import GATES
from facet.types.asks import ASKS

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text()


def rows(text: str, pattern: str) -> set[str]:
    """First cells of the table rows that match."""
    return set(re.findall(rf"^\| `({pattern})` \|", text, re.M))


def test_the_readme_is_under_250_lines() -> None:
    assert len(README.splitlines()) < 250


def test_the_readme_lists_every_command_and_no_other() -> None:
    assert rows(README, r"facet [a-z ]+") == {f"facet {name}" for name in COMMANDS}


def test_the_readme_lists_every_gate_in_order() -> None:
    names = [gate.name for gate in GATES]
    assert re.findall(r"^\| `([a-z_]+)` \|", README, re.M)[-len(names) :] == names


def test_the_readme_lists_every_setting_with_its_meaning() -> None:
    for name, meaning in ENVIRONMENT_VARIABLES:
        shown = meaning.replace("<", "&lt;").replace(">", "&gt;")
        assert f"| `{name}` | {shown} |" in README


@pytest.mark.parametrize("error", [FacetError, InputError, EngineError, WorkspaceError, Cancelled])
def test_the_readme_lists_every_exit_code(error: type[FacetError]) -> None:
    assert re.search(rf"^\| {error.exit_code} \|", README, re.M)


def test_every_make_target_of_the_readme_exists() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.M))
    assert set(re.findall(r"`?make ([a-z]+)`?", README)) <= targets


def test_the_architecture_table_is_what_the_modules_say() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "architecture.py"), "--check"], check=False
    )
    assert done.returncode == 0, "run scripts/architecture.py"


def test_every_call_has_its_prompt_and_every_prompt_its_call() -> None:
    templates = {
        p.relative_to(ROOT / "prompts").as_posix().removesuffix(".md.j2")
        for p in (ROOT / "prompts").rglob("*.md.j2")
        if not p.name.startswith("_")
    }
    assert templates == {ask.role for ask in ASKS}


def test_every_file_named_in_the_readme_exists() -> None:
    for name in re.findall(
        r"`((?:facet|data|docs|prompts|app_pages|tests|bench)/[\w./]*)`", README
    ):
        if not name.startswith("data/workspace"):
            assert (ROOT / name).exists(), name


def test_the_error_tree_in_the_docstring_is_the_real_one() -> None:
    source = (ROOT / "facet" / "errors.py").read_text()
    classes = [n.name for n in ast.parse(source).body if isinstance(n, ast.ClassDef)]
    drawn = re.findall(r"[├└]── (\w+)", ast.get_docstring(ast.parse(source)) or "")
    assert set(drawn) | {"FacetError"} == set(classes)
