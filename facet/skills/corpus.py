"""A corpus: the skills of some sources, screened together, and written to the journal once."""

from collections.abc import Iterable
from pathlib import Path

from facet.blobs import Blobs
from facet.journal import Journal
from facet.skills.archive import source_folder
from facet.skills.read import Unreadable, read_folder
from facet.skills.screen import screen_all
from facet.types.payloads import SkillRead, SkillUnreadable
from facet.types.skill import Skill
from facet.types.value import Value, digest_json, short


class Corpus(Value):
    """What some sources held. `skills` are screened and ordered by id, dropped ones included."""

    skills: tuple[Skill, ...]
    unreadable: tuple[Unreadable, ...]

    @property
    def kept(self) -> tuple[Skill, ...]:
        """Skills that no rule dropped."""
        return tuple(s for s in self.skills if s.kept)


def read_corpus(sources: Iterable[Path]) -> Corpus:
    """Read and screen every package of some folders and archives.

    The same id in two sources is read once, from the first. Raises InputError for a source that
    is absent, empty or a broken archive.
    """
    skills: dict[str, Skill] = {}
    unreadable: dict[str, Unreadable] = {}
    for source in sources:
        with source_folder(source) as folder:
            for item in read_folder(folder):
                if isinstance(item, Skill):
                    skills.setdefault(item.id, item)
                else:
                    unreadable.setdefault(item.path, item)
    return Corpus(
        skills=tuple(screen_all(skills.values())),
        unreadable=tuple(sorted(unreadable.values(), key=lambda u: u.path)),
    )


def record(corpus: Corpus, journal: Journal, blobs: Blobs, run: str = "") -> int:
    """Write one event per skill and unreadable package that the journal does not hold yet.

    An event's id covers skill, findings and run, so doing it again adds nothing and a changed
    rule or text adds a new reading. Returns the number of events written.
    """
    known = {e.id for e in journal.read() if e.kind in ("skill.read", "skill.unreadable")}
    new = 0
    for skill in corpus.skills:
        ident = _event_id(run, skill.id, skill.digest, [f.to_json() for f in skill.findings])
        if ident not in known:
            payload = SkillRead(
                skill_id=skill.id,
                name=skill.name,
                description=skill.description,
                digest=skill.digest,
                source=skill.source,
                kept=skill.kept,
                findings=skill.findings,
                blob=blobs.put_value(skill),
            )
            journal.append("skill.read", payload, run=run, id=ident)
            new += 1
    for item in corpus.unreadable:
        ident = _event_id(run, item.path, item.reason, [])
        if ident not in known:
            payload_bad = SkillUnreadable(path=item.path, reason=item.reason)
            journal.append("skill.unreadable", payload_bad, run=run, id=ident)
            new += 1
    return new


def _event_id(run: str, name: str, content: str, findings: list[dict[str, object]]) -> str:
    return f"skill-{short(digest_json([run, name, content, findings]), 32)}"
