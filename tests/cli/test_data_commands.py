"""`facet skills import`, `stats`, `sql`, `rebuild` as people call them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from facet.cli.common import progress, result, result_json, table
from facet.cli.main import main
from facet.store import Store
from facet.workspace import Workspace
from tests.skills.packages import write
from tests.store.story import RUN, finish, tell

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    opened = Workspace.open(tmp_path / "ws")
    tell(opened)
    finish(opened)
    return opened


class Call:
    """Runs a command in this process: exit code, stdout, stderr."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.capsys = capsys

    def __call__(self, *args: object) -> tuple[int, str, str]:
        code = 0
        try:
            main([str(a) for a in args])
        except SystemExit as done:
            code = int(done.code or 0)
        return (code, *self.capsys.readouterr())


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    return Call(capsys)


def test_import_prints_what_was_kept_and_why_the_rest_was_not(tmp_path: Path, call: Call) -> None:
    write(tmp_path / "hub", "good")
    write(tmp_path / "hub", "short", "Be nice.")
    write(tmp_path / "hub", "empty", " ")

    code, out, err = call("skills", "import", tmp_path / "hub", "--workspace", tmp_path / "ws")
    again = call("skills", "import", tmp_path / "hub", "--workspace", tmp_path / "ws")[1]

    assert code == 0
    assert "no-procedure" in out
    assert "unreadable: empty: SKILL.md is empty" in out
    assert out.splitlines()[-1] == (
        "1 of 3 skills kept, 1 dropped by rules, 1 unreadable; 3 new in the journal"
    )
    assert again.endswith("; 0 new in the journal\n")
    assert err.startswith("reading ")


def test_import_as_json_is_one_document(tmp_path: Path, call: Call) -> None:
    write(tmp_path / "hub", "good")
    write(tmp_path / "hub", "short", "Be nice.")

    _, out, _ = call("skills", "import", tmp_path / "hub", "--json")
    found = json.loads(out)

    assert found["kept"] == ["hub/good"]
    assert "no-procedure" in [f["rule"] for f in found["dropped"][0]["findings"]]


@pytest.mark.parametrize("inside", [False, True])
def test_importing_nothing_is_wrong_input(tmp_path: Path, call: Call, inside: bool) -> None:
    (tmp_path / "hub").mkdir()
    if inside:
        (tmp_path / "hub" / "README.md").write_text("no skill")

    code, out, err = call("skills", "import", tmp_path / "hub")

    assert (code, out) == (2, "")
    assert err.splitlines()[-1].startswith("facet: no skills below")


def test_stats_show_the_funnel_and_every_reason(workspace: Workspace, call: Call) -> None:
    code, out, _ = call("stats", "--workspace", workspace.root)

    assert code == 0
    for expected in ("run r1: finished", "4 (50%)", "hub/keyed", "no recipe", "ended discarded"):
        assert expected in out
    assert out.splitlines()[-1] == (
        "3 of 5 skills kept, 2 of 4 seeds became valid tasks (1 first time, 1 after repair), "
        "5 dropped with a reason, 1 not ended"
    )


def test_stats_as_json_have_counts_and_denominators(workspace: Workspace, call: Call) -> None:
    found = json.loads(call("stats", "--json", "--run", RUN, "--workspace", workspace.root)[1])

    assert found["run"]["valid"] == 2
    assert [s["count"] for s in found["funnel"]["steps"]][6:] == [4, 2, 2, 2, 2]
    assert len(found["funnel"]["drops"]) == 5
    assert found["journal"]["skipped"] == 0


def test_stats_of_an_empty_workspace_are_zeros(tmp_path: Path, call: Call) -> None:
    Workspace.open(tmp_path / "ws")

    code, out, _ = call("stats", "--workspace", tmp_path / "ws")

    assert code == 0
    assert "0 of 0 seeds" in out


def test_stats_of_an_unknown_run_are_wrong_input(workspace: Workspace, call: Call) -> None:
    code, _, err = call("stats", "--run", "nope", "--workspace", workspace.root)

    assert code == 2
    assert "nope" in err


def test_sql_prints_rows_and_a_summary(workspace: Workspace, call: Call) -> None:
    query = "SELECT status, count(*) AS n FROM tasks GROUP BY status ORDER BY status"
    code, out, _ = call("sql", query, "--workspace", workspace.root)

    assert code == 0
    lines = [line.split() for line in out.splitlines()]
    assert lines[2:] == [["discarded", "1"], ["valid", "2"], ["working", "1"], ["3", "rows"]]


def test_sql_works_beside_the_process_that_owns_the_index(workspace: Workspace) -> None:
    with Store.open(workspace):
        done = subprocess.run(
            [
                *(sys.executable, "-m", "facet.cli.main", "sql"),
                *("SELECT count(*) AS n FROM tasks", "--json", "--workspace", str(workspace.root)),
            ],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=120,
        )

    assert json.loads(done.stdout) == [{"n": 4}]


def test_sql_without_a_query_lists_the_views(workspace: Workspace, call: Call) -> None:
    out = call("sql", "--workspace", workspace.root)[1]

    assert "model_calls: " in out
    assert "key, digest, round, gate, status" in out


def test_sql_says_when_rows_were_cut(workspace: Workspace, call: Call) -> None:
    _, out, err = call("sql", "SELECT * FROM events", "--limit", "2", "--workspace", workspace.root)

    assert out.splitlines()[-1] == "2 rows (cut)"
    assert "--limit" in err


def test_a_write_through_sql_is_refused(workspace: Workspace, call: Call) -> None:
    code, _, err = call("sql", "DROP VIEW tasks", "--workspace", workspace.root)

    assert code == 2
    assert "read-only" in err


def test_rebuild_makes_the_index_again(workspace: Workspace, call: Call) -> None:
    workspace.index_path.write_bytes(b"damaged" * 500)

    code, out, _ = call("rebuild", "--workspace", workspace.root)

    assert code == 0
    assert out.startswith("rebuilt from ")
    with Store.open(workspace) as store:
        assert store.health().notice == ""
        assert len(store.tasks()) == 4


@pytest.mark.parametrize("command", ["stats", "sql", "rebuild"])
def test_no_workspace_is_one_line(tmp_path: Path, call: Call, command: str) -> None:
    code, out, err = call(command, "--workspace", tmp_path / "none")

    assert (code, out) == (4, "")
    assert err.count("\n") == 1
    assert not (tmp_path / "none").exists()


def test_a_newer_workspace_is_one_line(workspace: Workspace, call: Call) -> None:
    (workspace.root / "version").write_text("99\n")

    code, _, err = call("skills", "import", "x", "--workspace", workspace.root)

    assert code == 4
    assert "newer FACET" in err


def test_control_characters_do_not_reach_the_terminal() -> None:
    text = table([("\x1b[31mred\x07", None), ("a\nb", 1)], ("x", "y"))

    assert "\x1b" not in text
    assert len(text.splitlines()) == 4


HOSTILE = "a\x1b[31mb\x9b2Jc\x07d\u202ee\x7f"


def test_no_text_of_others_steers_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    result(HOSTILE + "\nnext")
    progress(HOSTILE)
    result_json({"name": HOSTILE, "é": "ü"})

    out, err = capsys.readouterr()
    lines, document = out.split("{", 1)
    assert lines == "a [31mb 2Jc d e \nnext\n"
    assert err == "a [31mb 2Jc d e \n"
    assert document.replace("\n", "").isprintable()
    assert json.loads("{" + document) == {"name": HOSTILE, "é": "ü"}


def test_json_output_has_no_nan(workspace: Workspace, call: Call) -> None:
    query = "SELECT 'nan'::DOUBLE AS a, ['inf'::DOUBLE, 1.5] AS b"
    code, out, _ = call("sql", "--json", query, "--workspace", workspace.root)

    assert code == 0
    assert json.loads(out, parse_constant=pytest.fail) == [{"a": None, "b": [None, 1.5]}]


@pytest.mark.parametrize("command", [["stats"], ["sql", "SELECT 1"]])
def test_a_damaged_index_is_mended_with_a_line_on_stderr(
    workspace: Workspace, call: Call, command: list[str]
) -> None:
    workspace.index_path.write_bytes(b"no database " * 1000)
    first = call(*command, "--workspace", workspace.root)
    second = call(*command, "--workspace", workspace.root)

    assert (first[0], second[0]) == (0, 0)
    assert "made again" in first[2]
    assert len(first[2].splitlines()) == 1
    assert second[2] == ""


def test_many_rebuilds_leave_only_the_newest_old_indexes(workspace: Workspace, call: Call) -> None:
    for _ in range(5):
        assert call("rebuild", "--workspace", workspace.root)[0] == 0

    assert len(list(workspace.root.glob("index.duckdb.bad.*"))) == 3


def test_a_rebuild_beside_the_app_says_to_close_it(workspace: Workspace, call: Call) -> None:
    with Store.open(workspace):
        code, _, err = call("rebuild", "--workspace", workspace.root)

    assert code == 4
    assert len(err.splitlines()) == 1
    assert "close the app" in err
    assert not list(workspace.root.glob("*.bad.*"))


def test_a_workspace_below_a_file_is_one_line(tmp_path: Path, call: Call) -> None:
    (tmp_path / "file").touch()
    code, _, err = call("stats", "--workspace", tmp_path / "file" / "ws")

    assert code == 4
    assert err == (
        f"facet: cannot read {tmp_path / 'file' / 'ws' / 'version'} (Not a directory): "
        "give another --workspace\n"
    )
