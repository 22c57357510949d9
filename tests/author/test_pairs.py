"""Every ordered pair of recipes gives a complete, deterministic task that says all it demands."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from facet.author.contract import contract, places
from facet.author.reading import brief
from facet.author.recipe import Recipe
from facet.author.recipes import RECIPES, fits, pairs
from facet.author.themes import THEMES
from tests.author.harness import Walked, walk

PAIRS = pairs()
LEAST_CHECKS = 18


def pair_id(pair: tuple[Recipe, Recipe]) -> str:
    return f"{pair[0].name}-{pair[1].name}"


@pytest.fixture(scope="module")
def walked() -> dict[str, Walked]:
    """One walk of every pair, each with its own seed."""
    return {pair_id(p): walk(*p, number) for number, p in enumerate(PAIRS)}


def test_at_least_120_ordered_pairs_fit() -> None:
    assert len(PAIRS) >= 120


def test_a_recipe_never_follows_itself() -> None:
    assert all(fits(recipe, recipe) for recipe in RECIPES)


def test_every_script_has_lf_line_ends_and_a_shebang(walked: dict[str, Walked]) -> None:
    for name, made in walked.items():
        scripts = [made.solution.script]
        scripts += [s.text for s in (*made.solution.partials, *made.solution.alternatives)]
        assert all(s.startswith("#!/usr/bin/env bash\n") and "\r" not in s for s in scripts), name


def test_python_inside_solutions_and_tests_compiles(walked: dict[str, Walked]) -> None:
    for name, made in walked.items():
        for script in (made.solution.script, *(s.text for s in made.solution.alternatives)):
            blocks = script.split("<<'PY'\n")[1:]
            assert blocks, name
            for block in blocks:
                ast.parse(block.split("\nPY\n")[0])
        for file in made.verifier.files:
            ast.parse(file.text, feature_version=(3, 11))


def test_every_task_declares_enough_counted_checks_with_titles(walked: dict[str, Walked]) -> None:
    counts = []
    for name, made in walked.items():
        checks = made.task.verifier.checks
        assert len({c.id for c in checks}) == len(checks), name
        assert all(c.title for c in checks), name
        assert any(c.guard for c in checks), name
        counts.append(sum(not c.guard for c in checks))
        assert counts[-1] >= LEAST_CHECKS, name
    assert sum(counts) / len(counts) >= 23


def test_every_task_has_partials_and_an_alternative(walked: dict[str, Walked]) -> None:
    for name, made in walked.items():
        assert len(made.solution.partials) >= 2, name
        assert len({s.text for s in made.solution.partials} | {made.solution.script}) >= 3, name
        assert made.solution.alternatives, name


def test_the_instruction_states_every_choice_that_code_relies_on(
    walked: dict[str, Walked],
) -> None:
    for name, made in walked.items():
        plan = brief(made.scenario)
        for item in contract(plan.theme, plan.second):
            said = item.read(made.instruction.text)
            assert said is not None, f"{name}: {item.name} is not stated once"
            assert item.read(made.solution.script) == said, f"{name}: solution takes {item.name}"
            tests = made.verifier.files[0].text
            assert item.read(tests) == said, f"{name}: verifier takes {item.name}"


def test_the_instruction_names_where_the_material_lies(walked: dict[str, Walked]) -> None:
    for name, made in walked.items():
        plan = brief(made.scenario)
        planned = [f.path for f in made.manifest.files]
        for place in places(plan.theme, plan.first, plan.second):
            there = [o.value for o in place.options if any(p.startswith(o.value) for p in planned)]
            assert any(value in made.instruction.text for value in there), f"{name}: {place.name}"


def test_the_pair_that_was_asked_for_is_made(walked: dict[str, Walked]) -> None:
    for name, made in walked.items():
        plan = brief(made.scenario)
        assert name == f"{plan.first.name}-{plan.second.name}"


def test_the_same_nonce_gives_the_same_bytes(walked: dict[str, Walked]) -> None:
    for number, pair in enumerate(PAIRS):
        if number % 12 == 0:
            again = walk(*pair, number)
            assert again.bytes == walked[pair_id(pair)].bytes, pair_id(pair)


def test_hash_order_and_time_zone_change_nothing() -> None:
    code = (
        "import hashlib\n"
        "from tests.author.harness import walk\n"
        "from facet.author.recipes import pairs\n"
        "made = [walk(*p, n, slips=1.0).bytes for n, p in enumerate(pairs()[::24])]\n"
        "print(hashlib.sha256(b''.join(made)).hexdigest())\n"
    )
    root = str(Path(__file__).resolve().parents[2])
    seen = set()
    for seed, zone in (("1", "UTC"), ("2", "Asia/Tokyo")):
        env = {**os.environ, "PYTHONHASHSEED": seed, "TZ": zone, "LC_ALL": "C"}
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, cwd=root, env=env, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        seen.add(done.stdout)
    assert len(seen) == 1


def test_options_of_a_choice_never_contain_each_other() -> None:
    for theme in THEMES:
        for recipe in RECIPES:
            if recipe.sink is None:
                continue
            for item in contract(theme, recipe):
                for option in item.options:
                    assert item.read(f"... {option.text} ...") == option.value, item.name


def test_inputs_that_a_guard_protects_are_the_planned_bytes(walked: dict[str, Walked]) -> None:
    for name, made in walked.items():
        line = next(
            x for x in made.verifier.files[0].text.splitlines() if x.startswith("INPUTS = ")
        )
        inputs = ast.literal_eval(line.removeprefix("INPUTS = "))
        real = {f.path: f.sha256 for f in made.realized.files}
        assert inputs, name
        assert all(real[path] == digest for path, digest in inputs.items()), name


def grams(text: str) -> set[tuple[str, ...]]:
    words = text.lower().split()
    return {tuple(words[i : i + 5]) for i in range(len(words) - 4)}


def jaccard(one: str, other: str) -> float:
    a, b = grams(one), grams(other)
    return len(a & b) / len(a | b)


def test_different_pairs_give_different_instructions(walked: dict[str, Walked]) -> None:
    texts = [made.instruction.text for made in walked.values()]
    worst = max(jaccard(texts[i], texts[j]) for i in range(len(texts)) for j in range(i))
    assert worst <= 0.5


@pytest.mark.parametrize("pair", PAIRS[::29], ids=pair_id)
def test_different_seeds_of_one_pair_give_different_instructions(
    pair: tuple[Recipe, Recipe],
) -> None:
    texts = [walk(*pair, 1000 + number).instruction.text for number in range(12)]
    worst = max(jaccard(texts[i], texts[j]) for i in range(len(texts)) for j in range(i))
    assert worst <= 0.5
