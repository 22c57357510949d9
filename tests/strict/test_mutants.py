"""Mutants of solve.sh: bounded, deterministic, different, and each altered as it says."""

import ast
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from facet.mutants import Mutant, edits, mutants_of
from facet.mutants_python import python_edits
from facet.mutants_shell import shell_parts
from facet.mutants_text import altered_mode, altered_path, path_edits, value_edits
from facet.selftest.good import NAMES, good_task
from facet.types.task import TextFile, text_file
from tests.judging import SOLVE

SHELL = """\
#!/bin/bash
set -euo pipefail
mkdir -p /app/out
grep -v draft /app/in.txt | sort -u > /app/out/list.txt
chmod 0640 /app/out/list.txt
if [ -f /app/extra ]; then
  cp /app/extra /app/out/extra.txt
fi
head -n 5 /app/out/list.txt > /app/out/top.txt
"""


def made(text: str, limit: int = 200) -> tuple[Mutant, ...]:
    return mutants_of(text_file("solve.sh", text), limit)


def applied(source: bytes) -> list[bytes]:
    return [source[: e.start] + e.new + source[e.end :] for e in python_edits(source)]


def test_shell_steps_values_paths_modes_and_order_are_altered() -> None:
    mutants = made(SHELL)
    assert {m.kind for m in mutants} == {"drop", "reorder", "value", "path", "permission"}
    told = {m.what for m in mutants}
    assert "without 'chmod 0640 /app/out/list.txt'" in told
    assert "mode 0640 -> 0666" in told
    assert "sort without -u" in told
    assert "/app/out/list.txt -> /app/out/list-other.txt" in told
    assert "5 -> 6" in told


def test_steps_that_only_prepare_are_not_dropped() -> None:
    dropped = [m.what for m in made(SHELL) if m.kind == "drop"]
    assert dropped
    assert not any("set -euo" in what or "mkdir" in what for what in dropped)


def test_a_mutant_names_the_line_it_alters() -> None:
    for mutant in made(SHELL):
        old, new = SHELL.splitlines(), mutant.script.text.splitlines()
        changed = next(
            (n for n, (a, b) in enumerate(zip(old, new, strict=False), 1) if a != b), len(new) + 1
        )
        assert mutant.line <= changed


def test_python_in_a_heredoc_counts_as_steps() -> None:
    told = {m.what for m in made(SOLVE)}
    assert any('json.dump(out, open("/app/out/totals.json", "w"))' in what for what in told)


def test_a_script_written_by_the_solution_is_altered_inside() -> None:
    text = "cat > /app/run.sh <<'END'\n#!/bin/bash\nsort -r /app/a > /app/b/c.txt\nEND\n"
    assert "sort without -r" in {m.what for m in made(text)}


@pytest.mark.parametrize("name", NAMES)
def test_every_good_task_gives_at_least_eight_mutants(name: str) -> None:
    script = good_task(name).solution.files.get("solve.sh")
    assert script is not None
    mutants = mutants_of(script, 40)
    assert len(mutants) >= 8
    assert len({m.script.data for m in mutants} | {script.data}) == len(mutants) + 1
    assert len({m.label for m in mutants}) == len(mutants)


def test_mutants_are_the_same_every_time_and_a_limit_takes_the_first() -> None:
    assert made(SHELL) == made(SHELL)
    assert made(SHELL, 5) == made(SHELL)[:5]


def test_kinds_come_in_turn() -> None:
    assert len({m.kind for m in made(SHELL)[:5]}) == 5


def test_altered_python_still_parses() -> None:
    source = b"""
import os
rows = [r for r in data if r["n"] >= 3 and r["name"].strip() == "a"]
rows.sort(key=lambda r: (-r["n"], r["name"]), reverse=True)
if rows:
    out.append(rows[0])
    os.chmod("/app/out/x", 0o755)
total = sum(a) - sum(b)
for r in rows:
    seen[r["name"]] = f"{r['n']:.2f} {total // 100}"
"""
    mutants = applied(source)
    assert len(mutants) > 12
    for mutant in mutants:
        ast.parse(mutant)
        assert mutant != source


def test_texts_for_people_and_manner_of_output_are_left_alone() -> None:
    source = (
        b'print("all done")\nf = open("/app/o/x", encoding="utf-8")\njson.dump(a, f, indent=2)\n'
    )
    told = [e.what for e in python_edits(source)]
    assert sorted(told) == ["/app/o/x -> /app/o/x-other", "without 'json.dump(a, f, indent=2)'"]


def test_a_mode_is_never_altered_into_itself() -> None:
    for bits in range(0o1000):
        mode = oct(bits)[2:].rjust(4, "0").encode()
        new = altered_mode(mode)
        assert len(new) == 4
        if bits:
            assert int(new, 8) != bits


def test_paths_of_the_system_and_scratch_paths_stay() -> None:
    text = b"/usr/bin/env /tmp/work/x /dev/null http://host/app/a/b /app/out/a.csv /app"
    assert [text[e.start : e.end] for e in path_edits(text)] == [b"/app/out/a.csv"]
    assert altered_path(b"/app/out/a.csv") == b"/app/out/a-other.csv"
    assert altered_path(b"/app/out/.hidden") == b"/app/out/.hidden-other"


def test_numbers_inside_words_and_paths_are_no_values() -> None:
    text = b"v1.2 /app/2024/x a7 10 <= 3"
    assert {text[e.start : e.end] for e in value_edits(text)} == {b"10", b"<=", b"3"}


def test_a_script_that_no_parser_takes_is_taken_by_lines() -> None:
    huge = "echo a > /app/out/a\n" * 20_000
    assert shell_parts(huge.encode()) is None
    assert {m.kind for m in made(huge, 10)} >= {"drop", "path"}


def test_a_parser_that_does_not_answer_in_time_gives_no_structure() -> None:
    assert shell_parts(SHELL.encode(), timeout_s=0.0001) is None


def test_parsing_runs_nothing(tmp_path: Path) -> None:
    target = tmp_path / "made"
    made(f'touch {target}\npython3 -c \'open("{target}", "w")\'\n')
    assert not target.exists()


def test_an_empty_script_gives_nothing() -> None:
    assert made("") == ()
    assert made("#!/bin/bash\n") == ()


@given(st.binary(max_size=400))
def test_python_edits_never_raise_and_stay_inside(source: bytes) -> None:
    for edit in python_edits(source):
        assert 0 <= edit.start <= edit.end <= len(source)


PIECES = st.sampled_from(
    ("if [ ]; then", "fi", "for i in", "do", "done", "<<EOF", "\nEOF\n", "python3 - <<'PY'\n")
    + ("\nPY\n", "cat > /app/out/x.txt", "| sort -r", "&&", ";;", "case a in", "$(", ")", "`", "'")
    + ('"', "{", "}", "\n", "chmod 0644 /app/out/a", "5", "\\", "#!/bin/bash", "x = [1, 2]\n")
    + ("\0", "\r", "é", "if a > 3: b()\n")
)


@settings(max_examples=40)
@given(st.lists(PIECES, max_size=25).map(" ".join))
def test_any_text_gives_mutants_that_differ_and_bring_no_carriage_return(text: str) -> None:
    script = TextFile(path="solve.sh", data=text.encode())
    for mutant in mutants_of(script, 30):
        assert mutant.script.data != script.data
        assert mutant.script.data.count(b"\r") <= script.data.count(b"\r") * 2
        assert (b"\r" in mutant.script.data) <= (b"\r" in script.data)
        assert mutant.script.path == "solve.sh"


@settings(max_examples=25)
@given(st.binary(max_size=200))
def test_any_bytes_are_survived(data: bytes) -> None:
    assert all(0 <= e.start <= e.end <= len(data) for e in edits(data))
