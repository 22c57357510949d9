"""What commands share: the workspace and JSON options, and where progress and results go.

Results go to stdout, progress to stderr; the last line on stdout is a summary for people (with
`--json` stdout is one JSON document and nothing else).
"""

import json
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from facet.config import load_config
from facet.store import Store
from facet.workspace import Workspace

WorkspaceOption = Annotated[
    Path | None,
    typer.Option(
        "--workspace",
        help="Workspace folder (default: FACET_WORKSPACE, else data/workspace).",
        file_okay=False,
    ),
]
"""`--workspace DIR`; give it the default None and pass it to `open_workspace`."""

JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout.")]
"""`--json`; give it the default False."""


def open_workspace(path: Path | None, *, create: bool = True) -> Workspace:
    """The workspace that the option or the settings name; raises WorkspaceError."""
    return Workspace.open(path or load_config().workspace, create=create)


def notice(store: Store) -> None:
    """On stderr, when the index was damaged and had to be made again."""
    health = store.health()
    if health.notice and not health.in_memory:
        progress(health.notice)


def progress(line: str) -> None:
    """A line for people on stderr."""
    typer.echo(shown(line), err=True)


def result(line: str) -> None:
    """A line of the result on stdout."""
    typer.echo(shown(line))


def result_json(value: Any) -> None:
    """The whole result as one JSON document on stdout: no NaN, and no byte a terminal obeys."""
    try:
        text = json.dumps(value, ensure_ascii=False, indent=2, default=str, allow_nan=False)
    except ValueError:
        text = json.dumps(_finite(value), ensure_ascii=False, indent=2, default=str)
    typer.echo("".join(c if c.isprintable() or c == "\n" else _escaped(c) for c in text))


def shown(text: str) -> str:
    """Text of anybody as a terminal may show it: control characters but line ends become spaces.

    Names and texts of skills and tasks are other people's: an escape sequence in one must not
    colour, retitle or clear the reader's terminal.
    """
    return "".join(c if c.isprintable() or c == "\n" else " " for c in text)


def _escaped(char: str) -> str:
    return json.dumps(char)[1:-1] if ord(char) != 0x7F else "\\u007f"


def _finite(value: Any) -> Any:
    """NaN and infinities become null, as in the journal."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value


def table(rows: Iterable[Sequence[Any]], header: Sequence[str]) -> str:
    """Plain text columns, left aligned; control characters become spaces, None becomes "-"."""
    cells = [list(header), *([_cell(c) for c in row] for row in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    lines = [
        "  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in cells
    ]
    return "\n".join([lines[0], "  ".join("-" * w for w in widths), *lines[1:]])


def _cell(value: Any) -> str:
    text = f"{value:.6g}" if isinstance(value, float) else "-" if value is None else str(value)
    return "".join(c if c.isprintable() else " " for c in text)
