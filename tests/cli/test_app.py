"""`facet app`: one line and an exit code where it cannot start; the command it becomes."""

import socket
import subprocess
import sys
from pathlib import Path

from facet.cli.app import command

ROOT = Path(__file__).resolve().parents[2]


def facet_app(*words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "facet.cli.main", "app", *words],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=300,
    )


def test_a_busy_port_is_one_line_that_says_what_to_do(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        done = facet_app("--port", str(port), "--workspace", str(tmp_path / "w"))
    assert done.returncode == 2
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert f"127.0.0.1:{port}" in line
    assert "--port" in line


def test_a_newer_workspace_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "version").write_text("999\n")
    done = facet_app("--workspace", str(tmp_path))
    assert done.returncode == 4
    (line,) = done.stderr.splitlines()
    assert "newer FACET" in line


def test_help_has_an_example() -> None:
    done = facet_app("--help")
    assert done.returncode == 0
    assert "Example: facet app" in done.stdout


def test_the_server_listens_only_where_it_was_told() -> None:
    words = command(Path("app.py"), "127.0.0.1", 8600)
    assert words[words.index("--server.address") + 1] == "127.0.0.1"
    assert words[words.index("--server.port") + 1] == "8600"
    settings = (ROOT / ".streamlit" / "config.toml").read_text()
    for needed in ('address = "127.0.0.1"', "gatherUsageStats = false", 'toolbarMode = "viewer"'):
        assert needed in settings
