"""What each kind of event carries in `Event.data`: `PAYLOADS[kind]` parses it."""

from typing import Literal

from facet.types.decision import Decision
from facet.types.event import EventKind
from facet.types.manifest import RealizedManifest
from facet.types.skill import Context, PairVerdict, ScreenFinding, SkillSource
from facet.types.task import Artifact
from facet.types.value import Value
from facet.types.verdict import Blame, Ending, Gate, Round


class RunSpec(Value):
    """What a run was asked to do."""

    count: int
    seed: int
    order: Literal["forward", "joint", "reverse"] = "forward"
    model: str = "offline"
    workers: int = 2
    skills: str = ""  # folder, "" = the bundled sample
    pairs: str = ""  # JSONL file of pairs, "" = pairs are made
    slips: float = 1.0  # embedded author only: factor on its slip rates
    environment_rounds: int = 3
    task_rounds: int = 5
    budget_usd: float | None = None
    max_calls: int | None = None
    base_url: str = ""
    strict: bool = False  # the gates beyond the seven decide too


class RunStarted(Value):
    """A run began (or went on)."""

    spec: RunSpec
    resumed: bool = False
    facet_version: str = ""


class RunFinished(Value):
    """A run ended; `counts` by task ending."""

    status: Literal["finished", "cancelled", "budget", "failed"]
    counts: dict[str, int] = {}
    seconds: float = 0.0
    dollars: float | None = None  # None = a price was unknown
    reason: str = ""


class RunLog(Value):
    """A line for people."""

    level: Literal["info", "warning", "error"] = "info"
    text: str


class SkillRead(Value):
    """A skill was read and screened."""

    skill_id: str
    name: str
    description: str
    digest: str
    source: SkillSource
    kept: bool
    findings: tuple[ScreenFinding, ...] = ()
    blob: str  # the whole Skill as JSON


class SkillUnreadable(Value):
    """A folder that is not a readable skill."""

    path: str
    reason: str


class ContextsProposed(Value):
    """Contexts of one skill; none with the reason."""

    skill_id: str
    contexts: tuple[Context, ...] = ()
    not_covered: str = ""


class PairJudged(Value):
    """A pair was judged; dropped pairs keep their reason."""

    skill_ids: tuple[str, str]
    capabilities: tuple[str, str] = ("", "")
    verdict: PairVerdict


class SeedAccepted(Value):
    """A seed of this run."""

    number: int
    skill_ids: tuple[str, str]
    skill_names: tuple[str, str]
    capabilities: tuple[str, str] = ("", "")
    blob: str  # the whole Seed as JSON


class StageRecord(Value):
    """A stage of one seed started, ended or failed."""

    stage: str
    key: str  # digest of its inputs: equal key = nothing to do again
    seconds: float = 0.0
    blob: str = ""  # its output as JSON
    error: str = ""


class ModelCall(Value):
    """One ledger row."""

    role: str
    model: str
    template: str  # digest
    attempt: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    dollars: float | None = None  # None = price unknown
    latency_s: float = 0.0
    retries: int = 0
    from_cache: bool = False
    ok: bool = True
    error: str = ""
    prompt_blob: str = ""
    reply_blob: str = ""


class EnvironmentBuilt(Value):
    """An image was built and probed."""

    environment: str  # artifact digest
    realized: RealizedManifest
    seconds: float
    rounds: int  # environment repair rounds it took, 0 = first time


class EnvironmentRound(Value):
    """An environment repair round."""

    number: int
    problems: tuple[str, ...]


class TaskWritten(Value):
    """A task bundle was stored under its digest."""

    key: str  # "<run>/<seed id>", stable over repairs
    digest: str
    name: str
    title: str
    theme: str = ""
    artifacts: dict[Artifact, str]
    model: str = ""
    order: str = ""
    round: int = 0  # 0 = as first written


class TaskJudged(Value):
    """All gates of one digest; `blob` holds the whole Judgement with its trials and logs."""

    key: str
    digest: str
    round: int = 0
    gates: tuple[Gate, ...]
    valid: bool
    checks: int  # counted checks (dead ones left out)
    blob: str
    seconds: float = 0.0


class TaskValidated(Value):
    """The verdict of `facet validate` on one folder, by what lay in it."""

    folder: str  # digest of every file of the folder
    conditions: str  # digest of what else the verdict depends on: version, base image, base map
    path: str  # where it lay
    name: str = ""
    state: str  # valid, invalid, broken, cannot run here
    verdict: str = ""  # the one-line verdict
    blamed: str = ""
    rule: str = ""
    bases: tuple[str, ...] = ()  # replaced base images, `OLD=NEW`
    seconds: float = 0.0
    blob: str  # the whole Verdict as JSON


class TaskBlamed(Value):
    """Who was blamed for a failed gate."""

    key: str
    digest: str
    round: int
    blame: Blame


class TaskRound(Value):
    """One repair round."""

    key: str
    round: Round


class TaskEnded(Value):
    """The end of one seed's task. `digest` is the last one, "" if none was written."""

    key: str
    ending: Ending
    reason: str
    digest: str = ""
    rounds: int = 0
    environment_rounds: int = 0
    first_time_valid: bool = False
    checks: int = 0  # counted checks of a valid task
    seconds: float = 0.0


class DecisionMade(Value):
    """A person decided."""

    decision: Decision


class NoteWritten(Value):
    """A person's note on a task; the latest per person and task is current."""

    task: str
    task_digest: str
    text: str
    person: str


class ProbeRun(Value):
    """A command a person ran in a live container of a task."""

    task: str
    task_digest: str
    command: str
    exit: int | None
    output: str  # bounded
    person: str


class TrialRun(Value):
    """A trial outside a judgement; `blob` holds the whole Trial."""

    key: str
    digest: str
    actor: str
    outcome: str
    reward: float | None
    blob: str


PAYLOADS: dict[EventKind, type[Value]] = {
    "run.started": RunStarted,
    "run.finished": RunFinished,
    "run.log": RunLog,
    "skill.read": SkillRead,
    "skill.unreadable": SkillUnreadable,
    "context": ContextsProposed,
    "pair.judged": PairJudged,
    "seed": SeedAccepted,
    "stage.started": StageRecord,
    "stage.done": StageRecord,
    "stage.failed": StageRecord,
    "model.call": ModelCall,
    "environment.built": EnvironmentBuilt,
    "environment.round": EnvironmentRound,
    "task.written": TaskWritten,
    "task.judged": TaskJudged,
    "task.validated": TaskValidated,
    "task.blamed": TaskBlamed,
    "task.round": TaskRound,
    "task.ended": TaskEnded,
    "trial": TrialRun,
    "decision": DecisionMade,
    "note": NoteWritten,
    "probe": ProbeRun,
}
