"""The command line: quick help, one line per error, exit codes that mean something."""

import errno
import subprocess
import sys
from pathlib import Path

import pytest

from facet import __version__
from facet.cli import main as cli
from facet.errors import BaseMissing, Cancelled, FacetError, InputError, WorkspaceError

ROOT = Path(__file__).resolve().parents[2]
HEAVY = ("duckdb", "docker", "streamlit", "pandas", "anthropic", "openai", "sklearn", "plotly")


def run(*args: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "facet.cli.main", *args],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_help_imports_no_heavy_library_and_no_command() -> None:
    code = """
import sys
from facet.cli.main import main
try:
    main(["--help"])
except SystemExit as done:
    loaded = [n for n in sys.argv[1].split(",") if n in sys.modules]
    loaded += [n for n in sys.modules if n.startswith("facet.cli.") and n != "facet.cli.main"]
    print("loaded:", loaded, done.code)
"""
    done = subprocess.run(
        [sys.executable, "-c", code, ",".join(HEAVY)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )

    assert done.stdout.splitlines()[-1] == "loaded: [] 0"


def test_help_lists_every_command_and_group() -> None:
    text = run("--help").stdout

    assert all(key.split()[0] in text for key in cli.COMMANDS)
    assert all(c.help for c in cli.COMMANDS.values())


@pytest.mark.parametrize("key", cli.COMMANDS)
def test_every_command_has_help_with_an_example_and_a_workspace(key: str) -> None:
    done = run(*key.split(), "--help")

    assert done.returncode == 0
    assert f"facet {key}" in done.stdout
    assert "Example: facet" in " ".join(done.stdout.split())


def test_every_group_of_the_table_is_explained() -> None:
    assert {k.split()[0] for k in cli.COMMANDS if " " in k} <= set(cli.GROUPS)


def test_the_version_is_printed() -> None:
    assert run("--version").stdout == f"facet {__version__}\n"


def test_a_group_alone_lists_its_commands() -> None:
    done = run("skills")

    assert "import" in done.stdout + done.stderr


@pytest.mark.parametrize("args", [["nonsense"], ["--nonsense"], ["stats", "--nonsense"]])
def test_a_wrong_word_is_wrong_input(args: list[str]) -> None:
    done = run(*args)

    assert done.returncode == 2
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (FacetError("found wanting"), 1),
        (InputError("wrong"), 2),
        (BaseMissing("no base"), 3),
        (WorkspaceError("newer"), 4),
        (Cancelled("stopped"), 130),
        (KeyboardInterrupt(), 130),
        (OSError(errno.ENOSPC, "No space left on device", "/ws/blobs"), 4),
        (PermissionError(errno.EACCES, "Permission denied", "/ws"), 4),
        (InputError("a name with \x1b[2J\x9b31m in it"), 2),
    ],
)
def test_an_error_is_one_line_and_its_exit_code(
    error: BaseException,
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def failing() -> None:
        raise error

    monkeypatch.setattr("facet.cli.rebuild.rebuild", failing)
    with pytest.raises(SystemExit) as caught:
        cli.main(["rebuild"])

    out, err = capsys.readouterr()
    assert (caught.value.code, out) == (code, "")
    assert err.startswith("facet: ")
    assert err.count("\n") == 1
    assert err[:-1].isprintable()


def test_a_bug_keeps_its_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing() -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("facet.cli.rebuild.rebuild", failing)
    with pytest.raises(ZeroDivisionError):
        cli.main(["rebuild"])
