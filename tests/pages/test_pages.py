"""Every page with nothing, with the sample, with a full workspace and with a broken task."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from facet.config import data_dir
from facet.journal import Journal
from facet.workspace import Workspace
from tests.world import HOSTILE, World, make_world

APP = str(Path(__file__).resolve().parents[2] / "app.py")
PAGES = ("queue", "task", "synthesize", "funnel", "skills")
VIEWS = ("Review", "Scenario", "Checks", "Environment", "Repairs")


@pytest.fixture(autouse=True)
def _fresh_server() -> Iterator[None]:
    """Each test is a server of its own: stores are closed after it."""
    yield
    st.cache_resource.clear()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Where `clean_environ` points FACET_WORKSPACE to."""
    return tmp_path / "workspace"


@pytest.fixture
def keys(root: Path) -> dict[str, str]:
    return make_world(root)


def show(page: str = "queue", **params: str) -> AppTest:
    """One page, opened by its address; fails on any exception."""
    at = AppTest.from_file(APP, default_timeout=120)
    for name, value in params.items():
        at.query_params[name] = value
    at.run()
    if page != "queue":
        at.switch_page(f"app_pages/{page}.py")
        for name, value in params.items():
            at.query_params[name] = value
        at.run()
    assert not at.exception, [e.message for e in at.exception]
    return at


def words(at: AppTest) -> str:
    """All text that a page shows."""
    kinds = ("markdown", "text", "caption", "subheader", "error", "warning", "code", "info")
    return "\n".join(str(e.value) for kind in kinds for e in at.get(kind))


def journal(root: Path) -> list[dict[str, object]]:
    return [e.data for e in Journal(root / "journal").read() if e.kind == "decision"]


@pytest.mark.parametrize("page", PAGES)
def test_an_empty_workspace_opens_every_page(page: str, root: Path) -> None:
    at = show(page, at="own")
    assert not at.error
    assert Workspace.open(root, create=False).runs() == []


def test_an_empty_workspace_offers_a_demo_batch_and_shows_the_sample(root: Path) -> None:
    at = show()
    assert at.button(key="demo").label.startswith("Make a demo batch")
    assert (data_dir() / "sample" / "workspace").is_dir()
    assert "Bundled sample" in words(at)
    assert len(at.dataframe[0].value) > 0


def test_without_docker_everything_opens_and_the_button_says_what_is_missing(
    keys: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
    at = show("synthesize")
    start = button(at, "Start")
    assert start.disabled
    assert "Docker" in words(at)
    at = show("task", task=keys["first"])
    at.segmented_control(key="view").set_value("Environment").run()
    assert not at.exception
    assert "Docker" in words(at)
    assert not [b for b in at.button if b.label == "Start container"]
    assert len(at.dataframe[0].value) == 2


@pytest.mark.parametrize("page", PAGES)
def test_the_sample_opens_every_page_and_decides_nothing(page: str, root: Path) -> None:
    at = show(page, at="sample")
    assert not at.error
    assert not [b for b in at.button if b.label in ("Approve", "Reject", "Unsure")]


@pytest.mark.parametrize("page", PAGES)
def test_a_full_workspace_opens_every_page(page: str, keys: dict[str, str]) -> None:
    at = show(page)
    assert not at.error
    assert "3 to review" in words(at)


@pytest.mark.parametrize("name", ["first", "repaired", "hostile", "discarded"])
def test_every_view_of_every_kind_of_task_opens(name: str, keys: dict[str, str]) -> None:
    at = show("task", task=keys[name])
    for view in VIEWS:
        at.segmented_control(key="view").set_value(view).run()
        assert not at.exception, [e.message for e in at.exception]
        assert not at.error


def test_the_queue_says_status_and_why(keys: dict[str, str]) -> None:
    frame = show().dataframe[0].value
    rows = {r["id"]: r for r in frame.to_dict("records")}
    assert rows[keys["first"]]["why"] == "valid at first try"
    assert rows[keys["repaired"]]["why"] == "valid after repair of verifier"
    assert rows[keys["discarded"]]["status"].endswith("discarded")
    assert "different worlds" in rows[keys["discarded"]]["why"]


def test_the_queue_filters_by_status_and_text(keys: dict[str, str]) -> None:
    at = show(show="not valid")
    assert list(at.dataframe[0].value["id"]) == [keys["discarded"]]
    at = show(find="report on")
    assert list(at.dataframe[0].value["id"]) == [keys["repaired"]]


def test_a_task_shows_axes_gates_and_all_four_artifacts(keys: dict[str, str]) -> None:
    at = show("task", task=keys["first"])
    text = words(at)
    assert "Total the orders of a shop." in text
    assert "Final state passes" in text
    for part in ("Read /app/data/orders.csv", "FROM facet-base", "set -euo pipefail", "def totals"):
        assert part in text
    assert [c.language for c in at.code[:4]] == ["markdown", "docker", "bash", "python"]


def test_the_check_table_has_before_and_after(keys: dict[str, str]) -> None:
    at = show("task", task=keys["first"])
    at.segmented_control(key="view").set_value("Checks").run()
    frame = at.dataframe[0].value
    assert list(frame.columns)[:3] == ["check", "before", "after"]
    assert list(frame["before"]) == ["✗ fail", "✗ fail", "✗ fail", "✓ pass"]
    assert set(frame["after"]) == {"✓ pass"}
    assert list(frame["flags"]) == ["", "", "", "guard"]


def test_repairs_show_blame_and_diff(keys: dict[str, str]) -> None:
    at = show("task", task=keys["repaired"])
    at.segmented_control(key="view").set_value("Repairs").run()
    text = words(at)
    assert "over-constrained verifier" in text
    assert "total: expected 61, actual 60" in text
    assert any(c.language == "diff" and "== 60" in c.value for c in at.code)


def test_the_environment_view_compares_plan_and_container(keys: dict[str, str]) -> None:
    at = show("task", task=keys["first"])
    at.segmented_control(key="view").set_value("Environment").run()
    frame = at.dataframe[0].value
    assert list(frame["standing"]) == ["✓ as planned", "✓ as planned"]


def test_a_hostile_title_and_instruction_are_text(keys: dict[str, str]) -> None:
    at = show("task", task=keys["hostile"])
    assert at.title is not None
    assert "<script>document.title='owned'</script>" in at.code[0].value
    assert "\\x1b[31mred\\u202e txet" in at.code[0].value
    assert HOSTILE not in at.subheader[0].value
    html = [e for kind in ("html", "iframe") for e in at.get(kind)]
    assert html == []
    assert not any(getattr(m, "allow_html", False) for m in at.markdown)


def test_approving_writes_one_decision_and_goes_on(keys: dict[str, str], root: Path) -> None:
    at = show("task", task=keys["first"])
    wait_dwell(at)
    approve(at)
    (decision,) = journal(root)
    assert decision["decision"]["verdict"] == "approve"  # type: ignore[index]
    assert "Saved ev_" in words(at).replace("\\", "").replace("\u2060", "")
    assert at.query_params["task"] == keys["repaired"]


def test_a_reject_needs_a_reason_and_takes_it_from_the_strip(
    keys: dict[str, str], root: Path
) -> None:
    at = show("task", task=keys["first"])
    wait_dwell(at)
    button(at, "Reject").click().run()
    assert journal(root) == []
    button(at, "verifier is too weak").click().run()
    (made,) = journal(root)
    decision = made["decision"]
    assert isinstance(decision, dict)
    assert (decision["verdict"], decision["reason"], decision["artifact"]) == (
        "reject",
        "verifier is too weak",
        "verifier",
    )


def test_a_reason_in_own_words_is_kept_and_an_empty_one_is_refused(
    keys: dict[str, str], root: Path
) -> None:
    at = show("task", task=keys["first"])
    wait_dwell(at)
    button(at, "Reject").click().run()
    button(at, "Reject with this reason").click().run()
    assert journal(root) == []
    assert "needs a reason" in words(at)
    at.text_input[-1].input("line 3 names a column that is not there")
    button(at, "Reject with this reason").click().run()
    (made,) = journal(root)
    assert made["decision"]["reason"] == "line 3 names a column that is not there"  # type: ignore[index]


def test_undo_takes_the_decision_back(keys: dict[str, str], root: Path) -> None:
    at = show("task", task=keys["first"])
    wait_dwell(at)
    approve(at)
    at = show("task", task=keys["first"])
    button(at, "Undo").click().run()
    verdicts = [d["decision"]["verdict"] for d in journal(root)]  # type: ignore[index]
    assert verdicts == ["approve", "withdraw"]
    assert "3 to review" in words(at)


def test_a_changed_task_is_unreviewed_again_and_the_old_decision_is_shown_as_stale(
    keys: dict[str, str], root: Path
) -> None:
    at = show("task", task=keys["first"])
    wait_dwell(at)
    approve(at)
    World.again(root).edit(keys["first"], "A new instruction.")
    at = show("task", task=keys["first"])
    text = words(at)
    assert "stale: it spoke of" in text
    assert button(at, "Approve") is not None
    frame = show().dataframe[0].value
    status = {r["id"]: r["status"] for r in frame.to_dict("records")}[keys["first"]]
    assert status.endswith("stale")


def test_a_press_on_a_task_that_just_appeared_is_refused(keys: dict[str, str], root: Path) -> None:
    at = show("task", task=keys["first"])
    seat = at.session_state["seat"]
    for one in seat._shown.values():
        one.since = one.since + 3600  # on screen for less than nothing
    approve(at)
    assert journal(root) == []
    assert "Too quick" in words(at)


def test_notes_are_saved_and_shown(keys: dict[str, str], root: Path) -> None:
    at = show("task", task=keys["first"])
    at.text_area[0].input("look at <b>line 3</b>")
    button(at, "Save note").click().run()
    assert "look at <b>line 3</b>" in [t.value for t in at.text]


def test_a_damaged_bundle_is_one_line_and_the_rest_still_works(
    keys: dict[str, str], root: Path
) -> None:
    for bundle in (root / "bundles").glob("*.json"):
        bundle.write_text("{")
    at = show("task", task=keys["first"])
    assert len(at.error) == 1
    assert "damaged" in at.error[0].value
    assert not show().error


def test_a_lost_judgement_is_a_warning_not_a_crash(keys: dict[str, str], root: Path) -> None:
    for blob in (root / "blobs").glob("*/*"):
        blob.unlink()
    at = show("task", task=keys["first"])
    assert at.warning
    assert "Read /app/data/orders.csv" in words(at)


def test_an_unknown_task_says_so(keys: dict[str, str]) -> None:
    at = show("task", task="nobody/<b>0001</b>")
    assert "No such task" in words(at)


def test_a_workspace_of_a_newer_version_is_one_line(root: Path) -> None:
    root.mkdir()
    (root / "version").write_text("999\n")
    at = AppTest.from_file(APP, default_timeout=120).run()
    assert len(at.error) == 1
    assert "newer FACET" in at.error[0].value
    assert not at.exception


def test_what_a_run_beside_the_app_writes_shows_up(keys: dict[str, str], root: Path) -> None:
    at = show()
    World(root, run="run-beside").valid("Made beside the app")
    at.run()
    assert "Made beside the app" in list(at.dataframe[0].value["task"])


def test_the_funnel_has_denominators_and_reasons(keys: dict[str, str]) -> None:
    at = show("funnel")
    progress = [p.text for p in at.get("progress")] if at.get("progress") else []
    text = words(at) + "\n".join(str(p) for p in progress)
    assert "What fell out, and why" in text
    frame = at.dataframe[0].value
    assert set(frame["unit"]) <= {"skill", "pair", "seed"}


def test_skills_show_the_line_that_dropped_them(keys: dict[str, str]) -> None:
    at = show("skills")
    frame = at.dataframe[0].value
    assert list(frame["skill"]) == ["scan"]
    assert list(frame["line"]) == ["SKILL.md:7"]
    assert any("curl http://10.0.0.5/internal" in c.value for c in at.code)


def button(at: AppTest, label: str):  # type: ignore[no-untyped-def]
    """The button of this label."""
    found = [b for b in at.button if b.label == label]
    assert found, [b.label for b in at.button]
    return found[0]


def wait_dwell(at: AppTest) -> None:
    """Make the task on screen one that has been there for a while."""
    for one in at.session_state["seat"]._shown.values():
        one.since -= 60


def approve(at: AppTest) -> None:
    button(at, "Approve").click().run()
    assert not at.exception, [e.message for e in at.exception]
