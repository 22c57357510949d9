"""Whom to blame where no rule settles it: compare what each artifact says about the contract."""

from facet.author.contract import contract
from facet.author.reading import Brief, brief, stated
from facet.types.asks import BlameAsk, BlameReply, Written
from facet.types.verdict import Category

_GATES: dict[str, tuple[str, Category]] = {
    "builds": ("environment", "infrastructure, build or dependency"),
    "manifest_realized": ("environment", "fixture, schema or path grounding"),
    "verifier_runs": ("verifier", "over-constrained verifier"),
    "initial_fails": ("verifier", "weak verifier"),
    "solution_runs": ("solution", "solution runtime"),
    "partials_fail": ("verifier", "weak verifier"),
}
"""Whom each gate speaks against where the artifacts agree about the contract."""


def blame(ask: BlameAsk) -> BlameReply:
    """The artifact that stands alone; else what the gate speaks against; else the verifier."""
    if ask.scenario is not None and ask.gate not in ("builds", "manifest_realized", "loads"):
        plan = brief(ask.scenario)
        alone = _alone(plan, ask.written) or _unsettled(plan, ask.written)
        if alone is not None:
            return alone
    if ask.gate == "loads":
        tests = any(line.startswith(("tests/", "test_")) for line in ask.evidence)
        return _reply("verifier" if tests else "solution", "solution runtime", "its file is broken")
    if ask.gate in _GATES:
        artifact, category = _GATES[ask.gate]
        return _reply(artifact, category, f"the artifacts agree, and {ask.gate} failed")
    return _reply(
        "verifier",
        "over-constrained verifier",
        "instruction and solution agree, so what fails was not asked for",
    )


def _reply(artifact: str, category: Category, reason: str) -> BlameReply:
    return BlameReply.model_validate({"artifact": artifact, "category": category, "reason": reason})


def _unsettled(plan: Brief, written: Written) -> BlameReply | None:
    """A choice the instruction leaves open and the other two settle differently."""
    said = stated(plan, written.instruction or "")
    done = stated(plan, written.solution.script if written.solution else "")
    wanted = stated(plan, _tests(written))
    for item in contract(plan.theme, plan.second):
        b, c = done.get(item.name), wanted.get(item.name)
        if item.name not in said and b is not None and c is not None and b != c:
            reason = f"it does not settle {item.name}: solution {b}, verifier {c}"
            return _reply("instruction", "contract mismatch", reason)
    return None


def _tests(written: Written) -> str:
    return "\n".join(f.text for f in written.verifier.files) if written.verifier else ""


def _alone(plan: Brief, written: Written) -> BlameReply | None:
    """Compare the three readings of every choice; the one that differs from two is alone."""
    said = stated(plan, written.instruction or "")
    done = stated(plan, written.solution.script if written.solution else "")
    wanted = stated(plan, _tests(written))
    for item in contract(plan.theme, plan.second):
        a, b, c = said.get(item.name), done.get(item.name), wanted.get(item.name)
        if a is None or b is None or c is None or a == b == c:
            continue
        for artifact, own, one, other in (
            ("instruction", a, b, c),
            ("solution", b, a, c),
            ("verifier", c, a, b),
        ):
            if one == other and own != one:
                reason = f"{artifact} takes {item.name} as {own}, the others as {one}"
                return _reply(artifact, "contract mismatch", reason)
    return None
