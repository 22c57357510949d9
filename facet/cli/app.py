"""`facet app`: the web app on this machine."""

import os
import socket
import sys
from pathlib import Path
from typing import Annotated

import typer

from facet.cli.common import WorkspaceOption, open_workspace, progress
from facet.config import child_environ, project_root
from facet.errors import InputError


def app(
    workspace: WorkspaceOption = None,
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")] = 8501,
    host: Annotated[
        str, typer.Option(help="Address to listen on; anything but 127.0.0.1 is seen by others.")
    ] = "127.0.0.1",
) -> None:
    """Open the curation app on http://localhost:8501 until Ctrl-C.

    An empty workspace shows the bundled sample. Example: facet app --port 8600 --workspace data/w
    """
    place = open_workspace(workspace)
    script = project_root() / "app.py"
    if not script.is_file():
        raise InputError(f"{script} is missing: install FACET again")
    _check_free(host, port)
    progress(f"FACET on http://{_name(host)}:{port}  workspace {place.root}  (Ctrl-C ends it)")
    os.chdir(script.parent)
    os.execve(
        sys.executable,
        command(script, host, port),
        child_environ(FACET_WORKSPACE=str(place.root)),
    )


def command(script: Path, host: str, port: int) -> list[str]:
    """The server's command line; everything else stands in .streamlit/config.toml."""
    return [
        sys.executable,
        "-m",
        "streamlit",
        "run",
        str(script),
        "--server.address",
        host,
        "--server.port",
        str(port),
        "--server.headless",
        "true",
        "--browser.gatherUsageStats",
        "false",
    ]


def _check_free(host: str, port: int) -> None:
    """Raises InputError with one line when nobody can listen there."""
    try:
        family, kind, proto, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, proto) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        raise InputError(
            f"cannot listen on {host}:{port} ({error.strerror}): end what uses it "
            f"or take another --port"
        ) from error


def _name(host: str) -> str:
    return "localhost" if host in ("127.0.0.1", "::1") else host
