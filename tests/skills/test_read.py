"""Reading packages: any layout, bounded, nothing followed out of the folder."""

import json
import os
from pathlib import Path

import pytest

from facet.errors import InputError
from facet.skills.read import MAX_FILES, MAX_TEXT, Unreadable, read_folder
from tests.skills.packages import PLAIN, read, write


def test_a_package_is_read_with_its_files_and_licence(tmp_path: Path) -> None:
    root = tmp_path / "hub"
    write(root, "tidy", **{"scripts/run.sh": "echo ok\n", "LICENSE": "MIT License\n\nCopyright"})

    (skill,) = read(root)

    assert (skill.id, skill.name, skill.description) == ("hub/tidy", "tidy", "tidies tidy")
    assert [f.path for f in skill.files] == ["LICENSE", "SKILL.md", "scripts/run.sh"]
    assert (skill.source.source, skill.source.path) == ("hub", "tidy")
    assert skill.source.licence == "MIT"
    assert skill.body.startswith("# Tidy tables")


def test_ids_of_a_collection_are_its_paths(tmp_path: Path) -> None:
    write(tmp_path, "clawhub/ana/tidy")
    write(tmp_path, "other/tidy")

    assert [s.id for s in read(tmp_path)] == ["clawhub/ana/tidy", "other/tidy"]
    assert [s.source.source for s in read(tmp_path)] == ["clawhub", "other"]


def test_a_single_package_can_be_given_itself(tmp_path: Path) -> None:
    folder = write(tmp_path, "tidy")

    assert [s.id for s in read(folder)] == ["tidy/tidy"]


def test_a_package_inside_another_is_one_of_its_own(tmp_path: Path) -> None:
    write(tmp_path, "a/outer", **{"notes.md": "x"})
    write(tmp_path, "a/outer/inner/deep", **{"data.txt": "y"})

    found = {s.id: [f.path for f in s.files] for s in read(tmp_path)}

    assert found == {
        "a/outer": ["SKILL.md", "notes.md"],
        "a/outer/inner/deep": ["SKILL.md", "data.txt"],
    }


@pytest.mark.parametrize("name", ["skill.md", "Skill.md", "SKILL.MD"])
def test_the_file_is_found_in_any_case(tmp_path: Path, name: str) -> None:
    write(tmp_path, "tidy").joinpath("SKILL.md").rename(tmp_path / "tidy" / name)

    assert len(read(tmp_path)) == 1


def test_a_corpus_file_tells_source_commit_and_licence(tmp_path: Path) -> None:
    write(tmp_path, "a/tidy")
    record = {"path": "a/tidy", "source": "hub", "commit": "c0ffee", "licence": "Apache-2.0"}
    (tmp_path / "corpus.jsonl").write_text("broken\n[]\n" + json.dumps(record) + "\n")

    (skill,) = read(tmp_path)

    assert (skill.source.source, skill.source.commit) == ("hub", "c0ffee")
    assert skill.source.licence == "Apache-2.0"


def test_without_front_matter_heading_and_paragraph_stand_in(tmp_path: Path) -> None:
    write(tmp_path, "tidy", PLAIN)

    (skill,) = read(tmp_path)

    assert skill.name == "Tidy tables"
    assert skill.description.startswith("Trim the cells of a table")
    assert [f.reason for f in skill.findings] == ["no front matter"]
    assert skill.kept


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\n \n", "is empty"),
        (b"# Polish \xb3\xf3d\xbc " + b"text " * 50, "not text"),
        (b"binary \0 " * 30, "not text"),
        (b"x" * (MAX_TEXT + 1), "larger than"),
    ],
)
def test_an_unreadable_package_is_listed_with_its_reason(
    tmp_path: Path, content: bytes, reason: str
) -> None:
    write(tmp_path, "bad", content)
    write(tmp_path, "good")

    bad, good = read_folder(tmp_path)

    assert isinstance(bad, Unreadable)
    assert reason in bad.reason
    assert not isinstance(good, Unreadable)


def test_two_spellings_of_the_file_are_refused(tmp_path: Path) -> None:
    folder = write(tmp_path, "both")
    (folder / "skill.md").write_text("other")
    if len(list(folder.iterdir())) < 2:
        pytest.skip("this file system does not tell case apart")

    (found,) = read_folder(tmp_path)

    assert isinstance(found, Unreadable)
    assert found.reason == "holds both SKILL.md and skill.md"


def test_utf16_with_its_mark_is_read(tmp_path: Path) -> None:
    write(tmp_path, "wide", f"---\nname: wide\ndescription: d\n---\n{PLAIN}".encode("utf-16"))

    assert [s.name for s in read(tmp_path)] == ["wide"]


def test_links_and_special_files_are_not_opened(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    root = tmp_path / "hub"
    folder = write(root, "tidy")
    (folder / "link.txt").symlink_to(secret)
    (folder / "up").symlink_to(tmp_path)
    os.mkfifo(folder / "pipe")
    linked = root / "linked"
    linked.mkdir()
    (linked / "SKILL.md").symlink_to(folder / "SKILL.md")

    items = list(read_folder(root))
    unreadable = [i for i in items if isinstance(i, Unreadable)]
    (skill,) = [i for i in items if not isinstance(i, Unreadable)]

    assert [f.path for f in skill.files] == ["SKILL.md"]
    assert {f.path for f in skill.findings} == {"link.txt", "pipe", "up"}
    assert [u.path for u in unreadable] == ["linked"]
    assert "secret" not in skill.model_dump_json()


def test_a_text_too_large_to_screen_drops_the_skill(tmp_path: Path) -> None:
    write(
        tmp_path, "padded", **{"pad.md": "word " * (MAX_TEXT // 4), "image.bin": b"\0" * MAX_TEXT}
    )

    (skill,) = read(tmp_path)

    assert [(f.rule, f.path) for f in skill.findings] == [("oversized", "pad.md")]
    assert [f.text is None for f in skill.files] == [False, True, True]


def test_a_package_of_too_many_files_is_bounded(tmp_path: Path) -> None:
    folder = write(tmp_path, "many")
    for number in range(MAX_FILES + 5):
        (folder / f"f{number}.txt").touch()

    (skill,) = read(tmp_path)

    assert len(skill.files) <= MAX_FILES
    assert [f.rule for f in skill.findings] == ["oversized"]


def test_the_digest_covers_texts_and_files_and_not_the_place(tmp_path: Path) -> None:
    for root, extra in (("a", "x"), ("b", "x"), ("c", "y")):
        write(tmp_path / root, "tidy", **{"data.txt": extra})
    a, b, c = (read(tmp_path / root)[0].digest for root in "abc")

    assert a == b
    assert a != c


@pytest.mark.parametrize("inside", [(), ("notes.md",), ("deep/README.md",)])
def test_a_folder_without_skills_is_one_line(tmp_path: Path, inside: tuple[str, ...]) -> None:
    for name in inside:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")

    with pytest.raises(InputError, match=r"no skills below .*SKILL\.md"):
        list(read_folder(tmp_path))


def test_an_absent_folder_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no folder of skills"):
        list(read_folder(tmp_path / "none"))
