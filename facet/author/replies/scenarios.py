"""Stage 2: the five modules, the five axes, the scenario, two references and their comparison."""

from facet.author.dice import Dice
from facet.author.matching import calls
from facet.author.reading import FIRST, FOLDER, SECOND, THEME
from facet.author.recipe import Recipe
from facet.author.recipes import RECIPES, fits, recipe
from facet.author.slips import draw
from facet.author.themes import THEMES, Theme, theme
from facet.types.asks import (
    Association,
    AssociationAsk,
    AxesAsk,
    Candidate,
    Evolution,
    EvolutionAsk,
    Expansion,
    ExpansionAsk,
    Exploration,
    ExplorationAsk,
    InstructionReferenceAsk,
    ScenarioAsk,
    ScenarioText,
    SkillAnalysis,
    SkillAnalysisAsk,
    SolutionReferenceAsk,
)
from facet.types.scenario import Axes, Capability, Fact, Reference
from facet.types.skill import Context, Skill

MAX_FURTHER = 3


def analysis(ask: SkillAnalysisAsk) -> SkillAnalysis:
    """What each context rests on, then what else the skills call for."""
    found: list[Capability] = []
    for skill, context in zip(ask.skills, ask.contexts, strict=True):
        if context.capability:
            found.append(
                Capability(skill_id=skill.id, name=context.capability, quote=context.quote)
            )
        found += _further(skill, context)
    return SkillAnalysis(capabilities=tuple(found))


def _further(skill: Skill, context: Context) -> list[Capability]:
    rest = [c for c in calls(skill) if c.recipe.title != context.capability]
    return [
        Capability(skill_id=skill.id, name=c.recipe.title, quote=c.quote, used=False)
        for c in rest[:MAX_FURTHER]
    ]


def exploration(ask: ExplorationAsk) -> Exploration:
    """Three settings."""
    dice = Dice("exploration", ask.nonce, ask.attempt)
    one, other = _recipes(ask.contexts)
    return Exploration(
        candidates=tuple(
            Candidate(
                title=_title(setting, one, other),
                theme=setting.slug,
                sketch=f"{setting.place.capitalize()} has {setting.fields.plural} in an untidy "
                f"state. Somebody has to {one.source_title}, and then {other.sink_title}, "
                f"because {dice.pick(setting.why)}.",
            )
            for setting in dice.sample(THEMES, 3)
        )
    )


def _title(setting: Theme, one: Recipe, other: Recipe) -> str:
    return f"{setting.fields.plural.capitalize()}: {one.name} to {other.name}"


def _recipes(contexts: tuple[Context, Context]) -> tuple[Recipe, Recipe]:
    one, other = (recipe(c.capability) for c in contexts)
    first = one if one and one.source else RECIPES[0]
    if other is None or fits(first, other):
        other = next(r for r in RECIPES if not fits(first, r))
    return first, other


def association(ask: AssociationAsk) -> Association:
    """One candidate; of each skill what its context rests on is used, the rest is dropped."""
    dice = Dice("association", ask.nonce, ask.attempt)
    wanted = {(c.skill_id, c.capability) for c in ask.contexts}
    chosen = tuple(
        c.model_copy(
            update={
                "used": (c.skill_id, c.name) in wanted,
                "why": "the scenario rests on it"
                if (c.skill_id, c.name) in wanted
                else "one capability of each skill is enough for one piece of work",
            }
        )
        for c in ask.analysis.capabilities
    )
    return Association(chosen=dice.pick(ask.exploration.candidates), capabilities=chosen)


def _plan(association: Association) -> tuple[Theme, Recipe, Recipe]:
    used = [r for r in (recipe(c.name) for c in association.capabilities if c.used) if r]
    first = next((r for r in used if r.source), RECIPES[0])
    second = next((r for r in used if not fits(first, r)), None)
    if second is None:
        second = next(r for r in RECIPES if not fits(first, r))
    return theme(association.chosen.theme), first, second


def evolution(ask: EvolutionAsk) -> Evolution:
    """Two halves with the table between them."""
    setting, one, other = _plan(ask.association)
    plural = setting.fields.plural
    return Evolution(
        steps=(
            f"look at the material and see how the {plural} are written down",
            one.source_title,
            f"list the {plural} that had to be refused, with the reason",
            other.sink_title,
        ),
        intermediate_states=(
            f"a clean table of {plural} and a list of refusals exist",
            "the product rests on that table, not on the raw material",
        ),
        failures=(
            f"a {setting.fields.words[0]} occurs twice: one of them is kept, the other refused",
            "a date or number cannot be read: the record is refused, the work goes on",
        ),
    )


def expansion(ask: ExpansionAsk) -> Expansion:
    """Names and places any reader of the scenario can build on."""
    setting, one, other = _plan(ask.association)
    dice = Dice("expansion", ask.nonce, ask.attempt)
    facts = (
        (THEME, setting.slug),
        (FIRST, one.name),
        (SECOND, other.name),
        (FOLDER, f"{setting.folder}/inbox"),
        ("identifier", setting.fields.words[0]),
        ("group", setting.fields.words[1]),
        ("number", setting.fields.words[3]),
        ("contact", setting.person),
        ("reason", dice.pick(setting.why)),
    )
    return Expansion(facts=tuple(Fact(name=n, value=v) for n, v in facts))


def axes(ask: AxesAsk) -> Axes:
    """The five axes."""
    setting, one, other = _plan(ask.association)
    plural = setting.fields.plural
    facts = {f.name: f.value for f in ask.expansion.facts}
    return Axes(
        goal=f"{one.source_title.capitalize()}, and {other.sink_title}.",
        context=f"{setting.place.capitalize()}: {facts.get('reason', setting.why[0])}.",
        capability=f"First: {one.title}. Second: {other.title}.",
        state=f"Raw {plural} lie below {facts.get(FOLDER, setting.folder)}: values missing, "
        "identifiers repeated, dates in several forms. Nothing has been made of them yet.",
        io_tools=f"In: the material as found. Out: a clean table, a list of refusals, and the "
        f"product. Tools: {', '.join(dict.fromkeys((*one.tools, *other.tools)))}; no network.",
    )


def scenario(ask: ScenarioAsk) -> ScenarioText:
    """The axes told as one piece of work."""
    a = ask.axes
    steps = "; then ".join(ask.evolution.steps)
    failures = "; ".join(ask.evolution.failures)
    return ScenarioText(
        text=f"{a.context} {a.state}\n\n{a.goal} The work goes like this: {steps}. What may go "
        f"wrong on the way: {failures}.\n\n{a.capability} {a.io_tools}"
    )


def _ends(association: Association, expansion: Expansion) -> tuple[list[str], list[str]]:
    setting, one, other = _plan(association)
    plural = setting.fields.plural
    folder = {f.name: f.value for f in expansion.facts}.get(FOLDER, setting.folder)
    initial = [
        f"raw {plural} lie below {folder}",
        "no clean table, no list of refusals and no product exist",
    ]
    end = [
        f"a clean table holds every good {setting.fields.noun} once",
        f"every refused {setting.fields.noun} is listed with its reason",
        f"the product of this step exists: {other.sink_title}",
        "the material is unchanged",
    ]
    return initial, end


def solution_reference(ask: SolutionReferenceAsk, factor: float) -> Reference:
    """How the work is done, between two states."""
    setting, one, other = _plan(ask.association)
    initial, end = _ends(ask.association, ask.expansion)
    end = _slip(end, factor if not ask.off else 0.0, "solution", ask.nonce, ask.attempt)
    return Reference(
        text=f"Read the raw {setting.fields.plural}, judge each one, write the table and the "
        f"refusals ({one.source_title}); from the table alone, {other.sink_title}.",
        initial_state=tuple(initial),
        end_state=tuple(end),
    )


def instruction_reference(ask: InstructionReferenceAsk, factor: float) -> Reference:
    """What is asked for, between the same two states."""
    setting, one, other = _plan(ask.association)
    initial, end = _ends(ask.association, ask.expansion)
    end = _slip(end, factor if not ask.off else 0.0, "instruction", ask.nonce, ask.attempt)
    return Reference(
        text=f"{setting.person} asks for two results: {one.source_title}, and "
        f"{other.sink_title}. The way there is free.",
        initial_state=tuple(initial),
        end_state=tuple(end),
    )


def _slip(end: list[str], factor: float, side: str, nonce: str, attempt: int) -> list[str]:
    dice = Dice("reference", side, nonce, attempt)
    if "other_table" in draw("reference", factor, dice, frozenset()):
        return ["the material is moved to an archive folder", *end[:-1]]
    return end
