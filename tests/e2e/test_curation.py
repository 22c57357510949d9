"""Curation in a real browser: deep links, keys, kill -9, two people, hostile text."""

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from facet.curation import DWELL_S
from facet.journal import Journal
from tests.e2e.conftest import PATIENCE_S, Server, visit
from tests.world import World, make_world

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

NewPage = Callable[[], Any]


def decisions(workspace: Path) -> list[tuple[str, str, str]]:
    """(event id, task key, verdict) of every decision on disk."""
    return [
        (e.id, e.data["decision"]["task"], e.data["decision"]["verdict"])
        for e in Journal(workspace / "journal").read()
        if e.kind == "decision"
    ]


def until(question: Callable[[], bool]) -> None:
    """Wait for a condition."""
    end = time.monotonic() + PATIENCE_S
    while not question():
        assert time.monotonic() < end, "never happened"
        time.sleep(0.05)


def title(page: Any, text: str) -> Any:
    return page.get_by_role("heading", name=text, exact=True)


def open_task(page: Any, server: Server, key: str, name: str) -> None:
    """Deep link to a task, drawn to its end and on screen for longer than the dwell guard."""
    visit(page, f"{server.url}/task?task={key}", last)
    title(page, name).wait_for()
    settle(page)


def last(page: Any) -> Any:
    """The element of a task's page that is drawn last."""
    return page.get_by_role("button", name="Save note")


def settle(page: Any) -> None:
    """The page is drawn (its last element is there) and has been for a moment."""
    last(page).wait_for()
    page.wait_for_timeout(DWELL_S * 1000 + 700)


def saved(page: Any, server: Server, press: Callable[[], None]) -> str:
    """Press until the page calls it saved; returns the event id.

    A loaded machine may draw so late that the dwell guard refuses, or that the page does not listen
    yet; then a person presses again, which is safe as long as nothing was decided.
    """
    from playwright.sync_api import TimeoutError as Late

    before = len(decisions(server.workspace))
    shown = page.get_by_text(re.compile(r"Saved ev_[0-9a-f]{16}|Too quick")).first
    for _ in range(8):
        press()
        try:
            shown.wait_for(timeout=15_000)
        except Late:
            if len(decisions(server.workspace)) == before:
                continue
            shown.wait_for()
        if "Too quick" not in shown.inner_text():
            break
        settle(page)
    found = re.search(r"ev_[0-9a-f]{16}", shown.inner_text().replace("\u2060", ""))
    assert found is not None
    return found.group(0)


def test_a_decision_called_saved_survives_kill_9_and_is_there_once(
    server: Server, new_page: NewPage
) -> None:
    keys = make_world(server.workspace)
    server.start()
    page = new_page()
    open_task(page, server, keys["first"], "Total the orders")  # the first request is a deep link
    event = saved(page, server, lambda: page.keyboard.press("a"))
    server.kill()
    assert decisions(server.workspace) == [(event, keys["first"], "approve")]
    server.start()
    World(server.workspace, run="run-beside").valid("Made beside the app")
    page.get_by_text("3 to review").wait_for()  # the open page is drawn again by itself
    settle(page)
    page.keyboard.press("k")
    title(page, "Total the orders").wait_for()
    page.get_by_text("approved", exact=True).first.wait_for()
    assert decisions(server.workspace) == [(event, keys["first"], "approve")]


def test_keys_and_buttons_approve_reject_and_move(server: Server, new_page: NewPage) -> None:
    keys = make_world(server.workspace)
    server.start()
    page = new_page()
    open_task(page, server, keys["first"], "Total the orders")
    page.keyboard.press("j")
    title(page, "Report on the orders").wait_for()
    page.keyboard.press("k")
    title(page, "Total the orders").wait_for()
    settle(page)
    page.keyboard.press("2")  # one artifact large, and back
    page.wait_for_url(re.compile("part=environment"))
    page.get_by_role("button", name=re.compile("^Environment")).wait_for()
    settle(page)
    page.keyboard.press("x")
    page.get_by_text("Why is it rejected?").wait_for()
    settle(page)
    first = saved(page, server, lambda: page.keyboard.press("4"))
    title(page, "Report on the orders").wait_for()  # it went on to the next one
    settle(page)
    page.get_by_role("button", name=re.compile("^Approve")).click()
    until(lambda: len(decisions(server.workspace)) == 2)
    found = {key: (event, verdict) for event, key, verdict in decisions(server.workspace)}
    assert found[keys["first"]] == (first, "reject")
    assert found[keys["repaired"]][1] == "approve"


def test_a_held_key_does_not_decide_the_next_task(server: Server, new_page: NewPage) -> None:
    keys = make_world(server.workspace)
    server.start()
    page = new_page()
    open_task(page, server, keys["first"], "Total the orders")
    for _ in range(60):  # auto-repeat: keydown again and again without keyup, for 3 seconds
        page.keyboard.down("a")
        page.wait_for_timeout(50)
    page.keyboard.up("a")
    until(lambda: bool(decisions(server.workspace)))
    title(page, "Report on the orders").wait_for()
    settle(page)
    assert [(k, v) for _, k, v in decisions(server.workspace)] == [(keys["first"], "approve")]


def test_letters_typed_into_a_note_decide_nothing(server: Server, new_page: NewPage) -> None:
    keys = make_world(server.workspace)
    server.start()
    page = new_page()
    open_task(page, server, keys["first"], "Total the orders")
    box = page.get_by_placeholder("a note for the next reader")
    box.click()
    page.keyboard.type("a fax by jack: 1234")
    page.get_by_role("button", name="Save note").click()
    page.get_by_text("a fax by jack: 1234", exact=True).first.wait_for()
    assert decisions(server.workspace) == []


def test_hostile_titles_and_artifacts_are_text(server: Server, new_page: NewPage) -> None:
    keys = make_world(server.workspace)
    server.start()
    page = new_page()
    asked: list[str] = []
    page.on("request", lambda r: asked.append(r.url))
    page.on("dialog", lambda d: d.dismiss())
    visit(
        page,
        f"{server.url}/task?task={keys['hostile']}",
        lambda p: p.get_by_text("<script>document.title='owned'</script>").first,
    )
    heading = page.get_by_role("heading").filter(has_text="onerror=").first
    heading.wait_for()
    assert "<img src=x" in heading.inner_text().replace("\u2060", "")
    settle(page)
    assert "owned" not in page.title()
    assert page.locator("img[src='x']").count() == 0
    assert page.locator("a[href^='javascript']").count() == 0
    outside = [u for u in asked if not u.startswith((server.url, "data:", "blob:"))]
    assert outside == []


def test_two_people_on_one_task_both_count(server: Server, new_page: NewPage) -> None:
    keys = make_world(server.workspace)
    server.start()
    ana, bob = new_page(), new_page()
    open_task(ana, server, keys["first"], "Total the orders")
    open_task(bob, server, keys["first"], "Total the orders")
    bob.get_by_role("button", name="ana").click()
    name = bob.get_by_role("textbox", name="Your name")
    name.fill("bob")
    name.press("Enter")
    bob.keyboard.press("Escape")
    bob.get_by_role("button", name="bob").wait_for()
    settle(bob)
    saved(ana, server, ana.get_by_role("button", name=re.compile("^Approve")).click)
    bob.get_by_role("button", name=re.compile("^Reject")).click()
    saved(bob, server, bob.get_by_role("button", name=re.compile("verifier is too weak")).click)
    people = sorted(
        (e.person, e.data["decision"]["verdict"])
        for e in Journal(server.workspace / "journal").read()
        if e.kind == "decision"
    )
    assert people == [("ana", "approve"), ("bob", "reject")]
    open_task(ana, server, keys["first"], "Total the orders")
    ana.get_by_text(re.compile(r"split$")).first.wait_for()


def test_the_queue_shows_what_a_run_beside_it_writes(server: Server, new_page: NewPage) -> None:
    make_world(server.workspace)
    server.start()
    page = new_page()
    visit(page, server.url, lambda p: p.get_by_text("4 of 4 tasks"))
    World(server.workspace, run="run-beside").valid("Made beside the app")
    page.get_by_text("5 of 5 tasks").wait_for()


def pressed(page: Any, opened: Any) -> bool:
    """Press the first row; is its task open then?

    A table that moves or is drawn anew under the press does not see it: a person presses again.
    """
    from playwright.sync_api import TimeoutError as Late

    table = page.get_by_test_id("stDataFrame").first
    box = table.bounding_box() if table.is_visible() else None
    if box is not None:
        page.mouse.click(box["x"] + 250, box["y"] + 50)  # below the header
    try:
        opened.wait_for(timeout=10_000)
    except Late:
        return False
    return True


def test_a_row_opens_its_task_and_q_leads_back_to_stay(server: Server, new_page: NewPage) -> None:
    make_world(server.workspace)
    server.start()
    page = new_page()
    visit(page, server.url, lambda p: p.get_by_test_id("stDataFrame").first)
    page.get_by_text("4 of 4 tasks").wait_for()
    page.get_by_test_id("glide-cell-1-0").first.wait_for(state="attached")  # the rows are drawn
    opened = title(page, "Total the orders")
    until(lambda: opened.is_visible() or pressed(page, opened))
    settle(page)
    page.keyboard.press("q")
    page.get_by_text("4 of 4 tasks").wait_for()
    page.wait_for_timeout(3000)  # longer than a beat of the table: it must not jump back
    assert page.get_by_text("4 of 4 tasks").is_visible()
