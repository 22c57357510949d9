"""Every word, colour and icon the pages share: tables, no layout."""

from typing import Literal, NamedTuple

Color = Literal["red", "orange", "yellow", "blue", "green", "violet", "gray", "primary"]


class Look(NamedTuple):
    """How a state is shown: its word, colour and icon (colour never stands alone)."""

    word: str
    color: Color
    icon: str
    meaning: str = ""


STATUS: dict[str, Look] = {
    "working": Look("in work", "blue", ":material/progress_activity:", "a run is making it"),
    "to review": Look("to review", "violet", ":material/rate_review:", "valid, nobody decided yet"),
    "approved": Look("approved", "green", ":material/check_circle:", "a person approved it"),
    "rejected": Look("rejected", "red", ":material/cancel:", "a person rejected it"),
    "unsure": Look("unsure", "yellow", ":material/help:", "a second opinion was asked for"),
    "split": Look("split", "orange", ":material/call_split:", "people decided differently"),
    "stale": Look("stale", "orange", ":material/history:", "changed since it was decided"),
    "exhausted": Look("exhausted", "orange", ":material/battery_alert:", "repair rounds used up"),
    "unexplained": Look("unexplained", "yellow", ":material/help:", "no artifact to blame"),
    "discarded": Look("discarded", "gray", ":material/delete:", "the scenario itself was wrong"),
    "owed": Look("owed", "blue", ":material/pending:", "stopped for our reasons, to be done again"),
}
"""Status of a task in the queue."""

GATE_LOOK: dict[str, Look] = {
    "passed": Look("passed", "green", ":material/check_circle:"),
    "failed": Look("failed", "red", ":material/cancel:"),
    "not_reached": Look("not reached", "gray", ":material/radio_button_unchecked:"),
    "not_applicable": Look("does not apply", "gray", ":material/remove_circle:"),
    "not_assessed": Look("not assessed", "orange", ":material/help:"),
}
"""Status of a gate; not assessed is never shown as passed."""

CHECK_MARK: dict[str, str] = {
    "passed": "✓ pass",
    "failed": "✗ fail",
    "error": "⚠ error",
    "skipped": "– skip",
    "": "· none",
}
"""Result of a check in one state."""

RUN_LOOK: dict[str, Look] = {
    "running": Look("running", "blue", ":material/progress_activity:"),
    "finished": Look("finished", "green", ":material/check_circle:"),
    "cancelled": Look("cancelled", "gray", ":material/cancel:"),
    "budget": Look("budget used up", "orange", ":material/payments:"),
    "failed": Look("failed", "red", ":material/error:"),
    "interrupted": Look("interrupted", "orange", ":material/power_off:"),
}
"""Status of a run; interrupted: it has no end and no living process."""

ARTIFACT_LOOK: dict[str, Look] = {
    "instruction": Look("Instruction", "blue", ":material/description:"),
    "environment": Look("Environment", "green", ":material/deployed_code:"),
    "solution": Look("Solution", "violet", ":material/terminal:"),
    "verifier": Look("Verifier", "orange", ":material/fact_check:"),
    "scenario": Look("Scenario", "gray", ":material/hub:"),
}
"""The four artifacts and the scenario behind them."""

AXES: tuple[tuple[str, str], ...] = (
    ("goal", "Goal"),
    ("context", "Context"),
    ("capability", "Capability"),
    ("state", "State"),
    ("io_tools", "I/O and tools"),
)
"""The five axes in the order of the paper."""

KEYS: tuple[tuple[str, str], ...] = (
    ("A", "approve the task on screen"),
    ("X", "reject: then 1-7 picks the reason"),
    ("U", "unsure, a second opinion is needed"),
    ("J / K", "next / previous task"),
    ("1 2 3 4", "one artifact large: instruction, environment, solution, verifier; again: all"),
    ("Z", "take my last decision on this task back"),
    ("Q", "back to the queue"),
)
"""The key map, shown under the question mark. C and R belong to Streamlit."""

SAMPLE_NOTE = (
    "Bundled sample, read-only: a few tasks that the embedded author made offline. "
    "Start a run on the Synthesize page to get tasks of your own."
)
EMPTY_OWN = "This workspace has no tasks yet."
NO_TASK = "No task of this name is in the workspace. It may belong to another one."
