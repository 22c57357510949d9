"""What a run has done so far, read from the journal: what `--resume` need not do again."""

from pydantic import ValidationError

from facet.types.payloads import (
    PAYLOADS,
    ContextsProposed,
    ModelCall,
    PairJudged,
    RunFinished,
    SeedAccepted,
    SkillRead,
    StageRecord,
    TaskEnded,
)
from facet.workspace import Workspace


class History:
    """One run's past. Filled once; the run adds to the journal, not to this."""

    def __init__(self) -> None:
        self.seeds: dict[int, SeedAccepted] = {}
        self.endings: dict[str, TaskEnded] = {}  # by task key, the last one counts
        self.stages: dict[tuple[str, str, str], str] = {}  # (seed, stage, key) -> blob
        self.skills: set[str] = set()  # ids of skills whose reading is recorded
        self.unreadable: set[str] = set()  # paths
        self.contexts: set[str] = set()  # ids of skills that were asked for contexts
        self.pairs: set[tuple[str, str, str, str]] = set()  # skill ids and capabilities
        self.calls = 0  # model calls made, cache hits left out
        self.dollars = 0.0
        self.unknown_prices = 0
        self.seconds = 0.0

    @classmethod
    def read(cls, workspace: Workspace, run: str) -> "History":
        """Everything the journal says of one run; records nobody can read are left out."""
        past = cls()
        for event in workspace.journal.read():
            if event.run != run:
                continue
            kind = PAYLOADS.get(event.kind)
            if kind is None:
                continue
            try:
                data = kind.from_json(event.data)
            except (ValidationError, ValueError):
                continue
            past._add(event.kind, event.seed, data)
        return past

    def _add(self, kind: str, seed: str, data: object) -> None:
        match data:
            case SeedAccepted():
                self.seeds.setdefault(data.number, data)
            case TaskEnded():
                self.endings[data.key] = data
            case StageRecord() if kind == "stage.done":
                self.stages[seed, data.stage, data.key] = data.blob
            case SkillRead():
                self.skills.add(data.skill_id)
            case ContextsProposed():
                self.contexts.add(data.skill_id)
            case PairJudged():
                self.pairs.add((*data.skill_ids, *data.capabilities))
            case ModelCall() if not data.from_cache:
                self.calls += 1
                if data.dollars is None:
                    self.unknown_prices += data.ok
                else:
                    self.dollars += data.dollars
            case RunFinished():
                self.seconds = data.seconds
            case _:
                if kind == "skill.unreadable":
                    self.unreadable.add(str(getattr(data, "path", "")))

    def ended(self, key: str) -> TaskEnded | None:
        """How a task ended for good; None when it has not, or is owed."""
        ending = self.endings.get(key)
        return None if ending is None or ending.ending == "owed" else ending
