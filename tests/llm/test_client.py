"""The client: cache, ledger, budgets, one corrective retry, and what a reply may look like."""

import contextlib
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from facet.errors import BudgetExceeded, Cancelled, InputError, ModelUnavailable, ReplyError
from facet.llm.base import Completion, Usage
from facet.llm.budget import Budget
from facet.llm.client import Client
from facet.llm.prices import Price, Prices
from facet.llm.replay import ReplayProvider
from facet.llm.schema import parse_reply, reply_schema
from facet.llm.scripted import ScriptedProvider
from facet.types.asks import AxesAsk, EnvironmentAsk, EnvironmentReply
from facet.types.payloads import ModelCall
from facet.types.scenario import Axes
from facet.workspace import Workspace
from tests.asks import AXES, MANIFEST, example

ASK = example(AxesAsk)
PRICES = Prices({"scripted": Price(input=1.0, cached=0.5, output=2.0)})


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace.open(tmp_path / "ws")


def client(workspace: Workspace, provider: ScriptedProvider, **options: object) -> Client:
    return Client(provider, workspace=workspace, run="r1", **{"prices": PRICES, **options})  # type: ignore[arg-type]


def rows(workspace: Workspace) -> list[ModelCall]:
    return [ModelCall.from_json(e.data) for e in workspace.journal.read() if e.kind == "model.call"]


def test_a_reply_is_its_type_and_a_ledger_row(workspace: Workspace) -> None:
    asked = client(workspace, ScriptedProvider({"axes": [AXES]}))
    assert asked.at("0001-x").call(ASK) == AXES
    (row,) = rows(workspace)
    assert (row.role, row.model, row.ok, row.from_cache) == ("axes", "scripted", True, False)
    assert (row.input_tokens, row.output_tokens) == (10, 5)
    assert row.dollars == pytest.approx((10 * 1.0 + 5 * 2.0) / 1e6)
    assert Axes.model_validate_json(workspace.blobs.get(row.reply_blob)) == AXES
    assert "five axes" in workspace.blobs.get(row.prompt_blob).decode()
    (event,) = [e for e in workspace.journal.read() if e.kind == "model.call"]
    assert (event.run, event.seed) == ("r1", "0001-x")


def test_the_same_ask_again_costs_nothing_even_in_a_new_process(workspace: Workspace) -> None:
    client(workspace, ScriptedProvider({"axes": [AXES]})).call(ASK)
    again = client(workspace, ScriptedProvider({}))
    assert again.call(ASK) == AXES
    assert [(r.from_cache, r.dollars) for r in rows(workspace)][1] == (True, 0.0)
    assert again.budget.calls == 0


def test_another_nonce_attempt_provider_or_text_is_another_call(workspace: Workspace) -> None:
    provider = ScriptedProvider({"axes": [AXES] * 9})
    asked = client(workspace, provider)
    for ask in (
        ASK,
        ASK.model_copy(update={"nonce": "n"}),
        ASK.model_copy(update={"attempt": 1}),
        example(AxesAsk, expansion=ASK.expansion.model_copy(update={"facts": ()})),  # type: ignore[attr-defined]
    ):
        asked.call(ask)
    client(workspace, other := ScriptedProvider({"axes": [AXES]}, name="other")).call(ASK)
    assert (len(provider.requests), len(other.requests)) == (4, 1)


def test_another_setting_of_the_same_provider_is_another_call(workspace: Workspace) -> None:
    for fingerprint in ("slips=0", "slips=1", "slips=1"):
        provider = ScriptedProvider({"axes": [AXES]})
        provider.fingerprint = fingerprint  # type: ignore[attr-defined]
        client(workspace, provider).call(ASK)
    assert [r.from_cache for r in rows(workspace)] == [False, False, True]


def test_a_bad_reply_gets_one_retry_that_shows_the_error(workspace: Workspace) -> None:
    provider = ScriptedProvider({"axes": ['{"goal": 3}', AXES]})
    assert client(workspace, provider).call(ASK) == AXES
    retry = provider.requests[1].messages
    assert [m.role for m in retry] == ["system", "user", "assistant", "user"]
    assert retry[2].text == '{"goal": 3}'
    assert "goal" in retry[3].text
    assert "context: Field required" in retry[3].text
    assert [r.ok for r in rows(workspace)] == [False, True]


def test_a_second_bad_reply_is_a_reply_error_and_is_not_kept(workspace: Workspace) -> None:
    provider = ScriptedProvider({"axes": ["no", "still no", AXES]})
    asked = client(workspace, provider)
    with pytest.raises(ReplyError, match="axes"):
        asked.call(ASK)
    assert len(provider.requests) == 2
    assert asked.call(ASK) == AXES


def test_a_refusal_is_paid_for_and_asked_once_more(workspace: Workspace) -> None:
    refusal = Completion(text="", usage=Usage(input_tokens=7), problem="refused")
    asked = client(workspace, ScriptedProvider({"axes": [refusal, AXES]}))
    assert asked.call(ASK) == AXES
    assert [(r.ok, r.input_tokens) for r in rows(workspace)] == [(False, 7), (True, 10)]


def test_an_outage_is_one_failed_row_and_no_retry_of_ours(workspace: Workspace) -> None:
    asked = client(workspace, ScriptedProvider({"axes": [ModelUnavailable("down")]}))
    with pytest.raises(ModelUnavailable):
        asked.call(ASK)
    (row,) = rows(workspace)
    assert (row.ok, row.error) == (False, "down")


def test_the_call_limit_is_exact_with_many_threads(workspace: Workspace) -> None:
    provider = ScriptedProvider(lambda request: AXES)
    asked = client(workspace, provider, budget=Budget(max_calls=5))
    refused = []

    def one(number: int) -> None:
        try:
            asked.call(ASK.model_copy(update={"nonce": str(number)}))
        except BudgetExceeded as error:
            refused.append(str(error))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(one, range(20)))
    assert len(provider.requests) == 5
    assert len(refused) == 15
    assert "--max-calls 5" in refused[0]


def test_the_dollar_limit_stops_the_next_call(workspace: Workspace) -> None:
    asked = client(workspace, ScriptedProvider(lambda r: AXES), budget=Budget(usd=0.00003))
    asked.call(ASK)
    asked.call(ASK.model_copy(update={"nonce": "2"}))
    with pytest.raises(BudgetExceeded, match="--budget-usd"):
        asked.call(ASK.model_copy(update={"nonce": "3"}))


def test_an_unknown_price_is_unknown_and_not_zero(workspace: Workspace) -> None:
    asked = client(workspace, ScriptedProvider({"axes": [AXES]}, name="mystery"))
    asked.call(ASK)
    assert rows(workspace)[0].dollars is None
    assert asked.budget.dollars is None


def test_a_cancelled_run_makes_no_call(workspace: Workspace) -> None:
    stop = threading.Event()
    provider = ScriptedProvider({"axes": [AXES]})
    asked = client(workspace, provider, cancelled=stop.is_set)
    stop.set()
    with pytest.raises(Cancelled):
        asked.call(ASK)
    assert provider.requests == []


def test_running_out_of_scripted_answers_is_an_error(workspace: Workspace) -> None:
    with pytest.raises(AssertionError, match="axes"):
        client(workspace, ScriptedProvider({})).call(ASK)


def test_a_workspace_plays_again_as_replay(workspace: Workspace, tmp_path: Path) -> None:
    client(workspace, ScriptedProvider({"axes": ["bad", AXES]})).call(ASK)
    replay = ReplayProvider(workspace.root / "cache" / "replies")
    other = Workspace.open(tmp_path / "other")
    asked = Client(replay, workspace=other)
    assert asked.call(ASK) == AXES
    with pytest.raises(ModelUnavailable, match="axes"):
        asked.call(ASK.model_copy(update={"nonce": "new"}))


def test_a_replay_folder_that_is_none_or_empty_is_wrong_input(tmp_path: Path) -> None:
    for folder in (tmp_path / "none", tmp_path):
        with pytest.raises(InputError):
            ReplayProvider(folder)


def test_the_price_table_that_ships_is_read_and_dates_are_ignored(tmp_path: Path) -> None:
    prices = Prices.load()
    assert prices.of("anthropic:claude-sonnet-4-5-20250929") == prices.of(
        "anthropic:claude-sonnet-4-5"
    )
    assert prices.of("anthropic:claude-sonnet-4-5") is not None
    assert prices.of("openai:local-thing") is None
    assert prices.dollars("offline", Usage(input_tokens=5)) == 0.0
    (tmp_path / "p.toml").write_text("[x]\ninput = 'cheap'\n")
    with pytest.raises(InputError, match=r"p\.toml"):
        Prices.load(tmp_path / "p.toml")


def test_cached_tokens_cost_the_cached_price() -> None:
    usage = Usage(input_tokens=100, cached_tokens=40, output_tokens=10)
    assert PRICES.dollars("scripted", usage) == pytest.approx((60 + 20 + 20) / 1e6)


GOOD = json.dumps(AXES.to_json())


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"  {GOOD}\n",
        f"```json\n{GOOD}\n```",
        f"Here it is:\n\n{GOOD}\n\nDone.",
        f"a ```\n{GOOD}\n```",
    ],
)
def test_a_reply_may_stand_in_a_fence_or_in_prose(text: str) -> None:
    assert parse_reply(Axes, text) == AXES


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  ",
        "[]",
        "null",
        "3",
        "{",
        GOOD[:-5],
        '{"goal": NaN}',
        "[" * 100_000,
        '{"a":' * 100_000,
        "\ud800",
    ],
)
def test_anything_else_is_a_reply_error(text: str) -> None:
    with pytest.raises(ReplyError):
        parse_reply(Axes, text)


@given(st.text())
def test_no_text_makes_parsing_raise_anything_but_reply_error(text: str) -> None:
    with contextlib.suppress(ReplyError):
        parse_reply(Axes, text)


def test_an_extra_key_is_refused_and_named() -> None:
    with pytest.raises(ReplyError, match="extra"):
        parse_reply(Axes, json.dumps({**AXES.to_json(), "extra": 1}))


def test_a_planned_file_may_carry_text_in_place_of_base64() -> None:
    plan = {
        "manifest": {"files": [{"path": "/app/a", "text": "é\n"}, {"path": "/d", "kind": "dir"}]}
    }
    manifest = parse_reply(EnvironmentReply, json.dumps(plan)).manifest
    assert manifest is not None
    assert [f.data for f in manifest.files] == ["é\n".encode(), None]
    planned = reply_schema(EnvironmentReply)["$defs"]["PlannedFile"]["properties"]
    assert "text" in planned
    assert "data" not in planned


def test_a_manifest_of_ours_survives_the_way_through_json(workspace: Workspace) -> None:
    reply = EnvironmentReply(manifest=MANIFEST)
    asked = client(workspace, ScriptedProvider({"environment": [reply]}))
    assert asked.call(example(EnvironmentAsk)) == reply
