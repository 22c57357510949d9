"""Resources: fetched once, checked, bounded; what is wrong is blamed on the right side."""

import hashlib
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from facet.assemble import environment_from
from facet.errors import BuildError, EngineError
from facet.resources import FetchPolicy, fetch, with_resources
from facet.types.manifest import Manifest, PlannedFile, Resource

DATA = b"id,name\n1,Ada\n"
LOCAL = FetchPolicy(private_hosts=True, max_redirects=3, timeout_s=30)


class Files(BaseHTTPRequestHandler):
    """/data answers, /to/N redirects N times, /loop for ever, /big endlessly, /N with status N."""

    asked: list[str]

    def do_GET(self) -> None:
        type(self).asked.append(self.path)
        word = self.path.strip("/")
        if word == "data":
            self._answer(200, DATA)
        elif word.startswith("to/"):
            left = int(word[3:])
            self._answer(302, b"", "/data" if left <= 1 else f"/to/{left - 1}")
        elif word == "loop":
            self._answer(302, b"", "/loop")
        elif word == "file":
            self._answer(302, b"", "file:///etc/passwd")
        elif word == "big":
            self.send_response(200)
            self.end_headers()
            try:
                for _ in range(10_000):
                    self.wfile.write(b"x" * 10_000)
            except OSError:
                return
        elif word == "short":
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b"only this")
        else:
            self._answer(int(word), b"")

    def _answer(self, status: int, body: bytes, location: str = "") -> None:
        self.send_response(status)
        if location:
            self.send_header("Location", location)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Silence."""


class Server:
    """A local server and what it was asked for."""

    def __init__(self) -> None:
        self.handler = type("Handler", (Files,), {"asked": []})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self.handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def asked(self) -> list[str]:
        return list(self.handler.asked)

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.stop()


def resource(url: str, data: bytes = DATA, **more: object) -> Resource:
    fields = {"name": "data.csv", "url": url, "sha256": hashlib.sha256(data).hexdigest(), **more}
    return Resource.model_validate(fields)


def test_a_resource_is_fetched_once_and_outlives_its_server(tmp_path: Path) -> None:
    server = Server()
    wanted = resource(f"{server.url}/data")
    assert fetch(wanted, policy=LOCAL, cache=tmp_path) == DATA
    server.stop()
    assert fetch(wanted, policy=LOCAL, cache=tmp_path) == DATA
    assert server.asked == ["/data"]


def test_a_damaged_copy_in_the_cache_is_fetched_again(server: Server, tmp_path: Path) -> None:
    wanted = resource(f"{server.url}/data")
    fetch(wanted, policy=LOCAL, cache=tmp_path)
    (tmp_path / "resources" / wanted.sha256).write_bytes(b"rotten")
    assert fetch(wanted, policy=LOCAL, cache=tmp_path) == DATA
    assert len(server.asked) == 2


def test_a_copy_put_beside_the_workspace_needs_no_network(tmp_path: Path) -> None:
    wanted = resource("http://nowhere.invalid/data")
    (tmp_path / wanted.sha256).write_bytes(DATA)
    assert fetch(wanted, cache=tmp_path / "cache", more_caches=(tmp_path,)) == DATA


def test_redirects_are_followed_up_to_a_bound(server: Server, tmp_path: Path) -> None:
    assert fetch(resource(f"{server.url}/to/3"), policy=LOCAL, cache=tmp_path) == DATA
    with pytest.raises(BuildError, match="more than 3 redirects"):
        fetch(resource(f"{server.url}/loop", b"other"), policy=LOCAL, cache=tmp_path)
    assert len(server.asked) == 8


@pytest.mark.parametrize(
    ("path", "more", "reason"),
    [
        ("data", {"sha256": "0" * 64}, "has sha256"),
        ("data", {"sha256": "short"}, "not a sha256"),
        ("data", {"max_bytes": 5}, "longer than 5 bytes"),
        ("big", {"max_bytes": 100_000}, "longer than 100000 bytes"),
        ("file", {}, "redirected to a file|not allowed"),
        ("404", {}, "answers 404"),
    ],
)
def test_a_wrong_resource_is_the_plans_fault(
    server: Server, tmp_path: Path, path: str, more: dict[str, object], reason: str
) -> None:
    with pytest.raises(BuildError, match=reason):
        fetch(resource(f"{server.url}/{path}", **more), policy=LOCAL, cache=tmp_path)
    assert not list(tmp_path.rglob("resources/*"))


@pytest.mark.parametrize("path", ["500", "503", "429", "short"])
def test_a_server_in_trouble_is_ours(server: Server, tmp_path: Path, path: str) -> None:
    with pytest.raises((EngineError, BuildError)) as caught:
        fetch(resource(f"{server.url}/{path}"), policy=LOCAL, cache=tmp_path)
    assert caught.type is EngineError


def test_a_server_that_does_not_answer_is_ours(tmp_path: Path) -> None:
    with socket.socket() as silent:  # bound, so that no other server gets this port meanwhile
        silent.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/data"
        with pytest.raises(EngineError, match="cannot be reached"):
            fetch(resource(url), policy=LOCAL, cache=tmp_path)


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:9/x",
        "http://[::1]/x",
        "http://169.254.169.254/latest",
        "http://10.0.0.1/",
        "http://user:secret@127.0.0.1/",
        "file:///etc/passwd",
        "ftp://example.org/x",
        "gopher://x",
        "http:///nohost",
        "http://127.0.0.1:99999/",
        "",
    ],
)
def test_private_and_odd_addresses_are_refused_unasked(tmp_path: Path, url: str) -> None:
    with pytest.raises(BuildError):
        fetch(resource(url), cache=tmp_path)


def test_a_file_address_needs_an_allowed_folder(tmp_path: Path) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out"
    for folder in (inside, outside):
        folder.mkdir()
        (folder / "data").write_bytes(DATA)
    (inside / "link").symlink_to(outside / "data")
    policy = FetchPolicy(schemes=("file",), file_roots=(inside,))
    good = resource((inside / "data").as_uri())
    assert fetch(good, policy=policy, cache=tmp_path / "a") == DATA
    for path in (outside / "data", inside / "link", inside / ".." / "out" / "data"):
        with pytest.raises(BuildError, match="outside"):
            fetch(resource(f"file://{path}"), policy=policy, cache=tmp_path / "b")


def test_resources_come_into_the_build_context(server: Server, tmp_path: Path) -> None:
    plan = Manifest(
        files=(PlannedFile(path="/app/data.csv", resource="data.csv"),),
        resources=(resource(f"{server.url}/data"),),
    )
    bare = environment_from(plan)
    full = with_resources(bare, policy=LOCAL, cache=tmp_path)
    found = full.files.get("resources/data.csv")
    assert found is not None
    assert found.data == DATA
    assert with_resources(full, cache=tmp_path / "empty") == full
