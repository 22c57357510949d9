"""A small workspace for the app's tests, written through the journal as a run would write it."""

from pathlib import Path
from typing import Any

from facet.types.manifest import Mismatch, RealFile, RealizedManifest
from facet.types.payloads import (
    ContextsProposed,
    EnvironmentBuilt,
    EnvironmentRound,
    PairJudged,
    RunFinished,
    RunSpec,
    RunStarted,
    SeedAccepted,
    SkillRead,
    StageRecord,
    TaskBlamed,
    TaskEnded,
    TaskJudged,
    TaskRound,
    TaskWritten,
)
from facet.types.scenario import Axes, Capability, Consistency, ConsistencyItem, Reference, Scenario
from facet.types.skill import (
    Context,
    PairVerdict,
    ScreenFinding,
    Seed,
    Skill,
    SkillFile,
    SkillSource,
)
from facet.types.task import Instruction, Provenance, Task
from facet.types.trial import Trial
from facet.types.verdict import Blame, Ending, Gate, GateName, Judgement, Round
from facet.workspace import Workspace
from tests import judging

RUN = "run-test"
HOSTILE = "<img src=x onerror=\"document.title='owned'\"> :red[x] [link](javascript:1) $x$ **b**"
EVIL_INSTRUCTION = "<script>document.title='owned'</script>\n# heading\n\x1b[31mred\u202e txet\n"


def skill(name: str, *, dropped: bool = False) -> Skill:
    """A skill; a dropped one carries the line that caused it."""
    finding = ScreenFinding(
        rule="private-network",
        effect="drop",
        path="SKILL.md",
        line=7,
        excerpt="curl http://10.0.0.5/internal",
        reason="reaches into a private network",
    )
    return Skill(
        id=f"test/{name}",
        name=name,
        description=f"How to {name} <b>well</b>",
        body=f"# {name}\n\nDo it.\n",
        files=(SkillFile(path="SKILL.md", size=20, sha256="0" * 64, text="Do it."),),
        source=SkillSource(source="test", path=name, licence="MIT"),
        findings=(finding,) if dropped else (),
    )


def scenario(title: str) -> Scenario:
    """A scenario whose two references agree."""
    reference = Reference(
        text="Total the orders.",
        initial_state=("/app/data/orders.csv holds three orders",),
        end_state=("/app/out/totals.json holds count and total",),
    )
    return Scenario(
        title=title,
        theme="orders",
        axes=Axes(
            goal="Total the orders of a shop.",
            context="A small shop exports its orders once a day.",
            capability="Read a table, then report on it.",
            state="orders.csv exists, totals.json does not.",
            io_tools="CSV in, JSON out, Python at hand.",
        ),
        text="A shop exports orders. Someone totals them.",
        skill_ids=("test/tables", "test/reports"),
        capabilities=(
            Capability(skill_id="test/tables", name="read a table", quote="Do it."),
            Capability(skill_id="test/reports", name="draw", quote="", used=False, why="no screen"),
        ),
        solution_reference=reference,
        instruction_reference=reference,
        consistency=Consistency(items=(ConsistencyItem(side="end", item="totals", agrees=True),)),
    )


class World:
    """Writes a run's events; every task is one call."""

    first = skill("tables")
    second = skill("reports")

    def __init__(self, root: Path, *, run: str = RUN, count: int = 3) -> None:
        self.workspace = Workspace.open(root)
        self.run = run
        self._number = 0
        self.put("run.started", RunStarted(spec=RunSpec(count=count, seed=7)))
        for one in (self.first, self.second, skill("scan", dropped=True)):
            self.put(
                "skill.read",
                SkillRead(
                    skill_id=one.id,
                    name=one.name,
                    description=one.description,
                    digest="sha256:" + "1" * 64,
                    source=one.source,
                    kept=one.kept,
                    findings=one.findings,
                    blob=self.workspace.blobs.put_value(one),
                ),
            )
        self.contexts = tuple(
            Context(
                skill_id=s.id,
                situation=f"someone has to use {s.name}",
                inputs=("a table",),
                outputs=("a report",),
                tools=("python3",),
                capability=f"use {s.name}",
            )
            for s in (self.first, self.second)
        )
        for context in self.contexts:
            self.put("context", ContextsProposed(skill_id=context.skill_id, contexts=(context,)))
        self.verdict = PairVerdict(keep=True, complementary="they chain", executable="offline")
        self.put(
            "pair.judged",
            PairJudged(skill_ids=(self.first.id, self.second.id), verdict=self.verdict),
        )

    @classmethod
    def again(cls, root: Path) -> "World":
        """The same run's writer, without starting it anew."""
        world = cls.__new__(cls)
        world.workspace, world.run = Workspace.open(root), RUN
        return world

    def put(self, kind: Any, data: Any, *, seed: str = "", task: str = "") -> None:
        """One event of this run."""
        self.workspace.journal.append(kind, data, run=self.run, seed=seed, task=task)

    def seed(self) -> str:
        """An accepted seed; returns its id."""
        seed = Seed(
            number=self._number,
            skills=(self.first, self.second),
            contexts=(self.contexts[0], self.contexts[1]),
            verdict=self.verdict,
        )
        self._number += 1
        self.put(
            "seed",
            SeedAccepted(
                number=seed.number,
                skill_ids=(self.first.id, self.second.id),
                skill_names=(self.first.name, self.second.name),
                blob=self.workspace.blobs.put_value(seed),
            ),
            seed=seed.id,
        )
        self.put(
            "stage.done",
            StageRecord(stage="consistency", key="sha256:0", seconds=0.2),
            seed=seed.id,
        )
        return seed.id

    def task(self, title: str, *, instruction: str = judging.INSTRUCTION) -> Task:
        """A good task with this title."""
        task = judging.make_task(name="facet/orders", instruction=instruction)
        return task.model_copy(
            update={
                "scenario": scenario(title),
                "provenance": Provenance(
                    run=self.run,
                    model="offline",
                    order="forward",
                    skills=({"id": self.first.id, "name": "tables", "licence": "MIT"},),
                ),
            }
        )

    def write(self, seed: str, task: Task, round: int = 0) -> None:
        """Store a version of a task."""
        self.workspace.bundles.write(task)
        self.put(
            "task.written",
            TaskWritten(
                key=f"{self.run}/{seed}",
                digest=task.digest,
                name=task.name,
                title=task.scenario.title if task.scenario else "",
                artifacts=task.digests,
                model="offline",
                order="forward",
                round=round,
            ),
            seed=seed,
            task=task.digest,
        )

    def built(self, seed: str, task: Task, *mismatches: Mismatch) -> None:
        """The environment was built and probed."""
        found = RealFile(
            path="/app/data/orders.csv", kind="file", size=31, mode="0644", owner="root"
        )
        realized = RealizedManifest(
            files=(found,), mismatches=mismatches, image="sha256:" + "a" * 64
        )
        self.put(
            "environment.built",
            EnvironmentBuilt(
                environment=task.digests["environment"], realized=realized, seconds=1.5, rounds=0
            ),
            seed=seed,
        )

    def judge(
        self,
        seed: str,
        task: Task,
        trials: tuple[Trial, ...],
        failed: GateName | None,
        round: int = 0,
    ) -> None:
        """All gates passed, or one failed and those behind it were not reached."""
        names: tuple[GateName, ...] = (
            "loads",
            "builds",
            "manifest_realized",
            "verifier_runs",
            "initial_fails",
            "solution_runs",
            "final_passes",
        )
        gates = []
        for name in names:
            if failed is not None and names.index(name) > names.index(failed):
                gates.append(Gate(name=name, status="not_reached"))
            elif name == failed:
                line = "1 of 4 checks fail after the solution: total"
                gates.append(Gate(name=name, status="failed", evidence=line, details=("total",)))
            else:
                gates.append(Gate(name=name, status="passed", evidence="good"))
        judgement = Judgement(task_digest=task.digest, gates=tuple(gates), trials=trials)
        self.put(
            "task.judged",
            TaskJudged(
                key=f"{self.run}/{seed}",
                digest=task.digest,
                round=round,
                gates=judgement.gates,
                valid=judgement.valid,
                checks=3,
                blob=self.workspace.blobs.put_value(judgement),
            ),
            seed=seed,
            task=task.digest,
        )

    def end(self, seed: str, digest: str, ending: Ending, reason: str, rounds: int = 0) -> None:
        """The seed's task is done."""
        self.put(
            "task.ended",
            TaskEnded(
                key=f"{self.run}/{seed}",
                ending=ending,
                reason=reason,
                digest=digest,
                rounds=rounds,
                first_time_valid=ending == "valid" and rounds == 0,
                checks=3,
            ),
            seed=seed,
            task=digest,
        )

    def valid(self, title: str, **more: Any) -> str:
        """A task that is valid at first try; returns its key."""
        seed = self.seed()
        task = self.task(title, **more)
        self.built(seed, task)
        self.write(seed, task)
        self.judge(seed, task, (judging.trial("nop"), judging.trial("oracle")), None)
        self.end(seed, task.digest, "valid", "")
        return f"{self.run}/{seed}"

    def repaired(self, title: str) -> str:
        """A task whose verifier was rewritten once; returns its key."""
        seed = self.seed()
        good = self.task(title)
        text = judging.TESTS.replace("== 60", "== 61")
        bad = good.replace("verifier", judging.make_task(tests=text).verifier)
        self.put(
            "environment.round", EnvironmentRound(number=1, problems=("no orders.csv",)), seed=seed
        )
        self.built(seed, bad)
        self.write(seed, bad)
        after = judging.trial(
            "oracle",
            checks=judging.results("passed", total="failed"),
        )
        self.judge(seed, bad, (judging.trial("nop"), after), "final_passes")
        key = f"{self.run}/{seed}"
        blame = Blame(
            artifact="verifier",
            category="over-constrained verifier",
            rule="one-check-stands-alone",
            evidence=("total: expected 61, actual 60",),
            gate="final_passes",
        )
        self.put(
            "task.blamed",
            TaskBlamed(key=key, digest=bad.digest, round=0, blame=blame),
            seed=seed,
            task=bad.digest,
        )
        diff = "--- a/test_state.py\n+++ b/test_state.py\n@@\n-    == 61\n+    == 60\n"
        one = Round(number=1, blame=blame, before=bad.digest, after=good.digest, diff=diff)
        self.put("task.round", TaskRound(key=key, round=one), seed=seed)
        self.write(seed, good, 1)
        self.judge(seed, good, (judging.trial("nop"), judging.trial("oracle")), None, 1)
        self.end(seed, good.digest, "valid", "", 1)
        return key

    def discarded(self, reason: str) -> str:
        """A seed that ended before a task was written; returns its key."""
        seed = self.seed()
        self.end(seed, "", "discarded", reason)
        return f"{self.run}/{seed}"

    def edit(self, key: str, text: str) -> str:
        """Give a task another instruction; returns the new digest."""
        seed = key.partition("/")[2]
        task = self.task("edited").replace("instruction", Instruction(text=text))
        self.write(seed, task, 2)
        self.judge(seed, task, (judging.trial("nop"), judging.trial("oracle")), None, 2)
        self.end(seed, task.digest, "valid", "", 2)
        return task.digest

    def finish(self) -> None:
        """The run is over."""
        self.put("run.finished", RunFinished(status="finished", counts={"valid": 2}, seconds=3.0))


def make_world(root: Path) -> dict[str, str]:
    """Two valid tasks (one repaired), a hostile one, a discarded seed; keys by name."""
    world = World(root, count=4)
    keys = {
        "first": world.valid("Total the orders"),
        "repaired": world.repaired("Report on the orders"),
        "hostile": world.valid(HOSTILE, instruction=EVIL_INSTRUCTION),
        "discarded": world.discarded("the two references assume different worlds"),
    }
    world.finish()
    return keys
