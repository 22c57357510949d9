"""A small run told in events, for the tests of store, funnel and commands."""

from facet.journal import Journal
from facet.types.decision import Decision, Verdict
from facet.types.manifest import Mismatch, RealizedManifest
from facet.types.payloads import (
    ContextsProposed,
    DecisionMade,
    EnvironmentBuilt,
    EnvironmentRound,
    ModelCall,
    NoteWritten,
    PairJudged,
    RunFinished,
    RunSpec,
    RunStarted,
    SeedAccepted,
    SkillRead,
    SkillUnreadable,
    StageRecord,
    TaskBlamed,
    TaskEnded,
    TaskJudged,
    TaskRound,
    TaskValidated,
    TaskWritten,
)
from facet.types.skill import Context, PairVerdict, ScreenFinding, SkillSource
from facet.types.trial import CheckResult, Trial
from facet.types.verdict import Blame, Ending, Gate, Judgement, Round
from facet.workspace import Workspace

RUN = "r1"
DROP = ScreenFinding(
    rule="account", effect="drop", path="SKILL.md", line=7, excerpt="export KEY=", reason="a key"
)
WARN = ScreenFinding(rule="untidy", effect="warn", path="", line=None, excerpt="", reason="odd")


def digest(version: int) -> str:
    return f"sha256:{version:064x}"


def read_skill(journal: Journal, name: str, *findings: ScreenFinding, run: str = "") -> None:
    payload = SkillRead(
        skill_id=f"hub/{name}",
        name=name,
        description=f"does {name}",
        digest=digest(int.from_bytes(name.encode())),
        source=SkillSource(source="hub", path=name, licence="MIT"),
        kept=all(f.effect != "drop" for f in findings),
        findings=findings,
        blob=digest(1),
    )
    journal.append("skill.read", payload, run=run)


def tell_sources(journal: Journal, run: str = RUN) -> None:
    for name in ("a", "b", "c"):
        read_skill(journal, name, WARN)
    read_skill(journal, "keyed", WARN, DROP)
    journal.append("skill.unreadable", SkillUnreadable(path="hub/empty", reason="is empty"))
    context = Context(skill_id="hub/a", situation="s", inputs=(), outputs=(), tools=())
    for name in ("a", "b"):
        proposed = ContextsProposed(skill_id=f"hub/{name}", contexts=(context,))
        journal.append("context", proposed, run=run)
    none = ContextsProposed(skill_id="hub/c", not_covered="no recipe")
    journal.append("context", none, run=run)
    for keep in (True, False):
        verdict = PairVerdict(keep=keep, complementary="feeds it", executable="in a shell")
        ids = ("hub/a", "hub/b") if keep else ("hub/b", "hub/a")
        journal.append("pair.judged", PairJudged(skill_ids=ids, verdict=verdict), run=run)


class Teller:
    """Writes the events of one seed."""

    def __init__(self, workspace: Workspace, number: int, run: str = RUN) -> None:
        self.workspace = workspace
        self.run = run
        self.seed = f"{number:04d}-abcd"
        self.key = f"{run}/{self.seed}"
        payload = SeedAccepted(
            number=number,
            skill_ids=("hub/a", "hub/b"),
            skill_names=("a", "b"),
            capabilities=("clean", "report"),
            blob=digest(2),
        )
        self.add("seed", payload)

    def add(self, kind: str, payload: object) -> None:
        self.workspace.journal.append(kind, payload, run=self.run, seed=self.seed)  # type: ignore[arg-type]

    def stage(self, name: str, error: str = "") -> None:
        kind = "stage.failed" if error else "stage.done"
        self.add(kind, StageRecord(stage=name, key="k", seconds=1.5, error=error))

    def built(self, rounds: int = 0, *, wrong: bool = False) -> None:
        off = (Mismatch(what="file", name="/app/x", planned="file", found="absent"),)
        realized = RealizedManifest(files=(), mismatches=off if wrong else ())
        if wrong:
            self.add("environment.round", EnvironmentRound(number=1, problems=("absent",)))
        self.add(
            "environment.built",
            EnvironmentBuilt(environment=digest(3), realized=realized, seconds=2, rounds=rounds),
        )

    def written(self, version: int, round: int = 0) -> None:
        payload = TaskWritten(
            key=self.key,
            digest=digest(version),
            name="facet/rotate-logs",
            title="Rotate the logs",
            theme="logs",
            artifacts={},
            model="offline",
            order="forward",
            round=round,
        )
        self.add("task.written", payload)

    def judged(self, version: int, *, valid: bool, round: int = 0) -> None:
        gates = (
            Gate(name="loads", status="passed"),
            Gate(name="builds", status="passed" if valid else "failed", evidence="COPY x"),
            Gate(name="final_passes", status="passed" if valid else "not_reached"),
        )
        checks = tuple(
            CheckResult(id=f"c{n}", title=f"Check {n}", status="passed" if valid else "failed")
            for n in range(3)
        )
        trials = (
            Trial(task_digest=digest(version), actor="nop", outcome="graded", reward=0.0),
            Trial(
                task_digest=digest(version),
                actor="oracle",
                outcome="graded",
                reward=1.0,
                checks=checks,
            ),
        )
        judgement = Judgement(task_digest=digest(version), gates=gates, trials=trials)
        payload = TaskJudged(
            key=self.key,
            digest=digest(version),
            round=round,
            gates=gates,
            valid=valid,
            checks=3,
            blob=self.workspace.blobs.put_value(judgement),
            seconds=4.0,
        )
        self.add("task.judged", payload)

    def repaired(self, before: int, after: int, number: int = 1) -> None:
        blame = Blame(artifact="solution", category="solution runtime", rule="exit", gate="builds")
        self.add(
            "task.blamed",
            TaskBlamed(key=self.key, digest=digest(before), round=number, blame=blame),
        )
        one = Round(number=number, blame=blame, before=digest(before), after=digest(after))
        self.add("task.round", TaskRound(key=self.key, round=one))

    def ended(
        self, ending: Ending, version: int = 0, *, first: bool = False, rounds: int = 0
    ) -> None:
        payload = TaskEnded(
            key=self.key,
            ending=ending,
            reason="" if ending == "valid" else f"ended {ending}",
            digest=digest(version) if version else "",
            rounds=rounds,
            first_time_valid=first,
            checks=20 if ending == "valid" else 0,
            seconds=9.0,
        )
        self.add("task.ended", payload)

    def decide(self, verdict: Verdict, version: int, person: str = "ana", reason: str = "") -> None:
        decision = Decision(
            task=self.key,
            task_digest=digest(version),
            verdict=verdict,
            person=person,
            reason=reason,
        )
        self.workspace.journal.append("decision", DecisionMade(decision=decision), person=person)

    def note(self, text: str, version: int, person: str = "ana") -> None:
        payload = NoteWritten(task=self.key, task_digest=digest(version), text=text, person=person)
        self.workspace.journal.append("note", payload, person=person)


def tell(workspace: Workspace, run: str = RUN) -> None:
    """Four seeds: valid at once, valid after a repair, discarded early, still at work."""
    journal = workspace.journal
    journal.append("run.started", RunStarted(spec=RunSpec(count=4, seed=7)), run=run)
    tell_sources(journal, run)
    for dollars, cached in ((0.25, False), (None, True), (0.5, False)):
        call = ModelCall(
            role="axes",
            model="offline",
            template="t",
            input_tokens=10,
            output_tokens=5,
            dollars=dollars,
            latency_s=0.5,
            from_cache=cached,
        )
        journal.append("model.call", call, run=run, seed="0000-abcd")

    first = Teller(workspace, 0, run)
    first.stage("consistency")
    first.built()
    first.written(10)
    first.judged(10, valid=True)
    first.ended("valid", 10, first=True)

    second = Teller(workspace, 1, run)
    second.stage("consistency")
    second.built(wrong=True)
    second.built(rounds=1)
    second.written(20)
    second.judged(20, valid=False)
    second.repaired(20, 21)
    second.written(21, round=1)
    second.judged(21, valid=True, round=1)
    second.ended("valid", 21, rounds=1)

    third = Teller(workspace, 2, run)
    third.stage("axes")
    third.stage("consistency", error="the references disagree")
    third.ended("discarded")

    fourth = Teller(workspace, 3, run)
    fourth.stage("axes")
    validated = TaskValidated(
        folder=digest(4), conditions=digest(5), path="/t", state="valid", blob=digest(6)
    )
    journal.append("task.validated", validated)
    first.decide("approve", 10)
    second.decide("reject", 20, reason="wrong path")
    second.note("look at the path", 21)


def finish(workspace: Workspace, run: str = RUN) -> None:
    """The run's last event."""
    payload = RunFinished(status="finished", counts={"valid": 2}, seconds=30.0, dollars=0.75)
    workspace.journal.append("run.finished", payload, run=run)
