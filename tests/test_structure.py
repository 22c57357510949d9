"""The shape of the code: imports go down, no cycles, small files, nothing leaks into commits."""

import ast
import re
import subprocess
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "facet"

LAYERS: tuple[tuple[str, str], ...] = (
    ("nouns", r"facet|facet\.errors|facet\.types(\..+)?"),
    (
        "edges",
        r"facet\.(config|prompts|journal|blobs|workspace|bundles|reports|lint|funnel|shell\w*"
        r"|taskdir\w*|toml\w*|dockerfile|assemble|base_\w+|packages|resources|wheel\w*"
        r"|artifact_diff|check_source|check_clock|static_faults|agreement)"
        r"|facet\.(store|sandbox|skills|grading)(\..+)?|facet\.llm(\.(?!registry).+)?",
    ),
    (
        "steps",
        r"facet\.(realize|services|probe\w*|statediff|trial\w*|gates|density|leaks|weakening"
        r"|mutants\w*|exploits|tamper|conditions|evidence|reach|matrix|images|checks)"
        r"|facet\.(stages|author|blame|contract)(\..+)?|facet\.llm\.registry",
    ),
    (
        "loops",
        r"facet\.(repair\w*|judge\w*|curation|exports?\w*|validation\w*|live|launch|doctor)"
        r"|facet\.(strict|selftest|accept)(\..+)?",
    ),
    ("whole", r"facet\.pipeline(\..+)?"),
    ("faces", r"facet\.(cli|ui)(\..+)?"),
)


def modules() -> dict[str, Path]:
    """Dotted name -> file of every module of the package."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        if "_bundled" in path.parts:
            continue
        parts = list(path.relative_to(ROOT).with_suffix("").parts)
        if parts[-1] == "__init__":
            parts.pop()
        if "plugin" in parts[:-1]:
            continue  # runs inside the grading container, imports nothing of ours
        found[".".join(parts)] = path
    return found


MODULES = modules()


def layer_of(name: str) -> int:
    """Index of the layer a module belongs to."""
    fits = [i for i, (_, pattern) in enumerate(LAYERS) if re.fullmatch(pattern, name)]
    assert len(fits) == 1, f"{name} belongs to {len(fits)} layers: add it to LAYERS"
    return fits[0]


def imports(path: Path) -> set[str]:
    """Modules of the package that a file imports, anywhere in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {a.name for a in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                found.add(inner if inner in MODULES else node.module)
    return {name for name in found if name in MODULES}


@pytest.mark.parametrize("name", MODULES)
def test_imports_go_down(name: str) -> None:
    here = layer_of(name)
    upward = {i for i in imports(MODULES[name]) if layer_of(i) > here}
    assert not upward, f"{name} ({LAYERS[here][0]}) imports upward: {sorted(upward)}"


def test_there_is_no_import_cycle() -> None:
    graph = {name: imports(path) - {name} for name, path in MODULES.items()}
    try:
        list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        pytest.fail(f"import cycle: {' -> '.join(error.args[1])}")


def test_streamlit_is_imported_only_by_the_ui() -> None:
    guilty = [
        name
        for name, path in MODULES.items()
        if re.search(r"^\s*(import|from) streamlit", path.read_text(), re.M)
        and not name.startswith("facet.ui")
    ]
    assert guilty == []


def reads_environment(path: Path) -> bool:
    """Does the code (not a text inside it) touch `os.environ` or `os.getenv`?"""
    return any(
        isinstance(node, ast.Attribute)
        and node.attr in ("environ", "getenv")
        and isinstance(node.value, ast.Name)
        and node.value.id == "os"
        for node in ast.walk(ast.parse(path.read_text()))
    )


def test_only_config_reads_the_environment() -> None:
    guilty = {name for name, path in MODULES.items() if reads_environment(path)}
    assert guilty <= {"facet.config", "facet.probe_script"}  # the probe runs in the container


def test_no_file_is_over_400_lines() -> None:
    files = [*PACKAGE.rglob("*.py"), *(ROOT / "app_pages").glob("*.py"), ROOT / "app.py"]
    long = {
        str(p.relative_to(ROOT)): n
        for p in files
        if p.exists() and (n := len(p.read_text().splitlines())) > 400
    }
    assert long == {}


def test_every_module_says_what_it_is_for() -> None:
    silent = [n for n, p in MODULES.items() if not ast.get_docstring(ast.parse(p.read_text()))]
    assert silent == []


def tracked() -> list[Path]:
    """Files that git tracks; empty outside a checkout."""
    done = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-z"], capture_output=True, text=True, check=False
    )
    return [ROOT / f for f in done.stdout.split("\0") if f and (ROOT / f).is_file()]


def test_no_machine_path_registry_or_lock_file_is_committed() -> None:
    forbidden = re.compile(
        r"pypi\.o"
        r"rg|deb\.debian\.o"
        r"rg|/root/\."
        r"pyenv|registry\.npmjs"
        r"\.org|/work/m"
        r"ain"
    )
    guilty = []
    for path in tracked():
        if path.name in ("uv.lock", "package-lock.json"):
            guilty.append(str(path))
        elif path.stat().st_size < 2_000_000:
            text = path.read_bytes().decode("utf-8", "replace")
            guilty += [f"{path.relative_to(ROOT)}: {m.group()}" for m in forbidden.finditer(text)]
    assert guilty == []


def test_no_exception_is_swallowed_wholesale() -> None:
    guilty = [
        name
        for name, path in MODULES.items()
        if re.search(r"except\s*(Exception\b.*)?:", path.read_text())
    ]
    assert guilty == []
