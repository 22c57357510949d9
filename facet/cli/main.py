"""Entry point of `facet`: a table of commands, each loaded only when it is called.

`facet --help` prints the table and imports no command. A command is a plain Typer function; the
folder, JSON and table helpers they share are in `facet.cli.common`. Errors of `facet.errors` end
as one line on stderr and the exit code of their class, and so does a disk that is full or a
folder that may not be written; any other exception is a bug and keeps its traceback.

Exit codes: 0 good, 1 judged and found wanting, 2 wrong input, 3 engine missing, 4 workspace,
130 cancelled.
"""

import errno
import sys
from collections.abc import Callable, Sequence
from functools import wraps
from importlib import import_module
from typing import Annotated, Any, NamedTuple

import typer

from facet import __version__
from facet.errors import Cancelled, FacetError, WorkspaceError


class Command(NamedTuple):
    """Where a command lives, and the line that `facet --help` shows for it."""

    target: str  # "module:function"
    help: str


COMMANDS: dict[str, Command] = {
    "doctor": Command("facet.cli.doctor:doctor", "Tell what is here and what mends the rest."),
    "run": Command("facet.cli.run:run", "Make tasks from skills: the whole line, resumable."),
    "skills import": Command(
        "facet.cli.skills:skills_import", "Read and screen skill packages into the workspace."
    ),
    "app": Command("facet.cli.app:app", "Open the curation app on http://localhost:8501."),
    "stats": Command(
        "facet.cli.stats:stats", "Show the funnel of a run, with the reason of every drop."
    ),
    "sql": Command("facet.cli.sql:sql", "Query the documented views, read-only."),
    "rebuild": Command("facet.cli.rebuild:rebuild", "Make the database again from the journal."),
    "validate": Command(
        "facet.cli.validate:command", "Judge any Harbor task folder by the seven gates."
    ),
    "repair": Command(
        "facet.cli.repair:repair", "Start one repair round from a person's finding on a task."
    ),
    "accept": Command(
        "facet.cli.accept:command", "Judge a delivery by a buyer's spec, with one report."
    ),
    "export": Command(
        "facet.cli.export:export", "Write validated tasks as folders that stock Harbor runs."
    ),
    "selftest": Command(
        "facet.cli.selftest:selftest", "Judge planted defects and good tasks; count right verdicts."
    ),
    "base build": Command("facet.cli.base:build", "Build the base image and the grading runner."),
}
"""Every command, `"group name"` for those in a group. A new command is one line here, e.g.
`"stats": Command("facet.cli.stats:stats", "Show the funnel of a run.")`."""

GROUPS: dict[str, str] = {
    "base": "Base images and the grading runner.",
    "skills": "Skill packages, the raw material.",
}
"""What each group is for."""

HOST_TROUBLE: dict[int, str] = {
    errno.ENOSPC: "free some space and call it again; what was saved is kept",
    errno.EDQUOT: "free some space and call it again; what was saved is kept",
    errno.EROFS: "give a folder that can be written",
    errno.EACCES: "give a folder that this user can write",
    errno.EPERM: "give a folder that this user can write",
    errno.EMFILE: "raise the limit on open files (ulimit -n)",
}
"""Trouble of the machine that no single place can foresee, and what to do about it."""


def load(command: Command) -> Callable[..., Any]:
    """Import a command's module and return its function, Ctrl-C turned into `Cancelled`."""
    module, _, name = command.target.partition(":")
    function: Callable[..., Any] = getattr(import_module(module), name)

    @wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except KeyboardInterrupt as error:
            raise Cancelled("cancelled; what was finished is kept") from error

    return run


def chosen(argv: Sequence[str]) -> str:
    """The key of `COMMANDS` that these arguments call, "" if none."""
    words = [a for a in argv if not a.startswith("-")][:2]
    for key in (" ".join(words), words[0] if words else ""):
        if key in COMMANDS:
            return key
    return ""


def build_app(argv: Sequence[str]) -> typer.Typer:
    """A Typer app that lists every command and has loaded the one that `argv` calls."""
    app = typer.Typer(
        name="facet",
        help="Public agent skills become validated terminal tasks; people curate them in one app.",
        add_completion=False,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback()(_globals)
    groups: dict[str, typer.Typer] = {}
    wanted = chosen(argv)
    for key, command in COMMANDS.items():
        group, _, name = key.rpartition(" ")
        if group and group not in groups:
            groups[group] = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
            groups[group].callback()(_nothing)
            app.add_typer(groups[group], name=group, help=GROUPS[group])
        owner = groups[group] if group else app
        if key == wanted:
            owner.command(name, short_help=command.help)(load(command))
        else:
            owner.command(name, help=command.help)(_placeholder(key))
    return app


def _placeholder(key: str) -> Callable[[], None]:
    def listed_only() -> None:
        raise AssertionError(f"{key} is listed but was not loaded")

    return listed_only


def _nothing() -> None:
    pass


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"facet {__version__}")
        raise typer.Exit


def _globals(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    pass


def main(argv: Sequence[str] | None = None) -> None:
    """Run one command and exit the process with its code (always raises SystemExit)."""
    args = list(sys.argv[1:] if argv is None else argv)
    try:
        build_app(args)(args=args, prog_name="facet")
    except FacetError as error:
        _say(str(error))
        raise SystemExit(error.exit_code) from error
    except OSError as error:
        if error.errno not in HOST_TROUBLE:
            raise
        where = f" ({error.filename})" if error.filename else ""
        _say(f"{error.strerror}{where}: {HOST_TROUBLE[error.errno]}")
        raise SystemExit(WorkspaceError.exit_code) from error


def _say(message: str) -> None:
    """An error as one line on stderr; what its text quotes cannot steer the terminal."""
    sys.stdout.flush()
    line = " ".join(message.split())
    typer.echo(f"facet: {''.join(c if c.isprintable() else ' ' for c in line)}", err=True)


if __name__ == "__main__":
    main()
