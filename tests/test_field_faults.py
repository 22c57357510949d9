"""docs/field-faults.md is true: every fault is listed once, every test it names exists."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "field-faults.md"
IDS = [
    "B01",
    "B02",
    "B03",
    "B04",
    "B06",
    "B10",
    "B11",
    "B13",
    "B16",
    "B19",
    "B20",
    "B25",
    "B26",
    "B28",
    "B29",
    "B31",
    "B33",
    "B34",
    "B35",
    "B37",
    "B41",
    "B43",
    "B44",
    "B47",
    "B50",
    "B53",
    "B55",
    "B58",
    "B60",
    "B61",
    "B62",
]
NAMED = re.compile(r"`([\w/]+\.py)::(test_\w+)`")


def rows() -> dict[str, str]:
    """Id -> what shows it."""
    lines = [line.split("|") for line in PAGE.read_text().splitlines() if line.startswith("| B")]
    assert len({cells[1].strip() for cells in lines}) == len(lines), "an id stands there twice"
    return {cells[1].strip(): cells[3] for cells in lines}


def functions(path: Path) -> set[str]:
    return {n.name for n in ast.parse(path.read_text()).body if isinstance(n, ast.FunctionDef)}


def test_every_fault_has_one_row() -> None:
    assert sorted(rows()) == IDS


@pytest.mark.parametrize("fault", IDS)
def test_a_row_names_tests_that_exist_or_says_why_not_yet(fault: str) -> None:
    shown = rows()[fault]
    named = NAMED.findall(shown)
    assert named or re.search(r"not applicable yet: \w", shown)
    assert shown.count("::") == len(named), "a test is named in another form"
    for file, test in named:
        assert test in functions(ROOT / "tests" / file), f"{file} has no {test}"


def test_the_list_is_that_of_the_project(shared_data: Path) -> None:
    source = (shared_data.parent / "field-faults.md").read_text()
    assert sorted(re.findall(r"^\| (B\d\d) ", source, re.M)) == IDS
