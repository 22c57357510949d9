"""The table of blame rules: gate and evidence pattern -> artifact and category.

Read from the top; the first rule of the deciding gate that finds something counts. The app and the
documentation show the same table.
"""

from collections.abc import Callable
from dataclasses import dataclass

from facet.blame import finders
from facet.blame.clues import Clues, Finding
from facet.blame.finders import BUILD, CONTRACT, GROUND, RUNTIME, WEAK
from facet.types.task import Artifact
from facet.types.verdict import Category, GateName


@dataclass(frozen=True)
class Rule:
    """One row: when it applies, whom it blames (None = the finding says), and why, in words."""

    name: str
    gates: tuple[GateName, ...]
    artifact: Artifact | None
    category: Category
    why: str
    find: Callable[[Clues], Finding | None]


RULES: tuple[Rule, ...] = (
    Rule(
        "names_its_file", ("loads",), None, BUILD, "The fault is in this file.", finders.named_file
    ),
    Rule(
        "context_does_not_build",
        ("builds",),
        "environment",
        BUILD,
        "Only the build context feeds the build.",
        finders.evidence,
    ),
    Rule(
        "plan_not_held",
        ("manifest_realized",),
        "environment",
        GROUND,
        "The container does not hold what its own plan says.",
        finders.planned_thing,
    ),
    Rule(
        "container_broken",
        ("verifier_runs", "initial_fails"),
        "environment",
        BUILD,
        "The container or its services do not come up.",
        finders.container_broken,
    ),
    Rule(
        "promised_tool_missing",
        ("verifier_runs", "initial_fails"),
        "environment",
        BUILD,
        "The verifier uses a tool that the task promises and the container lacks.",
        finders.declared_module,
    ),
    Rule(
        "verifier_needs_network",
        ("verifier_runs", "initial_fails", "final_passes"),
        "verifier",
        BUILD,
        "Grading has no network.",
        finders.network,
    ),
    Rule(
        "verifier_lacks_module",
        ("verifier_runs",),
        "verifier",
        BUILD,
        "A verifier may import what the runner has, and nothing else.",
        finders.verifier_module,
    ),
    Rule(
        "verifier_stops_at_file",
        ("verifier_runs",),
        None,
        GROUND,
        "A file is missing where the verifier loads, before any check can fail.",
        finders.input_file,
    ),
    Rule(
        "verifier_gives_no_verdict",
        ("verifier_runs",),
        "verifier",
        WEAK,
        "A verifier must come to a verdict on any state.",
        finders.evidence,
    ),
    Rule(
        "guard_is_false",
        ("initial_fails",),
        None,
        CONTRACT,
        "A guard must hold before the work.",
        finders.false_guard,
    ),
    Rule(
        "solved_from_the_start",
        ("initial_fails",),
        "environment",
        GROUND,
        "The initial state already is the goal.",
        finders.solved_from_the_start,
    ),
    Rule(
        "result_is_there",
        ("initial_fails",),
        "environment",
        GROUND,
        "A result that is to be made must not be shipped.",
        finders.result_there,
    ),
    Rule(
        "check_is_vacuous",
        ("initial_fails",),
        "verifier",
        WEAK,
        "A check that passes before any work proves nothing.",
        finders.evidence,
    ),
    Rule(
        "solution_too_slow",
        ("solution_runs",),
        "solution",
        RUNTIME,
        "The solution must end within its limit.",
        finders.timeout,
    ),
    Rule(
        "solution_needs_network",
        ("solution_runs",),
        None,
        BUILD,
        "There is no network; what the instruction links must be in the image.",
        finders.solution_network,
    ),
    Rule(
        "tool_missing",
        ("solution_runs",),
        None,
        BUILD,
        "A tool that somebody promised is the environment's, any other the solution's affair.",
        finders.missing_tool,
    ),
    Rule(
        "container_read_only",
        ("solution_runs",),
        "environment",
        BUILD,
        "The place to work in cannot be written.",
        finders.read_only,
    ),
    Rule(
        "access_denied",
        ("solution_runs",),
        None,
        GROUND,
        "A path that the task offers must be usable.",
        finders.denied,
    ),
    Rule(
        "service_does_not_answer",
        ("solution_runs",),
        None,
        BUILD,
        "A service that the task promises must answer.",
        finders.refused,
    ),
    Rule(
        "something_in_the_way",
        ("solution_runs",),
        None,
        GROUND,
        "A place that the task asks for must be free.",
        finders.in_the_way,
    ),
    Rule(
        "file_missing",
        ("solution_runs",),
        None,
        GROUND,
        "An input that the task names must be there; a path nobody names is made up.",
        finders.missing_file,
    ),
    Rule(
        "name_missing_in_data",
        ("solution_runs",),
        None,
        GROUND,
        "A column or key that the task names must be in the data.",
        finders.missing_name,
    ),
    Rule(
        "user_missing",
        ("solution_runs",),
        None,
        GROUND,
        "A login that the task names must exist.",
        finders.missing_user,
    ),
    Rule(
        "variable_missing",
        ("solution_runs",),
        None,
        GROUND,
        "A variable that the task names must be set.",
        finders.unset,
    ),
    Rule(
        "path_made_up",
        ("solution_runs",),
        "solution",
        GROUND,
        "A path that nobody else speaks of is made up.",
        finders.made_up_path,
    ),
    Rule(
        "solution_ends_badly",
        ("solution_runs",),
        "solution",
        RUNTIME,
        "Nothing but its own code explains why it ends non-zero.",
        finders.evidence,
    ),
    Rule(
        "verifier_stops_after_the_work",
        ("final_passes",),
        "verifier",
        WEAK,
        "A verifier must come to a verdict on the solved state.",
        finders.verifier_stopped,
    ),
    Rule(
        "check_did_not_run",
        ("final_passes",),
        "verifier",
        WEAK,
        "A check that does not run proves nothing.",
        finders.never_ran,
    ),
    Rule(
        "checks_say",
        ("final_passes",),
        None,
        CONTRACT,
        "Each failing check is looked at; the artifact that stands alone most often is blamed.",
        finders.checks_vote,
    ),
    Rule(
        "reward_without_reason",
        ("final_passes",),
        "verifier",
        WEAK,
        "No check fails, and still the reward is not full.",
        finders.reward_alone,
    ),
    Rule(
        "partial_crashes",
        ("partials_fail",),
        "solution",
        RUNTIME,
        "A partial solution that crashes proves nothing.",
        finders.partial_crashed,
    ),
    Rule(
        "partial_is_whole",
        ("partials_fail",),
        "solution",
        CONTRACT,
        "A partial solution must leave something out.",
        finders.partial_is_whole,
    ),
    Rule(
        "partial_passes",
        ("partials_fail",),
        "verifier",
        WEAK,
        "The verifier does not notice what is missing.",
        finders.evidence,
    ),
    Rule(
        "stands_alone_in_the_matrix",
        ("contract_agrees",),
        None,
        CONTRACT,
        "A row of the contract in which one artifact stands alone.",
        finders.matrix,
    ),
    Rule(
        "strict_gate_names_it",
        ("contract_agrees", "stable", "sealed", "mutants_die", "intent_kept"),
        None,
        WEAK,
        "The gate's evidence names the artifact.",
        finders.first_word,
    ),
)
"""All rules in the order they are tried."""
