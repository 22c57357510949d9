"""The demo-batch button: a real run beside the app, shown live, cancelled and resumable."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from facet.base_images import base_ready
from facet.errors import EngineError
from facet.sandbox.docker import DockerEngine
from tests.conftest import missing
from tests.e2e.conftest import PATIENCE_S, Server, visit

pytestmark = [pytest.mark.browser, pytest.mark.docker, pytest.mark.timeout(420)]


def test_a_demo_batch_fills_in_live_and_can_be_cancelled_and_resumed(
    server: Server, new_page: Callable[[], Any], docker_server: str
) -> None:
    try:
        base_ready(DockerEngine("tests"))
    except EngineError as error:
        missing("DOCKER", str(error))
    from playwright.sync_api import Error

    server.start()
    page = new_page()
    button = visit(page, server.url, lambda p: p.get_by_role("button", name="Make a demo batch"))
    button.click()
    page.get_by_text(re.compile(r"\d of 4 ended, \d valid")).wait_for()
    page.get_by_text(re.compile(r"(running|finished)$")).first.wait_for()
    page.get_by_text(re.compile(r"[1-4] of 4 ended")).wait_for(timeout=4 * PATIENCE_S * 1000)
    whole = page.get_by_text(re.compile(r"4 of 4 ended")).first
    stopped = page.get_by_role("button", name="Resume").or_(whole)
    if not whole.is_visible():
        try:  # the batch may end under the hand that cancels it
            page.get_by_role("button", name="Cancel").click(timeout=PATIENCE_S * 1000)
        except Error:
            whole.wait_for()
        stopped.first.wait_for(timeout=2 * PATIENCE_S * 1000)
    visit(page, server.url, lambda p: p.get_by_text(re.compile(r"[1-4] of [1-4] tasks")))
