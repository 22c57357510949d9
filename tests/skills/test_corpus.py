"""A corpus: folders and archives read together, written to the journal once."""

import io
import os
import stat
import tarfile
import zipfile
from pathlib import Path

import pytest

from facet.errors import InputError
from facet.skills import archive
from facet.skills.corpus import read_corpus, record
from facet.types.skill import Skill
from facet.workspace import Workspace
from tests.skills.packages import PLAIN, write

TEXT = f"---\nname: tidy\ndescription: d\n---\n{PLAIN}".encode()


def zipped(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for name, data in members.items():
            out.writestr(name, data)
    return path


def tarred(path: Path, members: dict[str, bytes]) -> Path:
    with tarfile.open(path, "w:gz") as out:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            out.addfile(info, io.BytesIO(data))
    return path


def sources(tmp_path: Path) -> Path:
    write(tmp_path / "hub", "a/good")
    write(tmp_path / "hub", "b/short", "Be nice.")
    write(tmp_path / "hub", "c/empty", " ")
    return tmp_path / "hub"


def test_importing_twice_adds_nothing(tmp_path: Path) -> None:
    workspace = Workspace.open(tmp_path / "ws")
    corpus = read_corpus([sources(tmp_path)])

    first = record(corpus, workspace.journal, workspace.blobs)
    again = record(read_corpus([sources(tmp_path)]), workspace.journal, workspace.blobs)

    assert (first, again) == (3, 0)
    assert sorted(e.kind for e in workspace.journal.read()) == [
        "skill.read",
        "skill.read",
        "skill.unreadable",
    ]


def test_a_changed_text_and_another_run_are_new_readings(tmp_path: Path) -> None:
    workspace = Workspace.open(tmp_path / "ws")
    root = sources(tmp_path)
    record(read_corpus([root]), workspace.journal, workspace.blobs)
    (root / "a/good/SKILL.md").write_bytes(TEXT)

    assert record(read_corpus([root]), workspace.journal, workspace.blobs) == 1
    assert record(read_corpus([root]), workspace.journal, workspace.blobs, run="r1") == 3


def test_the_whole_skill_lies_in_a_blob(tmp_path: Path) -> None:
    workspace = Workspace.open(tmp_path / "ws")
    corpus = read_corpus([sources(tmp_path)])
    record(corpus, workspace.journal, workspace.blobs)
    events = [e for e in workspace.journal.read() if e.kind == "skill.read"]

    found = [workspace.blobs.get_value(str(e.data["blob"]), Skill) for e in events]

    assert found == list(corpus.skills)
    assert [e.data["kept"] for e in events] == [True, False]


def test_the_same_id_in_two_sources_is_read_once(tmp_path: Path) -> None:
    first, second = tmp_path / "one" / "hub", tmp_path / "two" / "hub"
    write(first, "tidy")
    write(second, "tidy", TEXT)

    corpus = read_corpus([first, second])

    assert [s.description for s in corpus.skills] == ["tidies tidy"]


@pytest.mark.parametrize("make", [zipped, tarred])
def test_an_archive_reads_like_its_folder(tmp_path: Path, make: object) -> None:
    path = make(tmp_path / "hub.pack", {"a/tidy/SKILL.md": TEXT, "a/tidy/x.txt": b"x"})  # type: ignore[operator]

    corpus = read_corpus([path])

    assert [(s.id, [f.path for f in s.files]) for s in corpus.skills] == [
        ("a/tidy", ["SKILL.md", "x.txt"])
    ]


@pytest.mark.parametrize("make", [zipped, tarred])
@pytest.mark.parametrize(
    "name", ["../out.txt", "/tmp/facet-out.txt", "a/../../out.txt", "..\\out.txt"]
)
def test_no_member_leaves_the_folder(tmp_path: Path, make: object, name: str) -> None:
    path = make(tmp_path / "evil", {"a/SKILL.md": TEXT, name: b"out"})  # type: ignore[operator]
    target = tmp_path / "deep" / "target"
    target.mkdir(parents=True)

    assert archive.unpack(path, target) == 1
    assert not Path("/tmp/facet-out.txt").exists()
    assert [p.name for p in tmp_path.rglob("*") if p.is_file()] == ["evil", "SKILL.md"]


def test_links_and_devices_in_archives_are_left_out(tmp_path: Path) -> None:
    tar = tmp_path / "x.tar"
    with tarfile.open(tar, "w") as out:
        for name, kind in (
            ("link", tarfile.SYMTYPE),
            ("hard", tarfile.LNKTYPE),
            ("dev", tarfile.CHRTYPE),
        ):
            info = tarfile.TarInfo(name)
            info.type = kind
            info.linkname = "/etc/passwd"
            out.addfile(info)
    zip_path = tmp_path / "x.zip"
    with zipfile.ZipFile(zip_path, "w") as out_zip:
        info_zip = zipfile.ZipInfo("link")
        info_zip.external_attr = (stat.S_IFLNK | 0o777) << 16
        out_zip.writestr(info_zip, "/etc/passwd")
    target = tmp_path / "target"
    target.mkdir()

    assert archive.unpack(tar, target) == 0
    assert archive.unpack(zip_path, target) == 0
    assert list(target.iterdir()) == []


def test_an_archive_that_would_fill_the_disk_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "MAX_BYTES", 1_000_000)
    path = zipped(tmp_path / "bomb.zip", {"a/SKILL.md": TEXT, "a/zeros": b"\0" * 5_000_000})

    with pytest.raises(InputError, match="more than the limit"):
        read_corpus([path])


def test_too_many_members_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_MEMBERS", 3)
    members = {f"f{n}": b"" for n in range(5)}

    for path in (zipped(tmp_path / "a.zip", members), tarred(tmp_path / "a.tar", members)):
        with pytest.raises(InputError, match="more than 3 files"):
            read_corpus([path])


@pytest.mark.parametrize("content", [b"", b"no archive", b"PK\x03\x04 broken", os.urandom(2000)])
def test_what_is_no_archive_is_one_line(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file.zip"
    path.write_bytes(content)

    with pytest.raises(InputError) as caught:
        read_corpus([path])

    assert "\n" not in str(caught.value)


def test_a_truncated_archive_is_one_line(tmp_path: Path) -> None:
    path = tarred(tmp_path / "a.tar.gz", {"a/SKILL.md": TEXT * 50})
    path.write_bytes(path.read_bytes()[:-40])

    with pytest.raises(InputError, match="cannot unpack"):
        read_corpus([path])


def test_an_absent_source_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such folder or archive"):
        read_corpus([tmp_path / "none"])
