"""Whom to blame where no rule settles it: compare what each artifact says about the contract."""

from facet.author.contract import contract
from facet.author.reading import Brief, brief, stated
from facet.types.asks import BlameAsk, BlameReply, Written
from facet.types.verdict import Category

_SIGNS: tuple[tuple[tuple[str, ...], str, Category], ...] = (
    (
        ("unexpected eof", "unterminated", "solve.sh exited", "traceback"),
        "solution",
        "solution runtime",
    ),
    (("collection", "import error", "nameerror"), "verifier", "over-constrained verifier"),
    (("already pass",), "verifier", "weak verifier"),
    (
        ("does not build", "not found in the image"),
        "environment",
        "infrastructure, build or dependency",
    ),
)


def blame(ask: BlameAsk) -> BlameReply:
    """The artifact that stands alone; else what the evidence looks like; else the verifier."""
    if ask.scenario is not None:
        alone = _alone(brief(ask.scenario), ask.written)
        if alone is not None:
            return alone
    text = " ".join(ask.evidence).lower()
    for signs, artifact, category in _SIGNS:
        if any(sign in text for sign in signs):
            return BlameReply.model_validate(
                {
                    "artifact": artifact,
                    "category": category,
                    "reason": f"the evidence says: {signs[0]}",
                }
            )
    return BlameReply(
        artifact="verifier",
        category="over-constrained verifier",
        reason="instruction and solution agree, so what fails was not asked for",
    )


def _alone(plan: Brief, written: Written) -> BlameReply | None:
    """Compare the three readings of every choice."""
    said = stated(plan, written.instruction or "")
    done = stated(plan, written.solution.script if written.solution else "")
    tests = "\n".join(f.text for f in written.verifier.files) if written.verifier else ""
    wanted = stated(plan, tests)
    for item in contract(plan.theme, plan.second):
        a, b, c = said.get(item.name), done.get(item.name), wanted.get(item.name)
        if b is None or c is None or (a == b == c):
            continue
        if b == c and a is not None:
            return _reply("instruction", item.name, a, b)
        if a == b:
            return _reply("verifier", item.name, c, b)
        if a == c:
            return _reply("solution", item.name, b, c)
        if a is None and b != c:
            return _reply("instruction", item.name, "nothing", f"{b} and {c}")
    return None


def _reply(artifact: str, name: str, own: str, others: str) -> BlameReply:
    return BlameReply.model_validate(
        {
            "artifact": artifact,
            "category": "contract mismatch",
            "reason": f"{artifact} takes {name} as {own}, the others as {others}",
        }
    )
