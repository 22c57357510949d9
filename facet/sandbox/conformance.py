"""One suite every sandbox engine must pass: `for check in CHECKS: check(engine, image)`.

`image` needs sh, sleep, mkfifo and coreutils. Commands are the named shell scripts of `SCRIPTS`, so
that the in-memory engine can be taught what each does. Each check raises AssertionError.
"""

import time
from collections.abc import Callable
from functools import partial

from facet.errors import BuildError, EngineError, SandboxGone
from facet.sandbox.base import Engine, ExecResult, PutFile, Sandbox, SandboxOptions
from facet.types.task import FileSet, text_file

SCRIPTS: dict[str, str] = {
    "unicode": "printf 'größe ✓ 漢字'",
    "silent": "true",
    "both": "printf out; printf err >&2; exit 7",
    "missing": "exec /no/such/command",
    "bytes": r"printf '\377\376ok'",
    "big": "head -c 30000000 /dev/zero | tr '\\0' x",
    "slow": "sleep 300 & sleep 300",
    "daemon": "(setsid sleep 301 >/dev/null 2>&1 </dev/null &) ; sleep 300",
    "stubborn": "trap '' TERM; sleep 302 & sleep 302; sleep 302",
    "holder": "sleep 303 & printf done",
    "background": "nohup sleep 304 >/dev/null 2>&1 & true",
    "env": 'printf "%s" "$COLOUR"',
    "where": "pwd",
    "who": "id -un",
    "odd files": (
        "mkdir -p /odd/dir && mkfifo /odd/fifo && ln -s /etc/passwd /odd/link"
        " && truncate -s 2G /odd/sparse && printf fine >/odd/plain && : >/odd/empty"
    ),
    "change": "printf new >/etc/added && rm /etc/passwd && printf x >>/etc/group",
}
SECONDS = 60.0  # generous: the host may be loaded


def script(name: str) -> tuple[str, ...]:
    """The command of a named script."""
    return ("sh", "-c", SCRIPTS[name])


def run(sandbox: Sandbox, name: str, timeout_s: float = SECONDS) -> ExecResult:
    """Run a named script."""
    return sandbox.exec(script(name), timeout_s=timeout_s)


def sleepers(sandbox: Sandbox) -> list[str]:
    """Commands of processes that a script left behind."""
    return [p.command for p in sandbox.processes() if "sleep 30" in p.command]


def settled(sandbox: Sandbox) -> list[str]:
    """What is left once the kernel has had time to remove the dead."""
    until = time.monotonic() + 10.0
    while sleepers(sandbox) and time.monotonic() < until:
        time.sleep(0.05)
    return sleepers(sandbox)


def unicode_output_arrives(engine: Engine, image: str) -> None:
    """Text beyond ASCII is not damaged; no output is "", not None."""
    with engine.start(image) as box:
        assert run(box, "unicode").stdout.text == "größe ✓ 漢字"
        silent = run(box, "silent")
        assert silent.ok
        assert silent.text == ""
        assert silent.stdout.bytes_total == 0


def streams_and_exit_code_are_kept_apart(engine: Engine, image: str) -> None:
    """stdout, stderr and a failing exit code are a result."""
    with engine.start(image) as box:
        result = run(box, "both")
        assert (result.exit, result.stdout.text, result.stderr.text) == (7, "out", "err")
        assert not result.timed_out
        assert run(box, "missing").exit == 127


def bytes_that_are_not_utf8_are_shown(engine: Engine, image: str) -> None:
    """They become U+FFFD and are counted."""
    with engine.start(image) as box:
        log = run(box, "bytes").stdout
        assert log.text == "��ok"
        assert log.bytes_total == 4


def huge_output_is_cut_and_counted(engine: Engine, image: str) -> None:
    """30 MB come back as at most the limit, with the number of bytes cut."""
    with engine.start(image) as box:
        result = box.exec(script("big"), timeout_s=SECONDS, max_output=10_000)
        assert result.ok
        assert result.stdout.bytes_total == 30_000_000
        assert result.stdout.bytes_cut == 30_000_000 - 10_000
        assert len(result.stdout.text) < 10_100
        assert "bytes cut" in result.stdout.text


def a_deadline_kills_the_whole_tree(engine: Engine, image: str) -> None:
    """Children and daemons of a late command end with it; what ran before goes on."""
    with engine.start(image) as box:
        assert run(box, "background").ok
        for name in ("slow", "daemon", "stubborn"):
            result = run(box, name, timeout_s=1.0)
            assert result.timed_out, name
            assert result.exit is None, name
            left = [c for c in settled_but(box, "sleep 304") if "304" not in c]
            assert left == [], (name, left)
        assert sleepers(box) == ["sleep 304"]
        assert run(box, "both").exit == 7


def settled_but(sandbox: Sandbox, spared: str) -> list[str]:
    """Like `settled`, once only this one command is left (its shell has become it)."""
    until = time.monotonic() + 10.0
    while sleepers(sandbox) != [spared] and time.monotonic() < until:
        time.sleep(0.05)
    return sleepers(sandbox)


def a_child_that_holds_stdout_delays_nothing(engine: Engine, image: str) -> None:
    """The command has ended when it has ended."""
    with engine.start(image) as box:
        result = run(box, "holder", timeout_s=SECONDS)
        assert result.ok
        assert result.stdout.text == "done"
        assert result.seconds < SECONDS / 2


def environment_workdir_and_user_are_set(engine: Engine, image: str) -> None:
    """Of the container, and of one command."""
    options = SandboxOptions(env=(("COLOUR", "blau"),), workdir="/tmp")
    with engine.start(image, options) as box:
        assert run(box, "env").stdout.text == "blau"
        assert run(box, "where").stdout.text.strip() == "/tmp"
        assert run(box, "who").stdout.text.strip() == "root"
        red = box.exec(
            script("env"), timeout_s=SECONDS, env={"COLOUR": "rot"}, workdir="/etc", user="nobody"
        )
        assert red.stdout.text == "rot"
        here = box.exec(script("where"), timeout_s=SECONDS, workdir="/etc")
        assert here.stdout.text.strip() == "/etc"
        who = box.exec(script("who"), timeout_s=SECONDS, user="nobody")
        assert who.stdout.text.strip() == "nobody"


def files_travel_unchanged(engine: Engine, image: str) -> None:
    """Any bytes, zero length, names with spaces and umlauts, missing parents."""
    names = {"/deep/er/größe ✓.bin": bytes(range(256)), "/deep/empty": b""}
    with engine.start(image) as box:
        box.put([PutFile(path=path, data=data) for path, data in names.items()])
        for path, data in names.items():
            assert box.read(path) == data
        box.put([PutFile(path="/deep/empty", data=b"now full")])
        assert box.read("/deep/empty") == b"now full"
        for wrong in ("relative", "/a/../b"):
            assert raises(ValueError, partial(box.put, [PutFile(path=wrong, data=b"")])), wrong


def only_regular_files_are_read(engine: Engine, image: str) -> None:
    """FIFO, link, device, folder, sparse 2 GB and nothing at all are refused at once."""
    with engine.start(image, SandboxOptions(fsize_mb=4096)) as box:
        assert run(box, "odd files").ok
        assert box.read("/odd/plain") == b"fine"
        assert box.read("/odd/empty") == b""
        for path in ("/odd/fifo", "/odd/link", "/odd/sparse", "/dev/null"):
            assert raises(ValueError, partial(box.read, path)), path
        assert raises(IsADirectoryError, lambda: box.read("/odd/dir"))
        assert raises(FileNotFoundError, lambda: box.read("/odd/nothing"))
        assert raises(ValueError, lambda: box.read("/odd/plain", max_bytes=3))


def a_folder_is_copied_whole_or_not_at_all(engine: Engine, image: str) -> None:
    """Files by name and bytes, links and FIFOs left out and named, too much refused at once."""
    with engine.start(image, SandboxOptions(fsize_mb=4096)) as box:
        assert run(box, "odd files").ok
        assert raises(ValueError, lambda: box.copy("/odd"))  # 2 GB sparse
        box.put(
            [PutFile(path=f"/out/{n}", data=n.encode(), mode=0o4755) for n in ("a b", "d/größe")]
        )
        found = box.copy("/out")
        assert found.folder
        assert {f.path: f.data for f in found.files} == {
            "/out/a b": b"a b",
            "/out/d/größe": "d/größe".encode(),
        }
        assert {f.mode for f in found.files} == {0o755}, "setuid bits stay behind"
        one = box.copy("/odd/plain")
        assert (one.folder, one.files[0].path, one.files[0].data) == (False, "/odd/plain", b"fine")
        for path in ("/odd/fifo", "/odd/link"):
            assert raises(ValueError, partial(box.copy, path)), path
        assert raises(FileNotFoundError, lambda: box.copy("/odd/nothing"))
        assert raises(ValueError, lambda: box.copy("/out", max_files=1))
        assert raises(ValueError, lambda: box.copy("/out", max_bytes=5))


def changes_name_what_differs(engine: Engine, image: str) -> None:
    """Added, modified and deleted paths, bounded."""
    with engine.start(image) as box:
        assert run(box, "change").ok
        found = {c.path: c.change for c in box.changes()}
        assert found["/etc/added"] == "added"
        assert found["/etc/passwd"] == "deleted"
        assert found["/etc/group"] == "modified"
        assert len(box.changes(limit=1)) == 1


def processes_can_be_ended(engine: Engine, image: str) -> None:
    """Everything but the container's own command; the container goes on."""
    with engine.start(image) as box:
        assert run(box, "background").ok
        assert settled_but(box, "sleep 304") == ["sleep 304"]
        box.end_processes()
        assert settled(box) == []
        assert box.alive()
        assert run(box, "unicode").ok
        box.end_processes()


def a_commit_keeps_the_files(engine: Engine, image: str) -> None:
    """A container of the snapshot holds what was written, and its image is removed."""
    with engine.start(image) as box:
        box.put([PutFile(path="/kept/file", data=b"state")])
        snapshot = box.commit()
    try:
        with engine.start(snapshot) as again:
            assert again.read("/kept/file") == b"state"
            assert not any(c.path == "/kept/file" for c in again.changes())
    finally:
        engine.remove_image(snapshot)
    assert engine.image(snapshot) is None
    engine.remove_image(snapshot)


def a_closed_container_is_gone(engine: Engine, image: str) -> None:
    """Using it is SandboxGone; closing it twice is fine."""
    box = engine.start(image)
    assert box.alive()
    box.close()
    box.close()
    assert not box.alive()
    assert raises(SandboxGone, lambda: run(box, "silent"))
    assert raises(SandboxGone, lambda: box.read("/etc/passwd"))
    assert raises(SandboxGone, lambda: box.put([PutFile(path="/x", data=b"")]))


def an_unknown_image_is_the_engines_trouble(engine: Engine, image: str) -> None:
    """No container can start from nothing."""
    assert engine.image("facet-conformance:absent") is None
    assert raises(EngineError, lambda: engine.start("facet-conformance:absent"))


def an_image_is_built_from_its_context(engine: Engine, image: str) -> None:
    """COPY and RUN work without network; the files are there."""
    context = FileSet(
        files=(
            text_file("Dockerfile", f"FROM {image}\nCOPY files/ /data/\n"),
            text_file("files/größe.txt", "inhalt"),
            text_file("files/run.sh", "#!/bin/sh\n", executable=True),
        )
    )
    built = engine.build(context)
    try:
        with engine.start(built) as box:
            assert box.read("/data/größe.txt") == b"inhalt"
    finally:
        engine.remove_image(built)


def a_broken_context_is_a_build_error(engine: Engine, image: str) -> None:
    """With the failing instruction named; never an EngineError."""
    broken = {
        f"FROM {image}\nRUN true\nRUN exit 3\nRUN true\n": "RUN exit 3",
        f"FROM {image}\nCOPY nothing /x\n": "COPY nothing /x",
        f"FROM {image}\nNONSENSE\n": "",
    }
    for dockerfile, line in broken.items():
        context = FileSet(files=(text_file("Dockerfile", dockerfile),))
        named = None
        try:
            engine.build(context)
        except BuildError as error:
            named = error.line
        assert named is not None, f"built: {dockerfile}"
        assert line in named, (line, named)
    assert raises(BuildError, lambda: engine.build(FileSet()))


def raises(kind: type[BaseException], call: Callable[[], object]) -> bool:
    """Does the call raise this error?"""
    try:
        call()
    except kind:
        return True
    return False


CHECKS: tuple[Callable[[Engine, str], None], ...] = (
    unicode_output_arrives,
    streams_and_exit_code_are_kept_apart,
    bytes_that_are_not_utf8_are_shown,
    huge_output_is_cut_and_counted,
    a_deadline_kills_the_whole_tree,
    a_child_that_holds_stdout_delays_nothing,
    environment_workdir_and_user_are_set,
    files_travel_unchanged,
    only_regular_files_are_read,
    a_folder_is_copied_whole_or_not_at_all,
    changes_name_what_differs,
    processes_can_be_ended,
    a_commit_keeps_the_files,
    a_closed_container_is_gone,
    an_unknown_image_is_the_engines_trouble,
    an_image_is_built_from_its_context,
    a_broken_context_is_a_build_error,
)
