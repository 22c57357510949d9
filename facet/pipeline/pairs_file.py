"""`--pairs FILE`: the published skill-pair records as seeds, one JSON object a line.

A record has pair_id, skill_ids (two), skill_summaries (two or none), scenario_texts and
quality.overall_status. A summary is all there is of a skill, so it becomes its body, with the
scenario texts behind it; `known` skills of the same id are used whole. A line that cannot be used
is listed with its number and reason, and the others go on.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import BaseModel, BeforeValidator, Field, ValidationError

from facet.errors import InputError
from facet.types.skill import Skill, SkillSource
from facet.types.value import digest_json

MAX_FILE = 500_000_000  # bytes
MAX_LINE = 2_000_000  # bytes
TEXT = 50_000  # characters of a summary or scenario text that are kept
REFUSED = frozenset({"fail", "failed", "reject", "rejected", "drop", "dropped", "invalid", "error"})


class PairRecord(NamedTuple):
    """One usable line."""

    line: int
    pair_id: str
    skills: tuple[Skill, Skill]


class BadLine(NamedTuple):
    """One unusable line and why."""

    line: int
    reason: str


def _texts(value: Any) -> Any:
    return [] if value is None else value


class _Quality(BaseModel):
    overall_status: str = ""


class _Record(BaseModel):
    """A line as published; further fields are ignored."""

    pair_id: str = ""
    skill_ids: Annotated[list[str], Field(min_length=2, max_length=2)]
    skill_summaries: Annotated[list[str], BeforeValidator(_texts), Field(max_length=2)] = []
    scenario_texts: Annotated[list[str], BeforeValidator(_texts)] = []
    quality: _Quality = _Quality()


def read_pairs(
    path: Path, known: Mapping[str, Skill] | None = None
) -> tuple[list[PairRecord], list[BadLine]]:
    """Usable records and unusable lines, both in order. InputError when the file cannot be read."""
    try:
        if path.stat().st_size > MAX_FILE:
            raise InputError(f"{path} is larger than {MAX_FILE:,} bytes")
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise InputError(f"cannot read pairs from {path}: {error.strerror}") from error
    good: list[PairRecord] = []
    bad: list[BadLine] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        found = _record(number, line, known or {})
        if isinstance(found, BadLine):
            bad.append(found)
        else:
            good.append(found)
    return good, bad


def _record(number: int, line: bytes, known: Mapping[str, Skill]) -> PairRecord | BadLine:
    if len(line) > MAX_LINE:
        return BadLine(number, f"longer than {MAX_LINE:,} bytes")
    try:
        data = json.loads(line)
    except (ValueError, RecursionError) as error:
        return BadLine(number, f"not JSON: {error}"[:200])
    if not isinstance(data, dict):
        return BadLine(number, "not a JSON object")
    try:
        record = _Record.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        return BadLine(number, f"{'.'.join(map(str, first['loc']))}: {first['msg']}"[:200])
    status = record.quality.overall_status.strip().lower()
    if status in REFUSED:
        return BadLine(number, f"quality.overall_status is {status!r}")
    one, two = (id.strip() for id in record.skill_ids)
    if not one or not two or one == two:
        return BadLine(number, "skill_ids must name two different skills")
    if not all(id in known for id in (one, two)) and len(record.skill_summaries) != 2:
        return BadLine(number, "no skill_summaries, and the skills are not in --skills")
    return PairRecord(number, record.pair_id, (_skill(record, 0, known), _skill(record, 1, known)))


def _skill(record: _Record, place: int, known: Mapping[str, Skill]) -> Skill:
    ident = record.skill_ids[place].strip()
    if ident in known:
        return known[ident]
    summary = record.skill_summaries[place][:TEXT]
    body = "\n\n".join([summary, *(t[:TEXT] for t in record.scenario_texts[:4])])
    return Skill(
        id=ident,
        name=ident.rpartition("/")[2][:200],
        description=summary[:500],
        body=body,
        source=SkillSource(source="pairs", path=record.pair_id[:200]),
        digest=digest_json([ident, summary, body]),
    )
