"""The package layer: built once per set, with the right side blamed."""

import threading
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from facet.errors import BaseMissing, BuildError, EngineError
from facet.packages import layer_dockerfile, layer_image
from facet.sandbox.fake import FakeCommand, FakeEngine, FakeReply, FakeSandbox
from facet.types.manifest import Package
from facet.wheel_unpack import unpack

TREE = Package(name="tree")
SIX = Package(name="six", kind="wheel", version="1.17.0")


class Apt:
    """Answers RUN lines and counts them."""

    def __init__(self, says: bytes = b"", exit: int = 0) -> None:
        self.reply = FakeReply(exit=exit, stdout=says)
        self.ran: list[str] = []

    def __call__(self, sandbox: FakeSandbox, command: FakeCommand) -> FakeReply:
        self.ran.append(command.script)
        return self.reply


def download(wanted: Sequence[str], folder: Path) -> None:
    for name in wanted:
        (folder / f"{name.partition('==')[0]}-1.17.0-py3-none-any.whl").write_bytes(b"wheel")


def test_no_packages_is_the_base_itself(tmp_path: Path) -> None:
    assert layer_image(FakeEngine(), "facet-base", (), cache=tmp_path) == "facet-base"


def test_the_same_set_is_built_once_in_any_order(tmp_path: Path) -> None:
    engine = FakeEngine(Apt())
    both = [TREE, Package(name="bc")]
    first = layer_image(engine, "facet-base", both, cache=tmp_path)
    assert layer_image(engine, "facet-base", both[::-1], cache=tmp_path) == first
    assert len(engine.contexts) == 1
    assert layer_image(engine, "facet-base", [TREE], cache=tmp_path) != first


def test_threads_that_want_one_set_wait_for_one_build(tmp_path: Path) -> None:
    engine = FakeEngine(Apt())
    threads = [
        threading.Thread(
            target=layer_image, args=(engine, "facet-base", [TREE]), kwargs={"cache": tmp_path}
        )
        for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(engine.contexts) == 1


def test_a_new_base_gets_a_new_layer(tmp_path: Path) -> None:
    engine = FakeEngine(Apt())
    old = layer_image(engine, "facet-base", [TREE], cache=tmp_path)
    engine.add_image("facet-base", {})
    assert layer_image(engine, "facet-base", [TREE], cache=tmp_path) != old


def test_wheels_are_downloaded_once_and_lie_in_the_context(tmp_path: Path) -> None:
    engine = FakeEngine(Apt())
    asked: list[Sequence[str]] = []

    def counted(wanted: Sequence[str], folder: Path) -> None:
        asked.append(wanted)
        download(wanted, folder)

    layer_image(engine, "facet-base", [SIX], cache=tmp_path, download=counted)
    names = [f.path for f in engine.contexts[0].files]
    assert "wheels/six-1.17.0-py3-none-any.whl" in names
    engine.add_image("facet-base", {})
    layer_image(engine, "facet-base", [SIX], cache=tmp_path, download=counted)
    assert asked == [["six==1.17.0"]]


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        (b"E: Unable to locate package nope\n", BuildError),
        (b"E: Package 'nope' has no installation candidate\n", BuildError),
        (
            b"Err:1 x\n  Temporary failure resolving 'mirror'\nE: Unable to locate package nope\n",
            EngineError,
        ),
        (b"E: Failed to fetch http://mirror/x\n", EngineError),
        (b"something else\n", EngineError),
    ],
)
def test_only_a_package_nobody_has_is_the_plans_fault(
    tmp_path: Path, said: bytes, kind: type[Exception]
) -> None:
    engine = FakeEngine(Apt(said, exit=100))
    with pytest.raises((BuildError, EngineError)) as caught:
        layer_image(engine, "facet-base", [Package(name="nope")], cache=tmp_path)
    assert caught.type is kind
    assert "nope" in str(caught.value)


@pytest.mark.parametrize("name", ["a b", "x;reboot", "-oDebug=1", "", "x\ny", "$(id)"])
def test_a_name_that_is_no_package_never_reaches_a_shell(tmp_path: Path, name: str) -> None:
    engine = FakeEngine(Apt())
    with pytest.raises(BuildError, match="not a name"):
        layer_image(engine, "facet-base", [Package(name=name)], cache=tmp_path)
    assert engine.contexts == []


def test_a_missing_base_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(BaseMissing, match="facet base build"):
        layer_image(FakeEngine(), "facet-other", [TREE], cache=tmp_path)


def test_the_layer_fails_where_the_package_list_cannot_be_fetched() -> None:
    text = layer_dockerfile("facet-base", [TREE, Package(name="bc", version="1.0")], wheels=False)
    assert "Error-Mode=any" in text
    assert "bc=1.0 tree" in text
    assert "wheels" not in text


def test_a_wheel_is_unpacked_with_its_scripts_and_never_outside(tmp_path: Path) -> None:
    wheel = tmp_path / "x-1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("x/__init__.py", "def run():\n    return 0\n")
        archive.writestr("x-1.data/purelib/y.py", "Y = 1\n")
        archive.writestr("x-1.data/scripts/tool", "#!/bin/sh\n")
        archive.writestr("x-1.data/headers/x.h", "")
        archive.writestr("../outside.py", "")
        archive.writestr("/abs.py", "")
        archive.writestr(
            "x-1.dist-info/entry_points.txt",
            "[console_scripts]\nxrun = x:run\n../evil = x:run\nodd = x:run;import os\n",
        )
    site, scripts = tmp_path / "site", tmp_path / "bin"
    unpack(wheel, site, scripts)
    found = {str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*") if p.is_file()}
    assert found == {
        wheel.name,
        "site/x/__init__.py",
        "site/y.py",
        "site/x-1.dist-info/entry_points.txt",
        "bin/tool",
        "bin/xrun",
    }
    assert (scripts / "xrun").stat().st_mode & 0o111
    assert "from x import run" in (scripts / "xrun").read_text()
