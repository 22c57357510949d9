"""The base image recipe: when it is stale, what a missing part is called, what it holds."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from facet import base_images
from facet.base_images import (
    BASES,
    DEBIAN,
    WHEELS,
    base_ready,
    base_status,
    build_bases,
    ensure_runner,
    fetch_wheels,
    recipe_digest,
    recipe_files,
)
from facet.config import data_dir
from facet.errors import BaseMissing, EngineError
from facet.grading.testsh import TEST_SH, VERIFIER_HOME
from facet.sandbox.base import PutFile, SandboxOptions
from tests.conftest import missing


class Shelf:
    """An engine that only knows which images exist; anything else is a mistake of the caller."""

    def __init__(self, **images: str) -> None:
        self.images = {name.replace("__", ":").replace("_", "-"): i for name, i in images.items()}

    def check(self) -> str:
        return "1"

    def image(self, name: str) -> str | None:
        return self.images.get(name)


def shelf(**images: str) -> Any:
    """A Shelf where any Engine is expected."""
    return Shelf(**images)


def test_a_missing_base_names_the_command_that_makes_it() -> None:
    with pytest.raises(BaseMissing, match=r"facet-base is not built: run `facet base build`"):
        base_ready(shelf())


def test_a_base_of_another_recipe_is_stale() -> None:
    engine = shelf(facet_base__latest="sha256:old")
    assert base_status(engine).state == "stale"
    with pytest.raises(BaseMissing, match="of an older recipe: run `facet base build`"):
        base_ready(engine)


def test_a_base_of_this_recipe_is_ready() -> None:
    engine = shelf(facet_base__latest="sha256:new")
    engine.images[f"facet-base:{recipe_digest()}"] = "sha256:new"
    assert base_status(engine).state == "ready"
    base_ready(engine)


def test_the_digest_changes_with_the_recipe_and_with_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = recipe_digest()
    copy = tmp_path / "base"
    for file in recipe_files().files:
        name = BASES[0].dockerfile if file.path == "Dockerfile" else file.path
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).write_bytes(file.data)
    (copy / "runner/__pycache__").mkdir()
    (copy / "runner/main.pyc").write_bytes(b"bytecode")
    monkeypatch.setattr(base_images, "data_dir", lambda: tmp_path)
    assert recipe_digest() == before
    with (copy / "runner/main.py").open("a") as file:
        file.write("# changed\n")
    changed = recipe_digest()
    assert changed != before
    monkeypatch.setattr(base_images, "WHEELS", (*WHEELS[1:], ("pytest", "0")))
    assert recipe_digest() not in (before, changed)


def test_without_debian_the_message_offers_pull_and_bootstrap(tmp_path: Path) -> None:
    with pytest.raises(BaseMissing, match=re.escape(f"image {DEBIAN} is not here")) as caught:
        build_bases(shelf(), cache=tmp_path)
    assert "docker pull" in str(caught.value)
    assert "facet base build --bootstrap" in str(caught.value)


def test_bootstrap_without_mmdebstrap_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EngineError, match="apt-get install mmdebstrap"):
        build_bases(shelf(), cache=tmp_path, bootstrap=True)


def test_a_bootstrap_that_fails_leaves_no_half_root_filesystem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = tmp_path / "mmdebstrap"
    tool.write_text(
        '#!/bin/sh\nfor last; do :; done\necho half > "$last"\necho E: no >&2\nexit 9\n'
    )
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    cache = tmp_path / "cache"
    with pytest.raises(EngineError, match="mmdebstrap failed: E: no"):
        build_bases(shelf(), cache=cache, bootstrap=True)
    assert list(cache.iterdir()) == []


def test_wheels_in_the_cache_are_not_downloaded_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "wheels"
    folder.mkdir()
    for name, version in WHEELS:
        (folder / f"{name}-{version}-py3-none-any.whl").write_bytes(name.encode())
    monkeypatch.setattr(base_images, "pip_command", lambda: pytest.fail("no download is needed"))
    lines: list[str] = []
    files = fetch_wheels(tmp_path, lines.append)
    assert [f.data.decode() for f in files] == [name for name, _ in WHEELS]
    assert lines == []


def test_a_failed_download_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pip = tmp_path / "pip"
    pip.write_text("#!/bin/sh\necho WARNING: retrying >&2\necho ERROR: no network >&2\nexit 1\n")
    pip.chmod(0o755)
    monkeypatch.setattr(base_images, "pip_command", lambda: [str(pip)])
    with pytest.raises(EngineError, match="cannot be downloaded into .*: ERROR: no network"):
        fetch_wheels(tmp_path, lambda line: None)


def test_the_package_list_is_documented() -> None:
    dockerfile = (data_dir() / "base" / BASES[0].dockerfile).read_text()
    listed = re.search(r"--no-install-recommends \\\n(.*?)\n &&", dockerfile, re.S)
    assert listed is not None
    packages = set(listed[1].replace("\\", " ").split())
    documented = (data_dir() / "base/PACKAGES.md").read_text()
    assert len(packages) > 40
    assert {
        p for p in packages if not re.search(rf"(?<![\w-]){re.escape(p)}(?![\w-])", documented)
    } == set()


def test_the_base_is_named_by_its_public_image() -> None:
    text = recipe_files().text("Dockerfile")
    assert f"FROM {DEBIAN}\n" in text
    assert VERIFIER_HOME in text
    assert VERIFIER_HOME in TEST_SH


# ---- with Docker ----------------------------------------------------------------------------


@pytest.fixture
def engine(docker_server: str, tmp_path: Path) -> Any:
    """A Docker engine on a machine with the base image."""
    from facet.sandbox.docker import DockerEngine

    made = DockerEngine(str(tmp_path), locks=tmp_path / "locks")
    try:
        base_ready(made)
    except BaseMissing as error:
        missing("DOCKER", str(error))
    yield made
    made.close()


@pytest.mark.docker
def test_building_an_up_to_date_base_builds_nothing(
    engine: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "build", lambda *a, **k: pytest.fail("nothing to build"))
    lines: list[str] = []
    done = build_bases(engine, cache=tmp_path, progress=lines.append)
    assert [status.state for status in done] == ["ready"]
    assert "up to date" in lines[0]


@pytest.mark.docker
def test_the_runner_works_from_any_place_and_not_from_the_images_python(engine: Any) -> None:
    from facet.sandbox.base import Mount

    options = SandboxOptions(mounts=(Mount(source=ensure_runner(engine), target="/any/place"),))
    with engine.start("facet-base", options) as sandbox:
        sandbox.put([PutFile(path="/tests/test_a.py", data=b"def test_a(): assert 1 == 2\n")])
        broken = (
            "rm -rf /opt/facet-verifier /usr/lib/python3.11 /usr/lib/x86_64-linux-gnu/libssl*;"
            " printf '#!/bin/sh\\n' > /usr/bin/python3; PYTHONHOME=/nowhere PYTHONPATH=/app"
            " LD_LIBRARY_PATH=/app LD_PRELOAD=/app/x.so PYTEST_ADDOPTS=--nope /any/place/run /tests"
        )
        result = sandbox.exec(["bash", "-c", broken], timeout_s=120)
        assert result.exit == 1, result.text
        assert b'"check.test_a": 0' in sandbox.read("/logs/verifier/reward.json")


@pytest.mark.docker
def test_pytest_is_not_importable_by_the_images_python(engine: Any) -> None:
    with engine.start("facet-base") as sandbox:
        result = sandbox.exec(["python3", "-c", "import pytest"], timeout_s=60)
        assert "No module named 'pytest'" in result.text


@pytest.mark.docker
def test_test_sh_gives_the_same_verdict_without_the_mounted_runner(engine: Any) -> None:
    checks = b"def test_yes(): pass\ndef test_no(): assert [1] == [2]\n"
    with engine.start("facet-base") as sandbox:
        sandbox.put(
            [
                PutFile(path="/tests/test.sh", data=TEST_SH.encode(), mode=0o755),
                PutFile(path="/tests/test_state.py", data=checks),
            ]
        )
        result = sandbox.exec(["bash", "/tests/test.sh"], timeout_s=120, workdir="/app")
        assert result.exit == 1, result.text
        reward = sandbox.read("/logs/verifier/reward.json")
        assert b'"reward": 0' in reward
        assert b'"fraction": 0.5' in reward
        assert b'"tests": 2' in sandbox.read("/logs/verifier/ctrf.json")


@pytest.mark.docker
def test_every_documented_tool_is_in_the_image(engine: Any) -> None:
    tools = (
        "asciinema bc column cron curl envsubst faketime file gawk gcc git jq lsof make nc nginx"
        " node openssl python3 redis-cli redis-server rsync setfacl socat sqlite3 strace sudo tmux"
        " tree unzip xmllint xxd xz zip zstd logrotate locale-gen"
    )
    with engine.start("facet-base") as sandbox:
        script = f"for t in {tools}; do command -v $t >/dev/null || echo $t; done; locale -a"
        result = sandbox.exec(["bash", "-c", script], timeout_s=60)
    assert {"C.utf8", "de_DE.utf8", "en_US.utf8", "tr_TR.utf8", "POSIX", "C"} == set(
        result.stdout.text.split()
    )


def test_pip_is_found_without_being_part_of_this_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    find: Callable[[str], None] = lambda name: None  # noqa: E731
    monkeypatch.setattr("importlib.util.find_spec", find)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EngineError, match="-m ensurepip"):
        base_images.pip_command()
    (tmp_path / "pip3").write_text("#!/bin/sh\n")
    (tmp_path / "pip3").chmod(0o755)
    assert base_images.pip_command() == [str(tmp_path / "pip3")]
