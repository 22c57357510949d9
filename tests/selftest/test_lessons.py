"""What blame and contract learned from the first whole self-test, each as a small case."""

import pytest

from facet.blame import blame
from facet.contract.matrix import contract_matrix
from facet.types.manifest import Manifest, PlannedFile
from facet.types.task import Task
from facet.types.trial import CheckResult, StateChange, Trial
from tests.judging import INSTRUCTION, ORDERS, SOLVE, TESTS, check, log, make_task, results, trial
from tests.test_blame import MADE, ends, fails, files, judged

TOTALS = "/app/out/totals.json"


def more_checks(*bodies: tuple[str, str], told: str = "") -> Task:
    """The good task with these checks as well: id and body."""
    source = TESTS
    for id, body in bodies:
        source += f'\n\n@pytest.mark.check(id="{id}", title="{id}")\ndef test_{id}():\n    {body}\n'
    return make_task(tests=source, instruction=INSTRUCTION + told)


def after(*extra: CheckResult, changes: tuple[StateChange, ...] = MADE) -> Trial:
    """All checks of the good task pass, and these."""
    return trial("oracle", checks=(*results("passed"), *extra), changes=changes)


def said(task: Task, oracle: Trial, **more) -> tuple[str | None, str | None, str]:
    found = blame(task, judged(task, oracle=oracle, **more))
    return found.artifact, found.category, found.rule


def test_a_check_that_refuses_what_another_wants_is_itself_wrong() -> None:
    task = more_checks(
        ("head_one", 'assert Path("/app/out/a.csv").read_text() == "day,count", "head"'),
        ("head_two", 'assert Path("/app/out/a.csv").read_text() == "count,day", "head"'),
    )
    oracle = after(
        check("head_one", "passed"),
        check("head_two", expected="'count,day'", actual="'day,count'", message="head"),
    )
    assert said(task, oracle)[:2] == ("verifier", "contract mismatch")


def test_the_same_value_wrong_without_such_a_check_is_the_solutions() -> None:
    task = more_checks(
        ("head_two", 'assert Path("/app/out/a.csv").read_text() == "count,day", "head"'),
        told="Its header is `count,day`.\n",
    )
    oracle = after(check("head_two", expected="'count,day'", actual="'day,count'", message="head"))
    assert said(task, oracle)[0] == "solution"


@pytest.mark.parametrize(
    ("words", "artifact"),
    [
        ("one line each in any order", "verifier"),
        ("order does not matter", "verifier"),
        ("sorted by reason", "solution"),
    ],
)
def test_order_is_free_where_the_instruction_says_so_of_this_file(
    words: str, artifact: str
) -> None:
    text = f"{INSTRUCTION}Refusals go to `/app/out/no.tsv`, {words}.\nTotals are sorted by key.\n"
    task = make_task(instruction=text)
    oracle = fails(
        "log",
        files("/app/out", "/app/out/no.tsv"),
        expected="['b', 'a', 'c']",
        actual="['a', 'c', 'b']",
        message="order of /app/out/no.tsv",
        paths=("/app/out/no.tsv",),
    )
    assert said(task, oracle)[0] == artifact


def test_a_blank_at_the_edge_that_nobody_asks_for_is_over_strict() -> None:
    body = 'assert Path("/app/out/totals.json").read_text().endswith("}\\n"), "end"'
    oracle = after(
        check("edge", message="end\n where False = <method endswith of str>", paths=(TOTALS,))
    )
    assert said(more_checks(("edge", body)), oracle)[:2] == (
        "verifier",
        "over-constrained verifier",
    )


def test_the_place_of_a_key_in_an_object_is_nobodys_promise() -> None:
    oracle = after(check("place", expected="'total'", actual="'count'", message="first"))
    task = more_checks(("place", 'assert list(totals())[0] == "total", "first"'))
    assert said(task, oracle)[:2] == ("verifier", "over-constrained verifier")


def test_a_check_that_divides_by_zero_is_broken() -> None:
    task = more_checks(("share", "assert 1 / (len(totals()) - 2) > 0"))
    oracle = after(check("share", "error", message="ZeroDivisionError: division by zero"))
    assert said(task, oracle)[:2] == ("verifier", "weak verifier")


@pytest.mark.parametrize(
    ("instruction", "artifact"),
    [(INSTRUCTION, "verifier"), (INSTRUCTION + "Use `csvlint`, it is there.\n", "environment")],
)
def test_a_program_a_check_cannot_start_is_somebodys_promise_or_the_checks_own(
    instruction: str, artifact: str
) -> None:
    message = "FileNotFoundError: [Errno 2] No such file or directory: 'csvlint'"
    task = make_task(instruction=instruction)
    found = said(task, fails("log", message=message))
    assert found[:2] == (artifact, "infrastructure, build or dependency")


def test_a_program_that_cannot_be_started_is_the_solutions() -> None:
    task = make_task(instruction=INSTRUCTION + "Provide the program `/app/bin/go` (executable).\n")
    oracle = fails(
        "log",
        (*MADE, *files("/app/bin", "/app/bin/go")),
        message="/app/bin/go is no executable file",
        paths=("/app/bin/go",),
    )
    assert said(task, oracle)[:2] == ("solution", "contract mismatch")


def test_one_telling_check_outweighs_many_that_only_differ() -> None:
    told = check("total", expected="{'count', 'sum'}", actual="{'count', 'total'}", message="keys")
    dull = [check(f"d{n}", expected="[1, 2]", actual="[3, 4]", message="rows") for n in range(6)]
    found = said(make_task(), after(told, *dull))
    assert found[0] == "verifier"


def test_a_damaged_input_that_the_solution_stumbles_over_is_the_environments() -> None:
    nop = trial(
        "nop",
        checks=results("failed", orders="failed"),
    )
    crash = ends(1, "ValueError: not a table")
    assert said(make_task(), crash, nop=nop)[:2] == (
        "environment",
        "fixture, schema or path grounding",
    )
    assert said(make_task(), trial("oracle", changes=MADE), nop=nop)[0] == "verifier"


def test_a_result_that_is_shipped_is_the_environments_not_a_vacuous_check() -> None:
    plan = Manifest(
        files=(
            PlannedFile(path="/app/data/orders.csv", data=ORDERS),
            PlannedFile(path="/app/out/work.log", data=b"done\n"),
        )
    )
    nop = trial("nop", checks=results("failed", log="passed"))
    oracle = trial("oracle", changes=MADE)
    assert said(make_task(manifest=plan), oracle, nop=nop)[0] == "environment"
    assert said(make_task(), oracle, nop=nop)[::2] == ("verifier", "check_is_vacuous")


@pytest.mark.parametrize(
    ("module", "category"),
    [("numpy", "infrastructure, build or dependency"), ("hashlb", "weak verifier")],
)
def test_a_module_nobody_has_is_a_dependency_and_a_misspelt_one_a_bug(
    module: str, category: str
) -> None:
    text = f"E   ModuleNotFoundError: No module named '{module}'"
    nop = trial("nop", outcome="verifier_error", detail="no reward", verifier_log=log(text))
    assert said(make_task(), trial("oracle"), nop=nop)[:2] == ("verifier", category)


def test_a_path_in_the_last_words_of_a_script_that_nobody_knows_is_made_up() -> None:
    task = make_task(solve=SOLVE + "git -C /app/repos/x.git log\n")
    oracle = ends(1, "CalledProcessError: Command '['git', '-C', '/app/repos/x.git']' returned 1")
    assert said(task, oracle)[::2] == ("solution", "path_made_up")


def test_a_name_that_only_the_instruction_speaks_of_is_its_own() -> None:
    text = INSTRUCTION + "The day is in the variable `CLOSE_DATE`.\n"
    done = trial("oracle", changes=MADE)
    wrong = contract_matrix(make_task(instruction=text), oracle=done).disagreements
    assert [(d.kind, d.value, d.artifact) for d in wrong] == [("name", "CLOSE_DATE", "instruction")]
    used = make_task(instruction=text, solve=SOLVE + "echo $CLOSE_DATE\n")
    assert contract_matrix(used, oracle=done).disagreements == ()


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [
        ("Refusals are in `/app/data/old.csv`; it has no header, in any order.", True),
        ("`/app/data/old.csv` must not exist in the end.", False),
        ("Use a name such as `/app/data/old.csv`.", False),
    ],
)
def test_a_no_elsewhere_in_the_line_does_not_negate_a_path(sentence: str, wrong: bool) -> None:
    task = make_task(instruction=INSTRUCTION + sentence + "\n")
    found = contract_matrix(task, oracle=trial("oracle", changes=MADE)).disagreements
    assert [d.value for d in found] == (["/app/data/old.csv"] if wrong else [])
