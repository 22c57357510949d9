"""All defects: those that rules may be tuned on, and those held out."""

from facet.selftest.defect import Defect
from facet.selftest.first_solution import first_solution
from facet.selftest.first_verifier import first_verifier
from facet.selftest.first_world import first_world
from facet.selftest.held_out_solution import held_out_solution
from facet.selftest.held_out_verifier import held_out_verifier
from facet.selftest.held_out_world import held_out_world
from facet.selftest.tuned_by_hand import tuned_by_hand
from facet.selftest.tuned_more import tuned_more

DEFECTS: tuple[Defect, ...] = (
    *tuned_by_hand(),
    *tuned_more(),
    *first_world(),
    *first_solution(),
    *first_verifier(),
    *held_out_world(),
    *held_out_solution(),
    *held_out_verifier(),
)
"""Every planted defect; nothing is planted before its `task` is asked for."""

KINDS: tuple[str, ...] = tuple(sorted({d.kind for d in DEFECTS}))
"""Kinds of defects, by name."""
