"""The real SDKs against a real local server: what every failure of an API becomes."""

import json
from typing import Any

import pytest

from facet.config import load_config
from facet.errors import InputError, ModelUnavailable, ReplyError
from facet.llm.anthropic import AnthropicProvider
from facet.llm.base import Provider, Request
from facet.llm.openai import OpenAIProvider
from facet.llm.registry import FORMS, provider
from facet.llm.retrying import Policy, retry_after
from facet.llm.schema import parse_reply
from facet.prompts import Prompts
from facet.types.asks import AxesAsk
from facet.types.scenario import Axes
from tests.asks import AXES, example
from tests.llm.server import Answer, Server, answering, chat, error, events_answer, stream

ASK = example(AxesAsk)
RENDERED = Prompts().render(ASK)
REQUEST = Request(ASK, RENDERED.messages, RENDERED.template, 900)
GOOD = AXES.to_json()
KINDS = ("anthropic", "openai")


def make(kind: str, server: Server, slept: list[float] | None = None) -> Provider:
    naps = slept if slept is not None else []
    policy = Policy(attempts=3)
    if kind == "anthropic":
        return AnthropicProvider(
            "m", key="k", base_url=server.url, policy=policy, sleep=naps.append, timeout_s=60
        )
    return OpenAIProvider(
        "m", key="k", base_url=server.url + "/v1", policy=policy, sleep=naps.append, timeout_s=60
    )


def good(kind: str, reply: Any = GOOD) -> Answer:
    return stream(reply) if kind == "anthropic" else chat(json.dumps(reply))


@pytest.mark.parametrize("kind", KINDS)
def test_a_reply_comes_back_with_its_tokens(kind: str) -> None:
    with answering(good(kind)) as server:
        done = make(kind, server).complete(REQUEST)
    assert parse_reply(Axes, done.text) == AXES
    assert (done.usage.input_tokens, done.usage.cached_tokens, done.usage.output_tokens) == (
        100,
        40,
        20,
    )
    assert done.usage.retries == 0
    assert done.problem == ""


def test_anthropic_is_asked_by_a_forced_tool_with_the_reply_schema_and_a_cached_system() -> None:
    with answering(good("anthropic")) as server:
        make("anthropic", server).complete(REQUEST)
    sent = server.requests[0]
    assert sent["tool_choice"] == {"type": "tool", "name": "reply"}
    assert sent["tools"][0]["input_schema"]["title"] == "Axes"
    assert sent["system"][0]["cache_control"] == {"type": "ephemeral"}
    assert [m["role"] for m in sent["messages"]] == ["user"]
    assert sent["max_tokens"] == 900


def test_openai_is_asked_by_json_schema() -> None:
    with answering(good("openai")) as server:
        make("openai", server).complete(REQUEST)
    sent = server.requests[0]
    assert sent["response_format"]["json_schema"]["schema"]["title"] == "Axes"
    assert [m["role"] for m in sent["messages"]] == ["system", "user"]


def test_a_compatible_server_without_schemas_is_asked_for_an_object_then_for_text() -> None:
    refusal = Answer(400, b'{"error":{"message":"response_format is not supported"}}')
    with answering(refusal, refusal, good("openai"), good("openai")) as server:
        asked = make("openai", server)
        asked.complete(REQUEST)
        asked.complete(REQUEST)
    formats = [r.get("response_format", {}).get("type") for r in server.requests]
    assert formats == ["json_schema", "json_object", None, None]


@pytest.mark.parametrize("kind", KINDS)
def test_a_rate_limit_is_waited_out_as_long_as_the_server_asks(kind: str) -> None:
    slept: list[float] = []
    limit = error(429, "rate_limit_error", retry_after="7")
    with answering(limit, good(kind)) as server:
        done = make(kind, server, slept).complete(REQUEST)
    assert slept == [7.0]
    assert done.usage.retries == 1


@pytest.mark.parametrize("status", [500, 503, 529])
@pytest.mark.parametrize("kind", KINDS)
def test_an_overloaded_server_is_tried_again_with_growing_waits(kind: str, status: int) -> None:
    slept: list[float] = []
    with answering(error(status), error(status), good(kind)) as server:
        make(kind, server, slept).complete(REQUEST)
    assert len(slept) == 2
    assert 1.0 <= slept[0] <= 2.0
    assert slept[1] > 1.9


@pytest.mark.parametrize("kind", KINDS)
def test_an_outage_that_stays_is_unavailable_not_a_bad_reply(kind: str) -> None:
    with (
        answering(*[error(503)] * 3) as server,
        pytest.raises(ModelUnavailable, match="3 attempts"),
    ):
        make(kind, server).complete(REQUEST)


@pytest.mark.parametrize("kind", KINDS)
def test_a_server_that_asks_to_wait_an_hour_makes_the_work_owed_at_once(kind: str) -> None:
    slept: list[float] = []
    with (
        answering(error(429, retry_after="3600")) as server,
        pytest.raises(ModelUnavailable, match="3600"),
    ):
        make(kind, server, slept).complete(REQUEST)
    assert slept == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_refused_key_is_one_line_and_never_tried_again(kind: str) -> None:
    with (
        answering(error(401, "authentication_error")) as server,
        pytest.raises(ModelUnavailable, match="key is missing or refused") as raised,
    ):
        make(kind, server).complete(REQUEST)
    assert "\n" not in str(raised.value)
    assert len(server.requests) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_an_unknown_model_is_unavailable_and_names_it(kind: str) -> None:
    with answering(error(404)) as server, pytest.raises(ModelUnavailable, match=f"{kind}:m"):
        make(kind, server).complete(REQUEST)


@pytest.mark.parametrize("kind", KINDS)
def test_a_request_the_server_cannot_take_is_a_reply_error(kind: str) -> None:
    with answering(error(413, "too_large")) as server, pytest.raises(ReplyError, match="413"):
        make(kind, server).complete(REQUEST)


@pytest.mark.parametrize("kind", KINDS)
def test_an_account_without_credit_is_unavailable(kind: str) -> None:
    broke = Answer(400, b'{"error":{"type":"x","message":"credit balance is too low"}}')
    with answering(broke) as server, pytest.raises(ModelUnavailable, match="credit"):
        make(kind, server).complete(REQUEST)


@pytest.mark.parametrize("kind", KINDS)
def test_an_answer_cut_in_the_middle_is_tried_again(kind: str) -> None:
    whole = good(kind)
    cut = whole._replace(cut=len(whole.body) // 2)
    with answering(cut, good(kind)) as server:
        done = make(kind, server).complete(REQUEST)
    assert parse_reply(Axes, done.text) == AXES
    assert done.usage.retries == 1


def test_a_stream_that_ends_politely_without_its_end_is_tried_again() -> None:
    whole = stream(GOOD)
    body = whole.body[: whole.body.index(b"event: message_delta")]
    with answering(whole._replace(body=body), stream(GOOD)) as server:
        done = make("anthropic", server).complete(REQUEST)
    assert done.usage.retries == 1


def test_an_overload_inside_a_stream_is_tried_again() -> None:
    trouble = {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}
    with answering(events_answer([trouble]), stream(GOOD)) as server:
        done = make("anthropic", server).complete(REQUEST)
    assert done.usage.retries == 1


@pytest.mark.parametrize(
    "body", [b"<html>proxy</html>", b'{"choices": 1}', b'{"choices": []}', b"\xff"]
)
def test_a_body_that_is_no_completion_is_a_reply_error(body: bytes) -> None:
    with answering(Answer(200, body)) as server, pytest.raises(ReplyError):
        make("openai", server).complete(REQUEST)


def test_a_page_of_html_in_place_of_a_stream_is_no_reply() -> None:
    page = Answer(200, b"<html>proxy</html>", {"content-type": "text/html"})
    with answering(page, page, page) as server, pytest.raises((ReplyError, ModelUnavailable)):
        make("anthropic", server).complete(REQUEST)


@pytest.mark.parametrize(
    "events",
    [
        [{"type": "message_start", "message": 3}],
        [{"type": "content_block_delta", "index": 7, "delta": {"type": "text_delta"}}],
        [{"type": "message_start", "message": {"content": None, "usage": None}}],
        [{"type": "nobody_knows"}],
    ],
)
def test_events_of_another_shape_are_never_a_crash(events: list[dict[str, Any]]) -> None:
    answers = [events_answer(events)] * 3
    with answering(*answers) as server, pytest.raises((ReplyError, ModelUnavailable)):
        make("anthropic", server).complete(REQUEST)


def test_refusals_and_cut_replies_are_problems_that_keep_their_tokens() -> None:
    with answering(stream(GOOD, stop="refusal"), stream(GOOD, stop="max_tokens")) as server:
        asked = make("anthropic", server)
        refused, cut = asked.complete(REQUEST), asked.complete(REQUEST)
    assert "refused" in refused.problem
    assert "900 tokens" in cut.problem
    assert refused.usage.output_tokens == 20


def test_openai_refusals_and_cut_replies_are_problems_too() -> None:
    with answering(chat(None, refusal="I will not"), chat("{", finish="length")) as server:
        asked = make("openai", server)
        refused, cut = asked.complete(REQUEST), asked.complete(REQUEST)
    assert "I will not" in refused.problem
    assert "cut off" in cut.problem


def test_nobody_listening_is_unavailable() -> None:
    with answering() as server:
        pass
    with pytest.raises(ModelUnavailable, match=r"no answer from http://127\.0\.0\.1:\d+: "):
        make("openai", server).complete(REQUEST)


def test_a_missing_key_says_what_to_set() -> None:
    config = load_config({})
    with pytest.raises(ModelUnavailable, match="ANTHROPIC_API_KEY"):
        provider("anthropic:m", config=config)
    with pytest.raises(ModelUnavailable, match="OPENAI_API_KEY"):
        provider("openai:m", config=config)


def test_a_compatible_server_needs_no_key() -> None:
    with answering(good("openai")) as server:
        found = provider("openai:m", config=load_config({}), base_url=server.url + "/v1")
        assert parse_reply(Axes, found.complete(REQUEST).text) == AXES
    assert "max_tokens" in server.requests[0]


@pytest.mark.parametrize("name", ["", "gpt", "anthropic:", "openai", "replay:", "offline:x"])
def test_an_unknown_name_lists_every_form(name: str) -> None:
    with pytest.raises(InputError) as raised:
        provider(name, config=load_config({}))
    assert all(form in str(raised.value) for form, _ in FORMS)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "3"}, 3.0),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ({"retry-after": "-4"}, 0.0),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "soon"}, None),
        ({}, None),
    ],
)
def test_retry_after_is_read_as_milliseconds_seconds_or_a_date(
    headers: dict[str, str], seconds: float | None
) -> None:
    assert retry_after(headers) == seconds
