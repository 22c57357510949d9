"""A pair of recipes written out as solution and verifier."""

from collections.abc import Mapping

from facet.author.contract import contract
from facet.author.recipe import Check, Recipe, View
from facet.author.solving import first_block, second_block
from facet.author.testing import preamble, table_checks, test_of
from facet.types.asks import NamedScript, SolutionReply, TestFile, VerifierReply


def terms(view: View, second: Recipe) -> list[str]:
    """The contract in words, one line per choice."""
    return [c.text(view.pick[c.name]) for c in contract(view.theme, second)]


def _script(head: str, view: View, second: Recipe, blocks: list[str]) -> str:
    lines = ["#!/usr/bin/env bash", f"# {head}", "# As asked:"]
    lines += [f"#   - {term}" for term in terms(view, second)]
    lines += ["set -euo pipefail", "export LC_ALL=C.UTF-8", ""]
    for block in blocks:
        lines += ["python3 - <<'PY'", block.strip("\n"), "PY", ""]
    return "\n".join(lines)


def solution(view: View, first: Recipe, second: Recipe) -> SolutionReply:
    """solve.sh with three partials and an alternative."""
    assert first.source is not None
    assert second.sink is not None
    title = f"{first.source_title}, then {second.sink_title}"

    def part(slips: frozenset[str]) -> tuple[str, str]:
        seen = View(view.theme, view.env, view.pick, slips, view.real)
        assert first.source is not None
        assert second.sink is not None
        extract = first.source.solve(_other_names(seen))
        return first_block(seen, extract), second_block(seen, second.sink.solve(seen))

    main = part(view.slips)
    clean = view.slips - {"syntax", "crlf"}
    whole = part(clean)
    quiet = part(clean | {"no_refusals"})
    lossy = part(clean | {"lose_group"})
    script = _script(title, view, second, list(main))
    if "syntax" in view.slips:
        script = script.replace("export LC_ALL=C.UTF-8", 'export LC_ALL="C.UTF-8', 1)
    if "crlf" in view.slips:
        script = script.replace("\n", "\r\n")
    return SolutionReply(
        script=script,
        partials=(
            NamedScript(
                name="first-part-only.sh",
                text=_script("Only the clean table, no product", view, second, [whole[0]]),
            ),
            NamedScript(
                name="no-refusals.sh",
                text=_script("Refusals are not listed", view, second, list(quiet)),
            ),
            NamedScript(
                name="loses-a-group.sh",
                text=_script("The product lacks one group", view, second, list(lossy)),
            ),
        ),
        alternatives=(
            NamedScript(name="one-process.sh", text=_one_process(view, second, list(whole))),
        ),
    )


def _other_names(view: View) -> View:
    if "wrong_column" not in view.slips:
        return view
    wrong = (int(view.env["raw"]) + 1) % len(view.fields.variants)
    return View(view.theme, {**view.env, "raw": str(wrong)}, view.pick, view.slips, view.real)


def _one_process(view: View, second: Recipe, blocks: list[str]) -> str:
    """Everything as one program in a scratch folder; results appear by rename."""
    lines = ["#!/usr/bin/env bash", "# The same result from one program in a scratch folder"]
    lines += [f"#   - {term}" for term in terms(view, second)]
    lines += [
        "set -eu",
        "scratch=$(mktemp -d)",
        "trap 'rm -rf \"$scratch\"' EXIT",
        "cat > \"$scratch/work.py\" <<'PY'",
        *(block.strip("\n") for block in blocks),
        "",
        "for result in (REFUSALS, TABLE):",
        '    partial = Path(result + ".part")',
        "    partial.write_bytes(Path(result).read_bytes())",
        "    partial.replace(result)",
        "PY",
        'cd "$scratch"',
        'python3 -I -X utf8 "$scratch/work.py"',
        "",
    ]
    return "\n".join(lines)


def _strict_checks(view: View) -> tuple[Check, ...]:
    """Demands that nobody made."""
    folder = view.pick["table"].rpartition("/")[0]
    return (
        Check(
            "table-mode",
            "The table can be read by its owner only",
            "there(TABLE)\n"
            "actual = oct(os.stat(TABLE).st_mode & 0o777)\n"
            "assert actual == '0o600', f'mode of {TABLE}'",
        ),
        Check(
            "done-marker",
            "A marker shows that the work is done",
            f"marker = {folder + '/DONE'!r}\n"
            "assert os.path.isfile(marker), f'{marker} is missing'",
        ),
        Check(
            "refusals-sorted",
            "Refusals are listed in descending order",
            "lines = [line for line in there(REFUSALS).splitlines() if line]\n"
            "assert lines == sorted(lines, reverse=True), f'order of {REFUSALS}'",
        ),
    )


_FAIR: dict[str, Check] = {
    "table-mode": Check(
        "table-mode",
        "The table can be read by its owner",
        "there(TABLE)\n"
        "actual = os.stat(TABLE).st_mode & 0o400\n"
        "assert actual == 0o400, f'mode of {TABLE}'",
    ),
    "done-marker": Check(
        "done-marker",
        "The table is complete: it ends with a line break",
        "assert there(TABLE)[-1:] == '\\n', f'end of {TABLE}'",
    ),
    "refusals-sorted": Check(
        "refusals-sorted",
        "No refusal is listed twice",
        "lines = [line for line in there(REFUSALS).splitlines() if line]\n"
        "assert sorted(set(lines)) == sorted(lines), f'repeated lines in {REFUSALS}'",
    ),
    "settings": Check(
        "settings",
        "Every line of the table has five values",
        "actual = {len(line) for line in table_lines()[1]}\n"
        "assert actual == {5}, f'values per line in {TABLE}'",
    ),
}
"""What becomes of a check that demanded too much, or nothing: it stays, and tests something due."""


def verifier(
    view: View,
    first: Recipe,
    second: Recipe,
    inputs: Mapping[str, str],
    strict: int = 0,
    own: str = "",
) -> VerifierReply:
    """One test file; `strict` chooses what an over-strict check demands.

    `own` is the verifier that is rewritten: none of its checks is dropped.
    """
    assert first.source is not None
    assert second.sink is not None
    listed = "\n".join(f"  - {term}" for term in terms(view, second))
    checks = [*table_checks(view), *second.sink.checks(view)]
    kept = [check for id, check in _FAIR.items() if f"id={id!r}" in own]
    if "over_strict" in view.slips:
        kept.append(_strict_checks(view)[strict % 3])
    if "vacuous" in view.slips:
        kept.append(Check("settings", "The settings are complete", "assert len(COLUMNS) == 5"))
    checks += list({check.id: check for check in kept}.values())
    head = (
        f'"""Checks of: {first.source_title}, then {second.sink_title}.\n\n'
        f'Expected results come from the material, read in another way.\n\n{listed}\n"""\n'
    )
    text = head + preamble(view, inputs, first.source.expect(view))
    text += "\n\n" + second.sink.helpers(view)
    if "crash" in view.slips:
        text += "\nEXPECTED_TABLE = load_expected(TABLE)\n"
    text += "".join(test_of(check) for check in checks)
    return VerifierReply(files=(TestFile(path="test_state.py", text=text),))
