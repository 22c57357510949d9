"""A killed validation goes on: verdicts are durable one by one, and bound to bytes."""

import contextlib
import os
from pathlib import Path
from typing import Any

import pytest

from facet.errors import EngineError
from facet.store import Store
from facet.types.verdict import Blame, Gate, Judgement
from facet.validation import Verdict, validate
from facet.validation_record import Record, folder_digest
from facet.workspace import Workspace
from tests import foreign


class Run:
    """Validations in one workspace with a judge that says what the test wants."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.judged: list[str] = []
        self.trouble: set[str] = set()  # names at which the engine stumbles
        self.stop_at = 0  # Ctrl-C while the nth task of a validation is judged

    def judge(self, task: Any, **_: Any) -> Judgement:
        name = task.name.rpartition("/")[2]
        self.judged.append(name)
        if len(self.judged) == self.stop_at:
            raise KeyboardInterrupt
        if name in self.trouble:
            raise EngineError("the server stumbled")
        status = "failed" if name.startswith("bad") else "passed"
        gates = (Gate(name="loads", status=status, evidence="said so"),)
        return Judgement(task_digest=task.digest, gates=gates)

    def validate(self, paths: list[Path], *, resume: bool, **bases: str) -> list[Verdict]:
        self.judged = []
        workspace = Workspace.open(self.root)
        record = Record(workspace, bases=bases, resume=resume)
        got: list[Verdict] = []

        def done(verdict: Verdict) -> None:
            record.add(verdict)
            got.append(verdict)

        with contextlib.suppress(KeyboardInterrupt):
            validate(
                paths,
                engine=lambda: Engine(),  # type: ignore[arg-type,return-value]
                judge=self.judge,
                blame=lambda task, judgement: Blame(artifact="verifier", rule="r"),
                done=done,
                known=record.known,
                bases=bases,
            )
        workspace.journal.close()
        return got


class Engine:
    """Has no image of its own to offer."""

    def image(self, name: str) -> None:
        return None


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Run(tmp_path / "workspace")


def folders(root: Path, *names: str) -> list[Path]:
    return [foreign.plain(root / name) for name in names]


def test_a_cancelled_validation_goes_on_where_it_was(run: Run, tmp_path: Path) -> None:
    paths = folders(tmp_path, "a", "bad", "c", "d")
    run.stop_at = 3
    assert [v.state for v in run.validate(paths, resume=True)] == ["valid", "invalid"]
    run.stop_at = 0
    found = run.validate(paths, resume=True)
    assert run.judged == ["c", "d"]
    assert [(v.state, v.recorded) for v in found] == [
        ("valid", True),
        ("invalid", True),
        ("valid", False),
        ("valid", False),
    ]
    assert found[1].line == "invalid [verifier]: loads: said so"


def test_of_ten_the_two_without_a_verdict_are_judged_again(run: Run, tmp_path: Path) -> None:
    """B33: what our trouble left open is owed; the eight others are kept."""
    paths = folders(tmp_path, *(f"t{n}" for n in range(10)))
    run.trouble = {"t3", "t7"}
    states = [v.state for v in run.validate(paths, resume=True)]
    assert states.count("cannot run here") == 2
    run.trouble = set()
    assert {v.state for v in run.validate(paths, resume=True)} == {"valid"}
    assert run.judged == ["t3", "t7"]


def test_fresh_judges_all_again(run: Run, tmp_path: Path) -> None:
    paths = folders(tmp_path, "a", "b")
    run.validate(paths, resume=False)
    run.validate(paths, resume=False)
    assert run.judged == ["a", "b"]


def test_a_changed_byte_is_judged_again_and_a_moved_folder_is_not(run: Run, tmp_path: Path) -> None:
    paths = folders(tmp_path, "a", "b")
    run.validate(paths, resume=True)
    (paths[0] / "tests" / "extra.txt").write_text("x")
    paths[1] = paths[1].rename(tmp_path / "elsewhere")
    found = run.validate(paths, resume=True)
    assert run.judged == ["a"]
    assert (found[1].recorded, found[1].path) == (True, str(tmp_path / "elsewhere"))


def test_a_verdict_on_other_bases_is_not_taken_for_one_on_its_own(run: Run, tmp_path: Path) -> None:
    paths = folders(tmp_path, "a")
    marked = run.validate(paths, resume=True, **{"facet-base": "other:1"})[0]
    assert marked.line == "valid (on other bases: facet-base=other:1)"
    assert not run.validate(paths, resume=True)[0].recorded
    again = run.validate(paths, resume=True, **{"facet-base": "other:1"})[0]
    assert (again.recorded, again.bases) == (True, ("facet-base=other:1",))


def test_a_damaged_record_is_judged_again(run: Run, tmp_path: Path) -> None:
    paths = folders(tmp_path, "a")
    run.validate(paths, resume=True)
    for blob in (run.root / "blobs").rglob("*"):
        if blob.is_file():
            blob.write_bytes(b"{}")
    assert not run.validate(paths, resume=True)[0].recorded


def test_verdicts_are_a_view(run: Run, tmp_path: Path) -> None:
    run.validate(folders(tmp_path, "bad"), resume=True)
    with Store.memory(Workspace.open(run.root)) as store:
        rows = store.sql("SELECT name, state, verdict, blamed FROM validations").rows
    assert list(rows) == [
        ("other/bad", "invalid", "invalid [verifier]: loads: said so", "verifier")
    ]


def test_a_folder_digest_covers_names_bytes_modes_and_kinds(tmp_path: Path) -> None:
    path = foreign.plain(tmp_path / "t")
    seen = {folder_digest(path)}
    (path / "tests" / "test.sh").chmod(0o755)
    seen.add(folder_digest(path))
    (path / "tests" / "a").symlink_to("/etc/passwd")
    seen.add(folder_digest(path))
    os.mkfifo(path / "tests" / "b")
    seen.add(folder_digest(path))
    with (path / "huge").open("wb") as stream:
        stream.truncate(3_000_000_000)
    seen.add(folder_digest(path))
    (path / "solution" / "solve.sh").rename(path / "solution" / "solve2.sh")
    seen.add(folder_digest(path))
    assert len(seen) == 6
    assert folder_digest(path) in seen
