"""Writing and rewriting instruction, solution and verifier from what the ask shows."""

from facet.author.choice import Picks
from facet.author.compose import solution, verifier
from facet.author.contract import contract, places
from facet.author.dice import Dice
from facet.author.reading import (
    Brief,
    State,
    brief,
    read_contract,
    read_state,
    stated,
    written_texts,
)
from facet.author.recipe import View
from facet.author.slips import REPAIR_FACTOR, Stage, draw
from facet.author.writing import instruction
from facet.types.asks import (
    Complaint,
    InstructionAsk,
    InstructionReply,
    SolutionAsk,
    SolutionReply,
    VerifierAsk,
    VerifierReply,
)

MOOD = 0.7  # share of choices an instruction settles in the conventional way of its scenario


class _Desk:
    """What every writer lays out first: brief, state, dice and slips."""

    def __init__(
        self, ask: InstructionAsk | SolutionAsk | VerifierAsk, stage: Stage, factor: float
    ) -> None:
        complaint: Complaint | None = getattr(ask, "complaint", None)
        told = complaint.blame.signature if complaint else ""
        self.seed = (ask.nonce, ask.role, ask.attempt, told)
        self.plan: Brief = brief(ask.scenario)
        self.state: State = read_state(
            self.plan, ask.realized, ask.looked, Dice("state", *self.seed)
        )
        self.factor = factor * (REPAIR_FACTOR if complaint else 1.0)
        never = _complained(complaint) if complaint else frozenset[str]()
        if complaint and complaint.repeated:
            self.factor = 0.0
        self.slips = draw(stage, self.factor, Dice("slip", *self.seed), never)
        self.dice = Dice("write", *self.seed)

    @property
    def must_look(self) -> bool:
        """Column names are not in sight, but could be."""
        return bool(self.state.looks)

    def misread(self, picks: Picks) -> dict[str, str]:
        """The contract with one choice taken for another."""
        values = dict(picks.values)
        if "misread" in self.slips:
            choices = [c for c in contract(self.plan.theme, self.plan.second) if len(c.options) > 1]
            wrong = self.dice.pick(choices)
            values[wrong.name] = wrong.other(values[wrong.name], self.dice)
        return values

    def misplaced(self) -> dict[str, str]:
        """The places with one taken for another."""
        env = dict(self.state.env)
        if "other_place" in self.slips:
            wrong = self.dice.pick(places(self.plan.theme, self.plan.first, self.plan.second))
            env[wrong.name] = wrong.other(env[wrong.name], self.dice)
        return env


def _complained(complaint: Complaint) -> frozenset[str]:
    """Slips that cannot happen again, going by what the evidence speaks of."""
    text = " ".join((complaint.blame.rule, complaint.note, *complaint.evidence)).lower()
    signs = {
        "crlf": ("crlf", "line end", "\\r"),
        "syntax": ("syntax", "unexpected eof", "unterminated"),
        "no_folder": ("no such file or directory", "filenotfound"),
        "other_place": ("no such file or directory", "filenotfound", "missing"),
        "wrong_column": ("not in list", "keyerror", "no such column", "valueerror"),
        "crash": ("nameerror", "import", "collection"),
        "vacuous": ("already pass", "guard", "passes before"),
        "over_strict": ("over", "mode of", "marker", "order of"),
        "misread": ("expected", "mismatch", "actual"),
    }
    return frozenset(n for n, marks in signs.items() if any(mark in text for mark in marks))


def write_instruction(ask: InstructionAsk, factor: float) -> InstructionReply:
    """Settle what nothing in sight settles, and say all of it."""
    desk = _Desk(ask, "instruction", factor)
    if desk.must_look:
        return InstructionReply(looks=desk.state.looks)
    plan = desk.plan
    texts = written_texts(ask.written)  # a repair also sees the instruction as it is
    picks = dict(read_contract(plan, texts, desk.dice, desk.factor).values)
    known = {name for text, _ in texts for name in stated(plan, text)}
    for item in contract(plan.theme, plan.second):
        if item.name not in known and not desk.dice.chance(MOOD):
            picks[item.name] = desk.dice.pick(item.options).value
    view = View(plan.theme, desk.state.env, picks)

    def text(unsaid: frozenset[str]) -> str:
        # the voice of an instruction does not change when it is repaired
        voice = Dice("voice", ask.nonce)
        return instruction(view, plan.first, plan.second, voice, unsaid)

    clean = text(frozenset())
    if "unsaid" not in desk.slips or _same(clean, ask.written.instruction):
        return InstructionReply(text=clean)
    return InstructionReply(text=text(frozenset((desk.dice.pick(sorted(picks)),))))


def write_solution(ask: SolutionAsk, factor: float) -> SolutionReply:
    """Read the contract, mostly from the instruction, and do the work."""
    desk = _Desk(ask, "solution", factor)
    if desk.must_look:
        return SolutionReply(looks=desk.state.looks)
    plan, own = desk.plan, ask.written.solution
    texts = written_texts(ask.written, own="solution")
    texts += [(own.script, True)] if own else []
    picks = read_contract(plan, texts, desk.dice, desk.factor)
    view = View(plan.theme, desk.state.env, picks.values, frozenset(), desk.state.real)
    clean = solution(view, plan.first, plan.second)
    if own is not None and _same(clean.script, own.script):
        return clean  # nothing to mend: the script stands as it is
    view = View(plan.theme, desk.misplaced(), desk.misread(picks), desk.slips, desk.state.real)
    return solution(view, plan.first, plan.second)


def write_verifier(ask: VerifierAsk, factor: float) -> VerifierReply:
    """Read the contract, derive what must hold, and test it."""
    desk = _Desk(ask, "verifier", factor)
    if desk.must_look:
        return VerifierReply(looks=desk.state.looks)
    plan, own = desk.plan, ask.written.verifier
    texts = written_texts(ask.written, own="verifier")
    old = "\n".join(f.text for f in own.files) if own else ""
    texts += [(old, True)] if own else []
    picks = read_contract(plan, texts, desk.dice, desk.factor)
    view = View(plan.theme, desk.state.env, picks.values, frozenset(), desk.state.real)
    clean = verifier(view, plan.first, plan.second, desk.state.inputs, own=old)
    if own is not None and any(_same(clean.files[0].text, f.text) for f in own.files):
        return clean  # nothing to mend: the checks stand as they are
    view = View(plan.theme, desk.misplaced(), desk.misread(picks), desk.slips, desk.state.real)
    strict = desk.dice.below(100)
    return verifier(view, plan.first, plan.second, desk.state.inputs, strict, old)


def _same(one: str, other: str | None) -> bool:
    return other is not None and one.strip() == other.strip()
