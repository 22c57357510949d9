"""How often the embedded author gets something wrong, per stage.

The rates were set once, so that about 46 % of tasks written in forward order are valid at first
(the published share), and are not tuned to any other result. `OfflineAuthor(slips=0)` makes none;
a rewrite after a complaint slips at `REPAIR_FACTOR` of the rate, and never again in the same way.
"""

from dataclasses import dataclass
from typing import Literal

from facet.author.dice import Dice

Stage = Literal["reference", "environment", "instruction", "solution", "verifier"]
REPAIR_FACTOR = 0.2


@dataclass(frozen=True)
class Slip:
    """One kind of mistake."""

    stage: Stage
    name: str
    rate: float  # chance per writing, 0-1
    what: str


SLIPS: tuple[Slip, ...] = (
    Slip("reference", "other_table", 0.06, "a reference names another result file"),
    Slip("environment", "bad_setup", 0.05, "a build step calls a tool that is not installed"),
    Slip("environment", "no_user", 0.03, "a file belongs to a user nobody created"),
    Slip("instruction", "unsaid", 0.08, "a choice of the contract is not stated"),
    Slip("solution", "misread", 0.13, "a choice of the contract is read wrongly"),
    Slip("solution", "other_place", 0.04, "the material is looked for at another path"),
    Slip("solution", "wrong_column", 0.05, "column names that the material does not have"),
    Slip("solution", "no_folder", 0.06, "the folder of a result is not made"),
    Slip("solution", "off_by_one", 0.04, "the first record is taken for a header"),
    Slip("solution", "syntax", 0.03, "the script does not parse"),
    Slip("solution", "crlf", 0.02, "the script has CRLF line ends"),
    Slip("verifier", "misread", 0.14, "a choice of the contract is read wrongly"),
    Slip("verifier", "over_strict", 0.13, "a check demands what nobody asked for"),
    Slip("verifier", "other_place", 0.03, "the material is looked for at another path"),
    Slip("verifier", "crash", 0.02, "the test file fails when it is imported"),
    Slip("verifier", "vacuous", 0.01, "a check that always passes"),
)
CODE_OVERSIGHT = 0.03  # chance to overlook one choice that only code states, not prose
GUESS_LEAN = 0.85  # chance that a guess is the conventional way of its scenario


def draw(stage: Stage, factor: float, dice: Dice, never: frozenset[str]) -> frozenset[str]:
    """The slips of one writing; `never` names kinds that were complained of."""
    drawn = [
        s.name
        for s in SLIPS
        if s.stage == stage and dice.chance(min(1.0, s.rate * factor)) and s.name not in never
    ]
    return frozenset(drawn)
