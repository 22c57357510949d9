"""One seed, from its two skills to the end of its task. Every way to end has its reason.

`valid`, `exhausted` and `unexplained` are the repair loop's; `discarded` says which stage gave up
on what; `owed` is our trouble (model, budget, engine) and is done again by `--resume`.
"""

import time
from collections.abc import Mapping

from facet.assemble import (
    environment_from,
    instruction_from,
    solution_from,
    task_from,
    verifier_from,
)
from facet.blame import blame
from facet.density import density
from facet.errors import (
    BudgetExceeded,
    BuildError,
    EngineError,
    ModelUnavailable,
    ReplyError,
)
from facet.llm.client import Client, SeedClient
from facet.pipeline.records import Recorder
from facet.pipeline.scenario_line import make_scenario
from facet.pipeline.stage_cache import StageCache
from facet.pipeline.stop import Stop
from facet.pipeline.workshop import Workbench, Workshop
from facet.pipeline.writers import write_artifacts
from facet.repair import RepairResult, repair
from facet.stages.blaming import model_blame
from facet.stages.dropped import SeedDropped
from facet.stages.environment import Built, build_environment
from facet.stages.looking import Looker
from facet.stages.rewrite import Rewriter
from facet.types.asks import InstructionReply, Written
from facet.types.manifest import RealizedManifest
from facet.types.payloads import RunSpec, TaskEnded
from facet.types.scenario import Scenario
from facet.types.skill import Seed
from facet.types.task import Environment, Provenance, Task
from facet.types.verdict import Blame, Ending, Judgement
from facet.workspace import Workspace


class Line:
    """The line of one run. `work` may run in several threads, one seed each."""

    def __init__(
        self,
        *,
        workspace: Workspace,
        run: str,
        spec: RunSpec,
        client: Client,
        workshop: Workshop,
        done: Mapping[tuple[str, str, str], str],
        stop: Stop,
    ) -> None:
        self._workspace = workspace
        self._run = run
        self._spec = spec
        self._client = client
        self._workshop = workshop
        self._done = done
        self._stop = stop

    def work(self, seed: Seed) -> TaskEnded:
        """Take a seed to its end and record it. Raises Cancelled and WorkspaceError only."""
        started = time.monotonic()
        with self._workshop.open(self._run) as bench:
            ended = _Seed(self, seed, bench).work()
        ended = ended.model_copy(update={"seconds": time.monotonic() - started})
        self._workspace.journal.append(
            "task.ended", ended, run=self._run, seed=seed.id, task=ended.digest
        )
        return ended


class _Seed:
    """One seed on its bench."""

    def __init__(self, line: Line, seed: Seed, bench: Workbench) -> None:
        self.line = line
        self.seed = seed
        self.bench = bench
        self.spec = line._spec
        self.nonce = f"{self.spec.seed}:{seed.id}"
        self.caller: SeedClient = line._client.at(seed.id)
        self.stages = StageCache(line._workspace, line._run, seed.id, line._done, line._stop.is_set)
        self.record = Recorder(line._workspace, line._run, seed.id)
        self.built: Built | None = None
        self.task: Task | None = None
        self.stood_by: set[str] = set()  # artifacts whose writer saw nothing to mend

    def work(self) -> TaskEnded:
        """Every stage in order; what goes wrong is the ending."""
        try:
            scenario = make_scenario(self.seed, self.caller, self.stages, self.nonce)
            self.built = self._environment(scenario)
            self.task = self._task(scenario, self.built)
            self.record.written(self.task, 0)
            return self._repaired(self._repair(self.task))
        except (SeedDropped, ReplyError, BuildError) as error:
            return self._ended("discarded", str(error))
        except (ModelUnavailable, EngineError) as error:
            return self._ended("owed", str(error))
        except BudgetExceeded as error:
            self.line._stop.budget(str(error))
            return self._ended("owed", str(error))

    def _environment(self, scenario: Scenario) -> Built:
        started = time.monotonic()
        built = self.stages.do(
            "environment",
            [scenario, str(self.spec.environment_rounds)],
            Built,
            lambda: build_environment(
                self.caller,
                scenario,
                assemble=environment_from,
                realize=self.bench.realize,
                max_rounds=self.spec.environment_rounds,
                nonce=self.nonce,
                failed=self.record.environment_failed,
            ),
        )
        self.record.environment_built(built, time.monotonic() - started)
        return built

    def _task(self, scenario: Scenario, built: Built) -> Task:
        written = write_artifacts(
            self.spec.order,
            scenario,
            built,
            self.caller,
            self._looker(built.environment),
            self.stages,
            self.nonce,
        )
        return _assembled(self.seed, scenario, built, written, self._provenance())

    def _repair(self, task: Task) -> RepairResult:
        rewriter = Rewriter(
            self.caller,
            realized_of=self._realized,
            looker_of=self._looker,
            nonce=self.nonce,
        )
        count = 0

        def rewrite(task: Task, blame: Blame, judgement: Judgement, repeated: bool) -> Task:
            nonlocal count
            count += 1
            number = count
            new = self.stages.do(
                "rewrite",
                [task.digest, blame, str(repeated), str(number)],
                Task,
                lambda: rewriter.rewrite(task, blame, judgement, repeated, number),
            )
            if new.digest != task.digest:
                self.stood_by.clear()
            elif blame.artifact is not None:
                self.stood_by.add(blame.artifact)
            return new

        return repair(
            task,
            self._judge,
            rewrite,
            self.spec.task_rounds,
            blame=self._blame,
            observe=self.record,
        )

    def _judge(self, task: Task) -> Judgement:
        return self.stages.do(
            "judge", [task.digest], Judgement, lambda: self.bench.judge(task), keep=_assessed
        )

    def _blame(self, task: Task, judgement: Judgement) -> Blame:
        def ask(task: Task, judgement: Judgement) -> Blame:
            realized = self._realized(task.environment)
            return model_blame(self.caller, task, judgement, realized, self.nonce)

        ruled = self.stages.do(
            "blame",
            [task.digest, judgement],
            Blame,
            lambda: blame(task, judgement, ask_model=ask),
        )
        if ruled.by != "rule" or ruled.artifact not in self.stood_by:
            return ruled
        # its writer found nothing to mend: the rule has not settled it, a model is asked
        stood = ",".join(sorted(self.stood_by))
        other = self.stages.do(
            "blame", [task.digest, judgement, stood], Blame, lambda: ask(task, judgement)
        )
        return ruled if other.artifact in (None, *self.stood_by) else other

    def _realized(self, environment: Environment) -> RealizedManifest | None:
        if self.built is not None and environment == self.built.environment:
            return self.built.realized
        try:
            return self.bench.realize(environment)
        except BuildError:
            return None

    def _looker(self, environment: Environment) -> Looker:
        return lambda look: self.bench.look(environment, look)

    def _provenance(self) -> Provenance:
        return Provenance(
            run=self.line._run,
            seed=self.seed.id,
            order=self.spec.order,
            model=self.line._client.provider.name,
            skills=tuple(
                {
                    "id": s.id,
                    "name": s.name,
                    "licence": s.source.licence,
                    "source": s.source.source,
                    "path": s.source.path,
                    "commit": s.source.commit,
                }
                for s in self.seed.skills
            ),
        )

    def _repaired(self, result: RepairResult) -> TaskEnded:
        self.task = result.task
        valid = result.ending == "valid"
        changes = {
            "rounds": len(result.rounds),
            "first_time_valid": valid and not result.rounds,
            "checks": len(density(result.task, result.judgements[-1]).counted) if valid else 0,
        }
        return self._ended(result.ending, result.reason).model_copy(update=changes)

    def _ended(self, ending: Ending, reason: str) -> TaskEnded:
        return TaskEnded(
            key=self.record.key,
            ending=ending,
            reason=reason[:2000],
            digest=self.task.digest if self.task else "",
            environment_rounds=self.built.rounds if self.built else 0,
        )


def _assembled(
    seed: Seed, scenario: Scenario, built: Built, written: Written, provenance: Provenance
) -> Task:
    """The four artifacts as one task; ReplyError when one of them is no artifact."""
    assert written.instruction is not None
    assert written.solution is not None
    assert written.verifier is not None
    return task_from(
        seed,
        scenario,
        instruction_from(InstructionReply(text=written.instruction)),
        built.environment,
        solution_from(written.solution),
        verifier_from(written.verifier),
        provenance,
    )


def _assessed(judgement: Judgement) -> bool:
    deciding = judgement.deciding
    return deciding is None or deciding.status == "failed"
