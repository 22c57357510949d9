"""The wheel alone is enough: command, prompts, sample data and base-image files are inside."""

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

LOCATIONS = """
import json
from facet.config import data_dir, project_root, prompts_dir
from facet.base_images import BASES
print(json.dumps({
    "root": str(project_root()),
    "prompts": sorted(p.relative_to(prompts_dir()).as_posix() for p in prompts_dir().rglob("*.j2")),
    "base": sorted(p.name for p in (data_dir() / "base").iterdir()),
    "probes": sorted(p.name for p in (data_dir() / "probes").iterdir()),
    "skills": len(list((data_dir() / "sample" / "skills").rglob("SKILL.md"))),
    "app": (project_root() / "app.py").is_file(),
}))
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel's content in a folder of its own, away from the checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = folder.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(folder / "site")
    return folder / "site"


def run(site: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Python with only the unpacked wheel and the dependencies on its path."""
    code = f"import sys; sys.path.insert(0, {str(site)!r}); "
    return subprocess.run(
        [sys.executable, "-c", code + arguments[0], *arguments[1:]],
        cwd=site,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_wheel_carries_prompts_sample_probes_and_base_files(installed: Path) -> None:
    done = run(installed, LOCATIONS)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["root"] == str(installed / "facet" / "_bundled")
    source = ROOT / "prompts"
    assert found["prompts"] == sorted(
        p.relative_to(source).as_posix() for p in source.rglob("*.j2")
    )
    assert found["base"] == sorted(p.name for p in (ROOT / "data" / "base").iterdir())
    assert found["probes"] == sorted(p.name for p in (ROOT / "data" / "probes").iterdir())
    assert found["skills"] >= 20
    assert found["app"]


def test_the_command_of_the_wheel_starts(installed: Path) -> None:
    code = "from facet.cli.main import main; main()"
    done = run(installed, code, "--version")
    assert done.returncode == 0
    assert done.stdout.startswith("facet ")
