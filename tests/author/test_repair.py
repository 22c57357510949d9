"""Slips happen at fixed rates, show up in the artifacts, and a complaint mends them."""

from math import prod
from typing import Any

import pytest

from facet.author.contract import contract
from facet.author.dice import Dice
from facet.author.provider import WRITERS, OfflineAuthor
from facet.author.reading import brief, stated
from facet.author.recipes import recipe
from facet.author.slips import SLIPS, draw
from facet.types import asks
from facet.types.asks import ASKS, Complaint, SolutionReply, TestFile, VerifierReply, Written
from facet.types.task import Artifact
from facet.types.verdict import Blame
from tests.author.harness import Caller, Walked, walk


@pytest.fixture(scope="module")
def good() -> Walked:
    first, second = recipe("logs"), recipe("database")
    assert first is not None
    assert second is not None
    return walk(first, second, 5)


def written(made: Walked, **changes: Any) -> Written:
    given: dict[str, Any] = {
        "instruction": made.instruction.text,
        "solution": made.solution,
        "verifier": made.verifier,
    }
    return Written(**{**given, **changes})


def complaint(artifact: Artifact, *evidence: str) -> Complaint:
    blame = Blame(artifact=artifact, rule="checks_say", evidence=evidence, gate="final_passes")
    return Complaint(blame=blame, evidence=evidence)


def mended(
    made: Walked,
    kind: type[asks.Ask[Any]],
    artifact: Artifact,
    state: Written,
    slips: float = 0.0,
) -> Any:
    ask = kind(
        scenario=made.scenario,
        realized=made.realized,
        written=state,
        complaint=complaint(artifact, "expected 1, actual 2"),
        nonce="repair",
        attempt=1,
    )
    return Caller(slips).call(ask)


def order_of(made: Walked) -> tuple[str, str]:
    """The words for the order of the table, and other words for another order."""
    plan = brief(made.scenario)
    item = next(c for c in contract(plan.theme, plan.second) if c.name == "order")
    value = item.read(made.instruction.text)
    assert value is not None
    return item.text(value), item.text(item.other(value, Dice("test")))


def misread_verifier(made: Walked) -> VerifierReply:
    right, wrong = order_of(made)
    text = made.verifier.files[0].text.replace(right, wrong)
    return VerifierReply(files=(TestFile(path="test_state.py", text=text),))


def test_every_ask_has_a_writer() -> None:
    assert set(WRITERS) == set(ASKS)


def test_the_name_of_the_provider_is_offline_and_slips_cannot_be_negative() -> None:
    assert OfflineAuthor().name == "offline"
    with pytest.raises(ValueError, match="0 or more"):
        OfflineAuthor(slips=-1)


def test_rates_leave_about_half_of_all_tasks_without_a_slip() -> None:
    rates = [s.rate for s in SLIPS if s.stage in ("solution", "verifier")]
    assert 0.43 <= prod(1 - rate for rate in rates) <= 0.52


def test_drawn_shares_follow_the_table() -> None:
    runs = 4000
    drawn = [draw("solution", 1.0, Dice("share", n), frozenset()) for n in range(runs)]
    for slip in SLIPS:
        if slip.stage == "solution":
            share = sum(slip.name in d for d in drawn) / runs
            assert abs(share - slip.rate) < 0.02, slip.name


def test_no_slip_is_drawn_at_factor_zero_nor_of_a_kind_complained_of() -> None:
    for number in range(300):
        dice = ("never", number)
        assert draw("verifier", 0.0, Dice(*dice), frozenset()) == frozenset()
        assert "misread" not in draw("verifier", 50.0, Dice(*dice), frozenset(("misread",)))


def test_a_walk_with_slips_differs_from_one_without_and_is_repeatable() -> None:
    first, second = recipe("tables"), recipe("config")
    assert first is not None
    assert second is not None
    with_slips = [walk(first, second, n, slips=1.0) for n in range(8)]
    without = [walk(first, second, n) for n in range(8)]
    differing = [a.bytes != b.bytes for a, b in zip(with_slips, without, strict=True)]
    assert any(differing)
    assert walk(first, second, 3, slips=1.0).bytes == with_slips[3].bytes


def test_a_verifier_that_misread_the_contract_is_rewritten_to_the_instruction(
    good: Walked,
) -> None:
    broken = misread_verifier(good)
    reply = mended(good, asks.RepairVerifierAsk, "verifier", written(good, verifier=broken))
    assert reply.files[0].text == good.verifier.files[0].text


def test_a_solution_without_fault_comes_back_unchanged(good: Walked) -> None:
    broken = misread_verifier(good)
    state = written(good, verifier=broken)
    reply = mended(good, asks.RepairSolutionAsk, "solution", state, slips=20.0)
    assert reply.script == good.solution.script


def test_an_instruction_without_fault_comes_back_unchanged(good: Walked) -> None:
    ask = asks.RepairInstructionAsk(
        scenario=good.scenario,
        realized=good.realized,
        written=written(good),
        complaint=complaint("instruction", "x"),
        nonce=f"5/{good.seed.id}",
        attempt=2,
    )
    assert Caller(slips=1.0).call(ask).text == good.instruction.text


def test_a_solution_with_crlf_is_rewritten_with_lf(good: Walked) -> None:
    broken = good.solution.model_copy(update={"script": good.solution.script.replace("\n", "\r\n")})
    ask = asks.RepairSolutionAsk(
        scenario=good.scenario,
        realized=good.realized,
        written=written(good, solution=broken),
        complaint=complaint("solution", "solve.sh:1: CRLF line ends"),
        nonce="again",
    )
    assert "\r" not in Caller(slips=0.0).call(ask).script


def test_an_unsaid_choice_is_said_after_repair(good: Walked) -> None:
    right, _ = order_of(good)
    vague = good.instruction.text.replace(right, "as is customary")
    plan = brief(good.scenario)
    assert "order" not in stated(plan, vague)
    reply = mended(good, asks.RepairInstructionAsk, "instruction", written(good, instruction=vague))
    assert right in reply.text


def test_a_check_that_demanded_too_much_stays_under_its_id_and_demands_something_due(
    good: Walked,
) -> None:
    strict = (
        "\n\n@pytest.mark.check(id='table-mode', title='x')\ndef test_table_mode():\n"
        "    assert oct(os.stat(TABLE).st_mode) == '0o600'\n"
    )
    text = good.verifier.files[0].text + strict
    broken = VerifierReply(files=(TestFile(path="test_state.py", text=text),))
    reply = mended(good, asks.RepairVerifierAsk, "verifier", written(good, verifier=broken))
    assert reply.files[0].text.count("id='table-mode'") == 1
    assert "0o600" not in reply.files[0].text


def blamed(made: Walked, state: Written, gate: str = "final_passes") -> asks.BlameReply:
    ask = asks.BlameAsk(
        scenario=made.scenario, realized=made.realized, written=state, gate=gate, evidence=("x",)
    )
    reply = Caller().call(ask)
    assert isinstance(reply, asks.BlameReply)
    return reply


def test_the_artifact_that_stands_alone_is_blamed(good: Walked) -> None:
    right, wrong = order_of(good)
    found = blamed(good, written(good, verifier=misread_verifier(good)))
    assert (found.artifact, found.category) == ("verifier", "contract mismatch")
    script = SolutionReply(script=good.solution.script.replace(right, wrong))
    assert blamed(good, written(good, solution=script)).artifact == "solution"
    text = good.instruction.text.replace(right, wrong)
    assert blamed(good, written(good, instruction=text)).artifact == "instruction"


def test_where_all_agree_the_gate_decides_whom_to_blame(good: Walked) -> None:
    assert blamed(good, written(good), "solution_runs").artifact == "solution"
    assert blamed(good, written(good), "initial_fails").artifact == "verifier"
    assert blamed(good, written(good), "builds").artifact == "environment"
    assert blamed(good, written(good)).artifact == "verifier"


def test_an_environment_is_planned_again_without_its_fault(good: Walked) -> None:
    broken = good.manifest.model_copy(update={"setup": (*good.manifest.setup, "mlr --version")})
    nonce = f"5/{good.seed.id}"
    ask = asks.EnvironmentAsk(
        scenario=good.scenario, nonce=nonce, attempt=1, previous=broken, problems=("exit 127",)
    )
    assert Caller(slips=1.0).call(ask).manifest == good.manifest


def test_a_writer_that_cannot_see_column_names_looks_before_it_writes(good: Walked) -> None:
    blind = good.realized.model_copy(
        update={"files": tuple(f.model_copy(update={"head": ""}) for f in good.realized.files)}
    )
    ask = asks.SolutionAsk(scenario=good.scenario, realized=blind, nonce="blind")
    reply = Caller().call(ask)
    assert reply.script == ""
    assert {look.kind for look in reply.looks} == {"read"}


def test_without_any_file_in_sight_it_guesses_and_still_writes(good: Walked) -> None:
    nothing = good.realized.model_copy(update={"files": ()})
    ask = asks.SolutionAsk(scenario=good.scenario, realized=nothing, nonce="dark")
    assert Caller().call(ask).script.startswith("#!/usr/bin/env bash\n")
