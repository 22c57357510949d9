"""Two final states: what is a difference and what is not."""

import json
from typing import Any

from facet.sandbox.base import Sandbox
from facet.sandbox.fake import FakeCommand, FakeEngine, FakeFile, FakeReply, FakeSandbox
from facet.statediff import FinalState, StateEntry, differences, equivalent, final_state, varying


def file(path: str, sha: str = "a", **more: Any) -> StateEntry:
    base = {"kind": "file", "mode": "0644", "owner": "root:root", "sha256": sha * 64}
    return StateEntry.model_validate({"path": path, **base, **more})


def folder(path: str, mode: str = "0755") -> StateEntry:
    return StateEntry(path=path, kind="dir", mode=mode, owner="root:root")


def state(*entries: StateEntry, complete: bool = True) -> FinalState:
    return FinalState(entries=entries, complete=complete)


def test_equal_entries_are_equivalent_whatever_their_order() -> None:
    left = state(file("/a"), file("/b", "b"))
    assert equivalent(left, state(file("/b", "b"), file("/a")))


def test_content_mode_owner_kind_and_target_are_differences() -> None:
    good = state(file("/a"))
    for other in (
        file("/a", "b"),
        file("/a", mode="0600"),
        file("/a", owner="ann:ann"),
        StateEntry(path="/a", kind="link", target="/b"),
        StateEntry(path="/a", kind="gone"),
    ):
        (found,) = differences(good, state(other))
        assert found.path == "/a"
        assert " | " in found.line
    links = [state(StateEntry(path="/a", kind="link", target=t)) for t in ("/b", "/c")]
    assert not equivalent(*links)


def test_what_only_one_state_holds_is_a_difference() -> None:
    (found,) = differences(state(file("/a")), state())
    assert found.right is None
    assert found.line.endswith("as in the image")


def test_a_folder_listed_for_its_content_is_no_difference_of_its_own() -> None:
    left = state(folder("/app"), file("/app/x"))
    assert [d.path for d in differences(left, state())] == ["/app/x"]
    assert [d.path for d in differences(state(folder("/app/empty")), state())] == ["/app/empty"]
    changed = differences(state(folder("/app", "0700")), state(folder("/app")))
    assert [d.path for d in changed] == ["/app"]


def test_what_varies_between_two_oracle_runs_is_set_aside() -> None:
    first, second = state(file("/log", "1"), file("/x")), state(file("/log", "2"), file("/x"))
    assert varying(first, second) == {"/log"}
    mutant = state(file("/log", "3"), file("/x"))
    assert not equivalent(first, mutant)
    assert equivalent(first, mutant, without=varying(first, second))


def test_a_file_nobody_could_read_equals_nothing() -> None:
    unread = state(file("/a", sha256=""))
    assert not equivalent(unread, unread)


def test_a_state_too_large_to_see_is_never_equivalent() -> None:
    assert not equivalent(state(complete=False), state(complete=False))


def answering(sandbox: FakeSandbox, command: FakeCommand) -> FakeReply:
    if any("probe.py" in word for word in command.argv):
        (plan,) = (p for p in sandbox.files if p.endswith("plan.json"))
        asked = json.loads(sandbox.files[plan].data)["paths"]
        seen = {"kind": "file", "size": 1, "mode": "0644", "owner": "root", "group": "root"}
        files = {path: {**seen, "sha256": "c" * 64} for path in asked}
        answer = {"files": files, "workdir": "/", "architecture": "x"}
        return FakeReply(stdout=json.dumps(answer).encode())
    return FakeReply()


def box_with(*paths: str) -> Sandbox:
    engine = FakeEngine(answering, images={"base": {"/old": FakeFile(data=b"x")}})
    made = engine.start("base")
    assert isinstance(made, FakeSandbox)
    for path in paths:
        made.files[path] = FakeFile(data=b"y")
    del made.files["/old"]
    return made


def test_the_state_of_a_container_leaves_noise_out() -> None:
    noise = ("/tmp/x", "/proc/1/x", "/app/__pycache__/m.pyc", "/root/.bash_history", "/run/x.pid")
    found = final_state(box_with("/app/result", "/template", *noise))
    assert [(e.path, e.kind) for e in found.entries] == [
        ("/app/result", "file"),
        ("/old", "gone"),
        ("/template", "file"),
    ]
    assert found.complete


def test_more_changes_than_the_limit_are_not_called_complete() -> None:
    found = final_state(box_with(*(f"/app/{n}" for n in range(20))), limit=5)
    assert len(found.entries) == 5
    assert not found.complete
