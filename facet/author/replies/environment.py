"""Planning the environment: fixtures of both halves, with the choices they show."""

from facet.author.contract import places, raw_choice
from facet.author.dice import Dice
from facet.author.fixtures import truth, untidy
from facet.author.reading import Brief, brief
from facet.author.slips import REPAIR_FACTOR, draw
from facet.types.asks import EnvironmentAsk, EnvironmentReply, RepairEnvironmentAsk
from facet.types.manifest import Manifest, PlannedFile

_TOOLS = ("csvlook", "pigz", "yq", "mlr")


def environment(ask: EnvironmentAsk, factor: float) -> EnvironmentReply:
    """The plan; after a complaint the same plan without its fault."""
    plan = brief(ask.scenario)
    dice = Dice("slip", ask.nonce, ask.role, ask.attempt, *ask.problems)
    again = ask.previous is not None or bool(ask.problems)
    slips = frozenset[str]() if again else draw("environment", factor, dice, frozenset())
    return EnvironmentReply(manifest=manifest(plan, ask.nonce, slips, dice))


def repair_environment(ask: RepairEnvironmentAsk, factor: float) -> EnvironmentReply:
    """The same state planned again; what was complained of is left out."""
    dice = Dice("slip", ask.nonce, ask.role, ask.attempt, ask.complaint.blame.signature)
    slips = draw("environment", factor * REPAIR_FACTOR, dice, frozenset(("bad_setup", "no_user")))
    return EnvironmentReply(manifest=manifest(brief(ask.scenario), ask.nonce, slips, dice))


def manifest(plan: Brief, nonce: str, slips: frozenset[str], slip_dice: Dice) -> Manifest:
    """Material of both recipes; equal for the same nonce but for its slips."""
    dice = Dice("environment", nonce, plan.first.name, plan.second.name, plan.theme.slug)
    assert plan.first.source is not None
    assert plan.second.sink is not None
    env = {c.name: dice.pick(c.options).value for c in places(plan.theme, plan.first, plan.second)}
    env["raw"] = dice.pick(raw_choice(plan.theme).options).value
    rows = truth(plan.theme, dice, dice.between(34, 46))
    items = untidy(rows, plan.theme, dice)
    one = plan.first.source.build(plan.theme, env, items, dice)
    two = plan.second.sink.build(plan.theme, env, rows, dice)
    files = [*one.files, *two.files]
    setup = [*one.setup, *two.setup]
    if "no_user" in slips and files:
        files[0] = files[0].model_copy(update={"owner": "clerk"})
    if "bad_setup" in slips:
        setup.append(f"{slip_dice.pick(_TOOLS)} --version")
    return Manifest(
        files=tuple(_distinct(files)),
        setup=tuple(setup),
        services=(*one.services, *two.services),
        users=(*one.users, *two.users),
        generator=f"embedded author: {plan.first.name} then {plan.second.name}, "
        f"theme {plan.theme.slug}, nonce {nonce}",
        notes=f"{plan.theme.place}: {len(items)} raw {plan.theme.fields.plural}, some unusable",
    )


def _distinct(files: list[PlannedFile]) -> list[PlannedFile]:
    return list({file.path: file for file in files}.values())
