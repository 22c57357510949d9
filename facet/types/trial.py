"""One actor in one fresh container, graded once."""

from typing import Literal

from facet.types.value import Value

Actor = Literal["nop", "oracle", "partial", "alternative", "mutant", "probe", "agent"]
Outcome = Literal[
    "graded",
    "verifier_error",  # crashed; no, unreadable or conflicting reward; zero checks collected
    "verifier_timeout",
    "actor_timeout",
    "actor_error",  # the actor's script ended non-zero, or its snapshot cannot start
    "build_failed",  # the task's fault
    "infrastructure",  # ours
]
CheckStatus = Literal["passed", "failed", "error", "skipped"]


class CheckResult(Value):
    """What one check said in one state."""

    id: str
    title: str = ""
    status: CheckStatus
    message: str = ""
    expected: str = ""
    actual: str = ""
    paths: tuple[str, ...] = ()  # container paths the failure speaks of
    line: int | None = None  # line of the failing assertion in its file
    file: str = ""  # test file, relative to tests/
    weight: float = 1.0
    guard: bool = False
    duration_s: float = 0.0


class Log(Value):
    """Captured output: the kept text, and how much was cut."""

    text: str = ""
    bytes_total: int = 0
    bytes_cut: int = 0


class TamperEvidence(Value):
    """What lay where the verifier's files belong, before grading removed it."""

    path: str
    kind: Literal["file", "dir", "link", "other"]
    detail: str = ""


class StateChange(Value):
    """One path that differs between the image and the container's final state."""

    path: str
    change: Literal["added", "modified", "deleted"]


class Trial(Value):
    """The record of one actor's run and its grading."""

    task_digest: str
    actor: Actor
    label: str = ""  # which partial, mutant or probe; which agent
    outcome: Outcome
    detail: str = ""  # one line: why this outcome
    reward: float | None = None  # None = no reward, never 0
    rewards: dict[str, float] = {}  # everything the reward file said
    checks: tuple[CheckResult, ...] = ()
    actor_exit: int | None = None
    verifier_exit: int | None = None
    actor_log: Log = Log()
    verifier_log: Log = Log()
    tamper: tuple[TamperEvidence, ...] = ()
    changes: tuple[StateChange, ...] = ()  # bounded; the actor's effect on the filesystem
    build_s: float = 0.0
    actor_s: float = 0.0
    verifier_s: float = 0.0
    total_s: float = 0.0

    @property
    def full(self) -> bool:
        """True when graded with the full reward and no check failed or errored."""
        return (
            self.outcome == "graded"
            and self.reward is not None
            and self.reward >= 1.0
            and all(c.status in ("passed", "skipped") for c in self.checks)
        )

    @property
    def failing(self) -> tuple[CheckResult, ...]:
        """Checks that failed or errored."""
        return tuple(c for c in self.checks if c.status in ("failed", "error"))
