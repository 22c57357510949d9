"""From skills to the seeds of a run: contexts, pairs, and exactly as many seeds as were asked for.

Skills are taken in an order drawn from the run's seed, in pools that grow until the pairs suffice,
so a large corpus with a paid model is not read whole for a few tasks. The same skills, seed and
answers give the same seeds, whatever the number of threads.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from facet.errors import InputError, ReplyError
from facet.llm.client import Caller, Client
from facet.pipeline.history import History
from facet.pipeline.pairs_file import PairRecord
from facet.skills.read import Unreadable
from facet.stages.contexts import propose_contexts
from facet.stages.pairing import Judged, Pair, Situated, candidates, choose, judge_pair
from facet.types.asks import ContextsReply
from facet.types.payloads import (
    ContextsProposed,
    PairJudged,
    RunLog,
    RunSpec,
    SeedAccepted,
    SkillRead,
    SkillUnreadable,
)
from facet.types.skill import PairVerdict, Seed, Skill
from facet.workspace import Workspace

FIRST_POOL = 60  # skills asked for contexts at first, at least
POOL_PER_SEED = 8  # and for each wanted seed

type Tell = Callable[[str], None]


class Sourcing:
    """Makes the seeds of one run and records every drop on the way."""

    def __init__(
        self,
        *,
        workspace: Workspace,
        run: str,
        spec: RunSpec,
        client: Client,
        past: History,
        tell: Tell = lambda line: None,
    ) -> None:
        self._workspace = workspace
        self._run = run
        self._spec = spec
        self._client = client
        self._past = past
        self._tell = tell
        self._nonce = str(spec.seed)
        self._reasons: Counter[str] = Counter()

    def from_skills(self, packages: Iterable[Skill | Unreadable]) -> list[Seed]:
        """Seeds from a corpus of screened packages. InputError when no skill is left."""
        if (known := self._known()) is not None:
            return known
        skills = self._read(packages)
        if not skills:
            raise InputError(f"no usable skill among those read; mostly: {self._why()}")
        random.Random(self._spec.seed).shuffle(skills)
        size = max(FIRST_POOL, POOL_PER_SEED * self._spec.count)
        situated: list[Situated] = []
        taken = 0
        while True:
            situated += self._contexts(skills[taken : taken + size])
            taken = min(taken + size, len(skills))
            pairs = list(candidates(situated, self._spec.seed))
            accepted, judged = choose(pairs, self._spec.count, self._judge)
            self._record_pairs(judged)
            if len(accepted) >= self._spec.count or taken == len(skills):
                return self._seeds(accepted)
            self._tell(f"{len(accepted)} pairs from {taken} skills; reading more skills")

    def from_pairs(self, records: Sequence[PairRecord]) -> list[Seed]:
        """Seeds from a file of pairs: the first context pair of each that can be done here."""
        if (known := self._known()) is not None:
            return known
        accepted: list[Judged] = []
        for record in records:
            if len(accepted) == self._spec.count:
                break
            self._read(record.skills)
            one, two = self._contexts(record.skills[:1]), self._contexts(record.skills[1:])
            pairs = [Pair(a, b) for a in one for b in two]
            kept, judged = choose(pairs, 1, self._judge)
            self._record_pairs(judged)
            accepted += kept
        return self._seeds(accepted)

    def _known(self) -> list[Seed] | None:
        """The seeds of a resumed run, when all of them are recorded."""
        if len(self._past.seeds) < self._spec.count:
            return None
        numbers = sorted(self._past.seeds)[: self._spec.count]
        return [self._workspace.blobs.get_value(self._past.seeds[n].blob, Seed) for n in numbers]

    def _read(self, packages: Iterable[Skill | Unreadable]) -> list[Skill]:
        """Record every package; the skills that were kept, in the order given."""
        kept = []
        for package in packages:
            if isinstance(package, Unreadable):
                self._reasons[package.reason] += 1
                if package.path not in self._past.unreadable:
                    event = SkillUnreadable(path=package.path, reason=package.reason)
                    self._workspace.journal.append("skill.unreadable", event, run=self._run)
                continue
            if package.id not in self._past.skills:
                self._past.skills.add(package.id)
                read = SkillRead(
                    skill_id=package.id,
                    name=package.name,
                    description=package.description,
                    digest=package.digest,
                    source=package.source,
                    kept=package.kept,
                    findings=package.findings,
                    blob=self._workspace.blobs.put_value(package),
                )
                self._workspace.journal.append("skill.read", read, run=self._run)
            if package.kept:
                kept.append(package)
            self._reasons.update(f.reason for f in package.findings if f.effect == "drop")
        return kept

    def _why(self) -> str:
        """The most frequent reason why a package fell out."""
        found = self._reasons.most_common(1)
        return found[0][0] if found else "nothing was read"

    def _contexts(self, skills: Sequence[Skill]) -> list[Situated]:
        """Contexts of these skills, asked in parallel, in their order."""
        replies = self._map(partial(_contexts_of, self._client, nonce=self._nonce), skills)
        situated: list[Situated] = []
        for skill, reply in zip(skills, replies, strict=True):
            if skill.id not in self._past.contexts:
                self._past.contexts.add(skill.id)
                event = ContextsProposed(
                    skill_id=skill.id, contexts=reply.contexts, not_covered=reply.not_covered
                )
                self._workspace.journal.append("context", event, run=self._run)
            situated += [Situated(skill, c) for c in reply.contexts]
        return situated

    def _judge(self, pairs: Sequence[Pair]) -> list[PairVerdict]:
        return self._map(partial(_verdict_of, self._client, nonce=self._nonce), pairs)

    def _map[A, B](self, work: Callable[[A], B], items: Sequence[A]) -> list[B]:
        with ThreadPoolExecutor(self._spec.workers) as pool:
            return list(pool.map(work, items))

    def _record_pairs(self, judged: Sequence[Judged]) -> None:
        for pair, verdict in judged:
            key = (*pair.skill_ids, *pair.capabilities)
            if key in self._past.pairs:
                continue
            self._past.pairs.add(key)
            event = PairJudged(
                skill_ids=pair.skill_ids, capabilities=pair.capabilities, verdict=verdict
            )
            self._workspace.journal.append("pair.judged", event, run=self._run)

    def _seeds(self, accepted: Sequence[Judged]) -> list[Seed]:
        """Number and record the seeds; those recorded before keep their place."""
        seeds = []
        for number, (pair, verdict) in enumerate(accepted[: self._spec.count]):
            seed = Seed(
                number=number,
                skills=(pair.first.skill, pair.second.skill),
                contexts=(pair.first.context, pair.second.context),
                verdict=verdict,
            )
            recorded = self._past.seeds.get(number)
            if recorded is not None:
                seed = self._workspace.blobs.get_value(recorded.blob, Seed)
            else:
                event = SeedAccepted(
                    number=number,
                    skill_ids=pair.skill_ids,
                    skill_names=(seed.skills[0].name, seed.skills[1].name),
                    capabilities=pair.capabilities,
                    blob=self._workspace.blobs.put_value(seed),
                )
                self._workspace.journal.append("seed", event, run=self._run, seed=seed.id)
            seeds.append(seed)
        if len(seeds) < self._spec.count:
            text = f"only {len(seeds)} of {self._spec.count} seeds: no more pairs fit"
            log = RunLog(level="warning", text=text)
            self._workspace.journal.append("run.log", log, run=self._run)
            self._tell(text)
        return seeds


def _contexts_of(caller: Caller, skill: Skill, *, nonce: str) -> ContextsReply:
    """Contexts; a reply nobody can use is a skill without contexts, and says so."""
    try:
        return propose_contexts(caller, skill, nonce)
    except ReplyError as error:
        return ContextsReply(contexts=(), not_covered=str(error)[:500])


def _verdict_of(caller: Caller, pair: Pair, *, nonce: str) -> PairVerdict:
    try:
        return judge_pair(caller, pair, nonce)
    except ReplyError as error:
        reason = f"not judged: {error}"[:500]
        return PairVerdict(keep=False, complementary=reason, executable=reason)
