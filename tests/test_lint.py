"""What is said about a task without running it; hostile scripts cannot hurt the reader."""

import sys
from pathlib import Path

import pytest

from facet import shell_parse
from facet.lint import lint
from facet.shell_parse import first_fault, shell_suspects
from facet.types.task import DeclaredCheck, Solution, Task, TextFile, text_file
from tests.golden import good_tasks

GOOD = good_tasks()[0]


def with_solve(text: str) -> Task:
    files = GOOD.solution.files.with_file(text_file("solve.sh", text, executable=True))
    return GOOD.replace("solution", Solution(files=files))


@pytest.mark.parametrize("task", good_tasks(), ids=lambda t: t.name)
def test_a_good_task_has_neither_faults_nor_remarks(task: Task) -> None:
    found = lint(task, shell_suspects)
    assert (found.faults, found.remarks) == ((), ())


@pytest.mark.parametrize("path", ["solve.sh", "partials/no-report.sh"])
def test_crlf_in_a_script_is_a_named_fault(path: str) -> None:
    """B60: named with its file and line; the bytes stay as they are."""
    files = GOOD.solution.files
    crlf = TextFile(path=path, data=files.text(path).replace("\n", "\r\n").encode())
    task = GOOD.replace("solution", Solution(files=files.with_file(crlf)))
    assert lint(task).faults == (f"solution/{path}:1: CRLF line ends; a shell cannot run it",)
    assert b"\r\n" in (task.solution.files.get(path) or crlf).data


def test_crlf_in_an_instruction_is_no_fault() -> None:
    crlf = GOOD.instruction.model_copy(update={"text": "Do it.\r\n"})
    assert lint(GOOD.replace("instruction", crlf)).faults == ()


def test_suspect_shell_is_a_remark_with_its_line_and_decides_nothing() -> None:
    found = lint(with_solve("#!/bin/bash\nif true; then\n  echo x\n"), shell_suspects)
    assert found.faults == ()
    assert found.remarks == ("solution/solve.sh: line 4: 'fi' is missing",)


def test_a_check_declared_twice_is_remarked() -> None:
    twice = (DeclaredCheck(id="a", title=""),) * 2
    verifier = GOOD.verifier.model_copy(update={"checks": twice})
    assert lint(GOOD.replace("verifier", verifier)).remarks == (
        "tests: check 'a' is declared 2 times",
    )


def test_good_scripts_are_absent_from_the_suspects() -> None:
    assert shell_suspects({"a.sh": b'#!/bin/bash\necho "$((1+1))" | sort\n'}) == {}


def test_a_parser_that_crashes_means_not_assessed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The child is replaced by one that dies of a signal, as the grammar does on some scripts."""
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nkill -SEGV $$\n")
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    assert shell_suspects({"a.sh": b"true"}) == {
        "a.sh": "not assessed: the parser did not survive it"
    }


def test_one_script_that_kills_the_parser_does_not_hide_the_others(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The child dies whenever it is given more than one script."""
    python = tmp_path / "python"
    real = sys.executable
    script = "#!/bin/sh\nin=$(cat)\ncase $in in *,*) kill -SEGV $$;; esac\n"
    python.write_text(script + f'echo "$in" | exec {real} "$@"\n')
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    assert shell_suspects({"a.sh": b"true", "b.sh": b"if x"}) == {
        "b.sh": "line 1: this does not parse"
    }


def test_a_parser_that_hangs_means_not_assessed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nexec sleep 60\n")
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    found = shell_suspects({"a.sh": b"true"}, timeout_s=0.2)
    assert found["a.sh"].startswith("not assessed")


def test_a_script_too_long_to_parse_is_not_assessed() -> None:
    data = b"#" * (shell_parse.MAX_SCRIPT + 1)
    assert "longer than" in shell_suspects({"a.sh": data})["a.sh"]


@pytest.mark.parametrize("data", [b"", b"\xff\xfe\x00", b"$(" * 200, b"((((", b"<<E\n", b"\r\n"])
def test_the_parser_answers_with_text_whatever_it_reads(data: bytes) -> None:
    found = shell_suspects({"x.sh": data})
    assert all(isinstance(v, str) and v for v in found.values())


def test_the_first_fault_is_the_first_one() -> None:
    assert first_fault(b"true\necho 'open\n").startswith("line 2")
