"""The contract matrix: rows, cells with lines, and the artifact that stands alone."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from facet.check_source import check_sources
from facet.contract.fold import absolute
from facet.contract.matrix import contract_matrix
from facet.contract.needs import Needs, needs_of
from facet.contract.words import paths_in, ports_in, relative_paths_in, says, users_in
from facet.types.manifest import Manifest, PlannedFile, RealFile, RealizedManifest, Service, User
from facet.types.task import FileSet, text_file
from facet.types.trial import StateChange
from tests.golden import good_tasks
from tests.judging import INSTRUCTION, ORDERS, SOLVE, TESTS, check, make_task, results, trial

MADE = tuple(
    StateChange(path=p, change="added")
    for p in ("/app/out", "/app/out/totals.json", "/app/out/work.log")
)
DONE = trial("oracle", changes=MADE)


def wrong(task, oracle=DONE, **more):
    matrix = contract_matrix(task, oracle=oracle, nop=trial("nop"), **more)
    return [(d.kind, d.value, d.artifact) for d in matrix.disagreements]


def needs(body: str) -> Needs:
    files = FileSet(files=(text_file("test_a.py", body),))
    return needs_of(check_sources(files)[0])


# ---- the matrix ----------------------------------------------------------------------------


def test_a_good_task_agrees_in_every_row() -> None:
    assert wrong(make_task()) == []


@pytest.mark.parametrize("task", good_tasks(), ids=lambda t: t.name)
def test_golden_tasks_agree_before_anything_ran(task) -> None:
    assert contract_matrix(task).disagreements == ()


def test_a_row_shows_who_says_it_and_where() -> None:
    matrix = contract_matrix(make_task(), oracle=DONE)
    row = matrix.row("path", "/app/out/totals.json")
    assert row is not None
    assert row.columns() == ("instruction", "solution", "oracle", "verifier")
    assert row.cell("instruction")[0].line == 1
    assert row.cell("verifier")[0].file == "test_state.py"
    assert row.cell("oracle")[0].how == "added"
    assert "instruction.md:1" in row.line()
    planned = matrix.row("path", "/app/data/orders.csv")
    assert planned is not None
    assert planned.cell("planned")


def test_the_realized_container_is_a_column() -> None:
    real = RealizedManifest(files=(RealFile(path="/app/data/orders.csv", kind="file", size=3),))
    matrix = contract_matrix(make_task(), realized=real, oracle=DONE)
    row = matrix.row("path", "/app/data/orders.csv")
    assert row is not None
    assert row.cell("realized")


def test_an_instruction_that_omits_what_solution_and_verifier_share_stands_alone() -> None:
    task = make_task(instruction=INSTRUCTION.replace("/app/out/work.log", "kept by you"))
    assert wrong(task) == [("path", "/app/out/work.log", "instruction")]


def test_an_instruction_that_names_what_nobody_has_stands_alone() -> None:
    task = make_task(instruction=INSTRUCTION + "Read /app/data/rates.csv too.\n")
    assert wrong(task) == [("path", "/app/data/rates.csv", "instruction")]


def test_a_path_that_must_not_be_there_is_no_fault() -> None:
    task = make_task(instruction=INSTRUCTION + "Do not write /app/data/extra.csv.\n")
    assert wrong(task) == []


def test_a_verifier_that_reads_what_nobody_makes_stands_alone() -> None:
    task = make_task(tests=TESTS.replace("/app/out/work.log", "/app/out/audit.txt"))
    oracle = trial("oracle", changes=MADE, checks=results("passed", log="failed"))
    assert ("path", "/app/out/audit.txt", "verifier") in wrong(task, oracle)


def test_a_solution_that_does_not_make_what_is_asked_for_stands_alone() -> None:
    task = make_task(solve=SOLVE.replace("echo done > /app/out/work.log\n", ""))
    oracle = trial("oracle", changes=MADE[:2], checks=results("passed", log="failed"))
    assert ("path", "/app/out/work.log", "solution") in wrong(task, oracle)


def test_an_environment_that_lacks_what_instruction_and_solution_use_stands_alone() -> None:
    task = make_task(
        manifest=Manifest(files=(PlannedFile(path="/app/other.csv", data=ORDERS),)),
        tests=TESTS.replace("/app/data/orders.csv", "/app/other.csv"),
    )
    found = wrong(task, trial("oracle", outcome="actor_error", actor_exit=1, changes=MADE[:1]))
    assert ("path", "/app/data/orders.csv", "environment") in found


def test_a_port_that_only_the_verifier_knows_stands_alone() -> None:
    tests = TESTS + (
        '\n\n@pytest.mark.check(id="port", title="p")\ndef test_port():\n'
        '    import socket\n    socket.create_connection(("127.0.0.1", 9999), 1)\n'
    )
    oracle = trial("oracle", changes=MADE, checks=(*results("passed"), check("port")))
    assert ("port", "9999", "verifier") in wrong(make_task(tests=tests), oracle)
    served = Manifest(services=(Service(name="s", command="x", port=9999),))
    assert ("port", "9999", "verifier") not in wrong(
        make_task(tests=tests, manifest=served), oracle
    )


def test_a_user_the_plan_lacks_is_a_row_with_an_artifact() -> None:
    tests = TESTS + (
        '\n\n@pytest.mark.check(id="u", title="u")\ndef test_u():\n'
        '    import pwd\n    assert pwd.getpwnam("ledger")\n'
    )
    assert ("user", "ledger", "verifier") in wrong(make_task(tests=tests))
    with_user = Manifest(
        files=(PlannedFile(path="/app/data/orders.csv", data=ORDERS),),
        users=(User(name="ledger"),),
    )
    assert wrong(make_task(tests=tests, manifest=with_user)) == []
    told = make_task(tests=tests, instruction=INSTRUCTION + "Create user `ledger`.\n")
    assert ("user", "ledger", "solution") in wrong(told)


def test_a_foreign_task_without_plan_blames_nobody_for_what_is_not_known() -> None:
    task = make_task(ours=False, dockerfile="FROM x\nRUN make-data\n")
    assert wrong(task) == []


def test_a_hundred_checks_have_a_row_for_each_key() -> None:
    more = "".join(
        f'\n\n@pytest.mark.check(id="c{n}", title="t")\ndef test_c{n}():\n'
        f'    assert totals()["k{n}"] == {n}\n'
        for n in range(100)
    )
    matrix = contract_matrix(make_task(tests=TESTS + more), oracle=DONE)
    assert len(matrix.rows) > 100


# ---- what a check needs --------------------------------------------------------------------


def test_paths_are_folded_through_names_joins_and_strings() -> None:
    found = needs(
        "import os\nfrom pathlib import Path\nROOT = Path('/app')\nOUT = ROOT / 'out'\n"
        "def load(name):\n    return (OUT / name).read_text()\n"
        "def test_x():\n    a = OUT / 'a.json'\n    assert a.exists()\n"
        "    assert open(os.path.join('/app/out', 'b.csv')).read()\n"
        "    assert Path(f'{ROOT}/c.txt').read_text()\n    assert load('d.txt')\n"
    )
    paths = {p for p, _ in found.paths}
    assert {"/app/out/a.json", "/app/out/b.csv", "/app/c.txt"} <= paths
    assert "/app/out/d.txt" not in paths  # what depends on an argument is not guessed


def test_a_path_that_must_be_absent_is_not_needed() -> None:
    found = needs(
        "from pathlib import Path\ndef test_x():\n"
        "    assert not Path('/app/old').exists()\n    assert Path('/app/x').exists() is False\n"
    )
    assert found.absent == ("/app/old", "/app/x")
    assert found.paths == ()


def test_keys_ports_variables_users_and_commands_are_read() -> None:
    found = needs(
        "import os, pwd, subprocess\nfrom urllib.request import urlopen\n"
        "def test_x():\n    row = load()\n    assert row['amount'] == row.get('total')\n"
        "    assert set(row) == {'amount', 'total', 'day'}\n    mine = {'own': 1}\n"
        "    assert mine['own']\n    assert os.environ['CLOSING_DAY']\n"
        "    assert pwd.getpwnam('ledger')\n    assert subprocess.run(['jq', '.'])\n"
        "    assert urlopen('http://127.0.0.1:8099/x')\n"
    )
    assert {k for k, _ in found.keys} == {"amount", "total", "day"}
    assert [v for v, _ in found.variables] == ["CLOSING_DAY"]
    assert [u for u, _ in found.users] == ["ledger"]
    assert [c for c, _ in found.commands] == ["jq"]
    assert [p for p, _ in found.ports] == ["8099"]


# ---- words ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "paths"),
    [
        ("Write `/app/out/a.json`.", ["/app/out/a.json"]),
        ("see https://example.org/a/b and /srv/x/", ["/srv/x"]),
        ("and/or 1/2 a/b", []),
        ("$HOME/x ${A}/y ~/z", []),
        ("(/etc/cron.d/job, mode 0644)", ["/etc/cron.d/job"]),
    ],
)
def test_paths_in_prose(line: str, paths: list[str]) -> None:
    assert paths_in(line) == paths


def test_other_words_in_prose() -> None:
    assert relative_paths_in("write `out/a.json` and `a.json`", "/app") == ["/app/out/a.json"]
    assert ports_in("listens on port 8080 or localhost:99999") == ["8080"]
    assert users_in("run as user `ledger`, the user must log in") == ["ledger"]
    assert says("write /app/a.json", "/app/a.json") == "exact"
    assert says("write a.json there", "/app/a.json") == "name"
    assert says("write a.json.bak there", "/app/a.json") == ""
    assert absolute("file:/app/x.db?mode=ro") == "/app/x.db"


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=400), st.text(max_size=400), st.text(max_size=400))
def test_no_text_breaks_the_matrix(instruction: str, solve: str, tests: str) -> None:
    safe = tests.encode("utf-8", "replace").decode()
    task = make_task(
        instruction=instruction.encode("utf-8", "replace").decode(),
        solve=solve.encode("utf-8", "replace").decode(),
        tests=safe,
    )
    contract_matrix(task, oracle=DONE)
