"""A real server and a real browser. Conditions are waited for; nothing sleeps to be right."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from facet.launch import Launches
from facet.workspace import Workspace
from tests.conftest import missing

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 60
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


class Server:
    """The app on a free port; can be killed and started again on the same one."""

    def __init__(self, workspace: Path, log: Path) -> None:
        self._held = socket.socket()  # bound for as long as this lives: nobody else is given it
        self._held.bind(("127.0.0.1", 0))
        self._held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # but the app may listen
        self.port = int(self._held.getsockname()[1])
        self.workspace, self.log = workspace, log
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start and wait until it answers."""
        with self.log.open("ab") as out:
            self.process = subprocess.Popen(
                [
                    *(sys.executable, "-m", "facet.cli.main", "app"),
                    *("--port", str(self.port), "--workspace", str(self.workspace)),
                ],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                cwd=ROOT,
                env={**os.environ, "FACET_PERSON": "ana"},
            )
        end = time.monotonic() + PATIENCE_S
        while True:
            try:
                with urllib.request.urlopen(self.url + "/_stcore/health", timeout=5):
                    return
            except (urllib.error.URLError, OSError):
                if self.process.poll() is not None or time.monotonic() > end:
                    pytest.fail(f"the app did not start:\n{self.log.read_text()[-3000:]}")
                time.sleep(0.1)

    def free(self) -> None:
        """Give the port back."""
        self._held.close()

    def kill(self) -> None:
        """SIGKILL, as a crash or an impatient person would."""
        if self.process is not None and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """A server on an empty workspace, not started yet."""
    one = Server(tmp_path / "workspace", tmp_path / "server.log")
    yield one
    one.kill()
    one.free()
    if one.workspace.exists():  # runs live on without the server: end what a test left
        workspace = Workspace.open(one.workspace)
        for run in workspace.runs():
            Launches(workspace).cancel(run)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """Debian's chromium through Playwright; skips or fails where it is missing."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        missing("BROWSER", "no chromium on this machine: apt-get install chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing("BROWSER", "playwright is not installed: make dev")
        raise
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=path, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture
def new_page(chromium: Any) -> Iterator[Callable[[], Any]]:
    """Makes pages, each in a profile of its own."""
    contexts = []

    def make() -> Any:
        context = chromium.new_context(viewport={"width": 1280, "height": 900})
        context.set_default_timeout(PATIENCE_S * 1000)
        contexts.append(context)
        return context.new_page()

    yield make
    for context in contexts:
        context.close()


def visit(page: Any, url: str, wanted: Callable[[Any], Any]) -> Any:
    """Open an address until the wanted element is there; returns it.

    A container that starts elsewhere on the machine makes Chromium abort what it is loading
    (ERR_NETWORK_CHANGED); so a page that does not come up is loaded again.
    """
    from playwright.sync_api import Error

    end = time.monotonic() + PATIENCE_S
    while True:
        try:
            page.goto(url)
            found = wanted(page)
            found.wait_for(timeout=15_000)
            return found
        except Error:
            if time.monotonic() > end:
                raise
