"""Blobs: once under their digest, whole or absent."""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from facet.blobs import Blobs, write_durably
from facet.errors import WorkspaceError
from facet.types.scenario import Fact
from facet.types.value import digest_bytes
from facet.types.verdict import Gate

ROOT = Path(__file__).resolve().parents[1]


@given(st.binary(max_size=200))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
def test_bytes_come_back_under_their_digest(tmp_path: Path, data: bytes) -> None:
    blobs = Blobs(tmp_path / "blobs")

    digest = blobs.put(data)

    assert digest == digest_bytes(data) == blobs.put(data)
    assert blobs.get(digest) == data


def test_a_value_comes_back_as_its_type(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path)
    digest = blobs.put_value(Fact(name="path", value="/app"))

    assert blobs.get_value(digest, Fact) == Fact(name="path", value="/app")
    with pytest.raises(WorkspaceError, match="no Gate"):
        blobs.get_value(digest, Gate)


@pytest.mark.parametrize(
    "name", ["", "sha256:", "../../etc/passwd", "sha256:" + "A" * 64, "x" * 500]
)
def test_what_is_no_digest_names_no_file(tmp_path: Path, name: str) -> None:
    with pytest.raises(WorkspaceError, match="no blob digest|not a blob digest"):
        Blobs(tmp_path).path(name)


def test_an_absent_blob_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError, match="is not in"):
        Blobs(tmp_path).get("sha256:" + "0" * 64)


def test_a_blob_altered_on_disk_is_not_returned(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path)
    digest = blobs.put(b"right")
    blobs.path(digest).write_bytes(b"wrong")

    with pytest.raises(WorkspaceError, match="damaged"):
        blobs.get(digest)


def test_a_failed_write_leaves_neither_file_nor_fragment(tmp_path: Path) -> None:
    code = """
import resource, signal, sys
from pathlib import Path
from facet.blobs import Blobs
from facet.errors import WorkspaceError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
try:
    Blobs(Path(sys.argv[1])).put(b"x" * 5000)
except WorkspaceError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        check=True,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )

    assert "cannot store a blob" in done.stdout
    assert [p for p in tmp_path.rglob("*") if p.is_file()] == []


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    write_durably(tmp_path / "a" / "f", b"one")
    write_durably(tmp_path / "a" / "f", b"two")

    assert (tmp_path / "a" / "f").read_bytes() == b"two"
    assert [p.name for p in (tmp_path / "a").iterdir()] == ["f"]
