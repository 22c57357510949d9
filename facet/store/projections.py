"""From `event` rows to typed tables: one SELECT per kind, over any range of sequence numbers.

A payload that lacks a key, or holds one of another type, gives NULL there; it never stops the
ingester. Arrays of objects stay JSON. Trials and checks come out of blobs: see `details`.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def _text(*names: str) -> str:
    return ", ".join(f"coalesce(data->>'{n}', '')" for n in names)


def _cast(kind: str, *names: str) -> str:
    return ", ".join(f"TRY_CAST(data->>'{n}' AS {kind})" for n in names)


def _flag(*names: str) -> str:
    return ", ".join(f"coalesce(TRY_CAST(data->>'{n}' AS BOOLEAN), false)" for n in names)


def _objects(name: str) -> str:
    return f"CASE WHEN json_type(data->'{name}') = 'ARRAY' THEN data->'{name}' ELSE '[]' END"


def _list(name: str) -> str:
    return f"coalesce(TRY_CAST(data->'{name}' AS VARCHAR[]), [])"


PROJECTIONS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    (
        "p_skill",
        ("skill.read",),
        f"seq, ts, run, {_text('skill_id', 'name', 'description')}, {_flag('kept')}, "
        "coalesce(data->>'$.source.source', ''), coalesce(data->>'$.source.licence', ''), "
        f"{_text('blob')}, {_objects('findings')}, '', id",
    ),
    (
        "p_skill",
        ("skill.unreadable",),
        f"seq, ts, run, {_text('path')}, '', '', false, '', '', '', '[]', {_text('reason')}, id",
    ),
    (
        "p_context",
        ("context",),
        f"seq, ts, run, {_text('skill_id')}, "
        f"coalesce(json_array_length(data->'contexts'), 0), {_text('not_covered')}, id",
    ),
    (
        "p_pair",
        ("pair.judged",),
        "seq, ts, run, coalesce(data->>'$.skill_ids[0]', ''), "
        "coalesce(data->>'$.skill_ids[1]', ''), TRY_CAST(data->>'$.verdict.keep' AS BOOLEAN), "
        "coalesce(data->>'$.verdict.complementary', ''), "
        "coalesce(data->>'$.verdict.executable', ''), id",
    ),
    (
        "p_seed",
        ("seed",),
        f"seq, ts, run, seed, key, {_cast('INTEGER', 'number')}, {_list('skill_ids')}, "
        f"{_list('skill_names')}, {_list('capabilities')}, id",
    ),
    (
        "p_stage",
        ("stage.started", "stage.done", "stage.failed"),
        f"seq, ts, run, seed, key, {_text('stage')}, substr(kind, 7), "
        f"{_cast('DOUBLE', 'seconds')}, {_text('error')}, id",
    ),
    (
        "p_written",
        ("task.written",),
        f"seq, ts, run, seed, key, {_text('digest', 'name', 'title', 'theme', 'model', 'order')}, "
        f"{_cast('INTEGER', 'round')}, id",
    ),
    (
        "p_judged",
        ("task.judged",),
        f"seq, ts, run, seed, key, {_text('digest')}, {_cast('INTEGER', 'round')}, "
        f"{_flag('valid')}, {_cast('INTEGER', 'checks')}, {_text('blob')}, "
        f"{_cast('DOUBLE', 'seconds')}, {_objects('gates')}, id",
    ),
    (
        "p_blame",
        ("task.blamed",),
        f"seq, ts, run, key, {_text('digest')}, {_cast('INTEGER', 'round')}, "
        "coalesce(data->>'$.blame.artifact', ''), coalesce(data->>'$.blame.category', ''), "
        "coalesce(data->>'$.blame.rule', ''), coalesce(data->>'$.blame.by', ''), "
        "coalesce(data->>'$.blame.gate', ''), id",
    ),
    (
        "p_round",
        ("task.round",),
        "seq, ts, run, key, TRY_CAST(data->>'$.round.number' AS INTEGER), "
        "coalesce(data->>'$.round.blame.artifact', ''), "
        "coalesce(data->>'$.round.blame.category', ''), coalesce(data->>'$.round.blame.rule', ''), "
        "coalesce(data->>'$.round.before', ''), coalesce(data->>'$.round.after', ''), "
        "coalesce(data->>'$.round.refused', ''), id",
    ),
    (
        "p_environment",
        ("environment.built",),
        f"seq, ts, run, key, {_text('environment')}, {_cast('INTEGER', 'rounds')}, "
        f"coalesce(json_array_length(data->'$.realized.mismatches'), 0), "
        f"{_cast('DOUBLE', 'seconds')}, id",
    ),
    (
        "p_ended",
        ("task.ended",),
        f"seq, ts, run, seed, key, {_text('ending', 'reason', 'digest')}, "
        f"{_cast('INTEGER', 'rounds', 'environment_rounds')}, "
        f"{_flag('first_time_valid')}, {_cast('INTEGER', 'checks')}, "
        f"{_cast('DOUBLE', 'seconds')}, id",
    ),
    (
        "p_decision",
        ("decision",),
        "seq, ts, key, "
        + ", ".join(
            f"coalesce(data->>'$.decision.{n}', '')"
            for n in ("task_digest", "verdict", "reason", "artifact", "check")
        )
        + ", TRY_CAST(data->>'$.decision.line' AS INTEGER), "
        "coalesce(data->>'$.decision.note', ''), coalesce(data->>'$.decision.person', ''), "
        "TRY_CAST(data->>'$.decision.shown_ms' AS BIGINT), id",
    ),
    (
        "p_call",
        ("model.call",),
        f"seq, ts, run, seed, key, {_text('role', 'model')}, {_cast('INTEGER', 'attempt')}, "
        f"{_cast('BIGINT', 'input_tokens', 'cached_tokens', 'output_tokens')}, "
        f"{_cast('DOUBLE', 'dollars', 'latency_s')}, {_cast('INTEGER', 'retries')}, "
        f"{_flag('from_cache', 'ok')}, {_text('error')}, id",
    ),
    (
        "p_run_started",
        ("run.started",),
        f"seq, ts, run, coalesce(data->'spec', '{{}}'), {_flag('resumed')}, id",
    ),
    (
        "p_run_finished",
        ("run.finished",),
        f"seq, ts, run, {_text('status')}, {_cast('DOUBLE', 'seconds', 'dollars')}, "
        f"{_text('reason')}, id",
    ),
)
"""Table, kinds it is made of, and the column expressions over one `event` row, in table order."""

TABLES: tuple[str, ...] = tuple(dict.fromkeys(table for table, _, _ in PROJECTIONS))


def project(con: "DuckDBPyConnection", after: int, present: frozenset[str] | None = None) -> None:
    """Add the typed rows of every event whose sequence number is larger than `after`.

    `present` are the kinds among those events, if known: the others need no look.
    """
    for table, kinds, columns in PROJECTIONS:
        if present is not None and present.isdisjoint(kinds):
            continue
        listed = ", ".join(f"'{k}'" for k in kinds)
        con.execute(
            f"INSERT INTO {table} SELECT {columns} FROM event "
            f"WHERE seq > ? AND kind IN ({listed}) ORDER BY seq",
            [after],
        )


def reproject(con: "DuckDBPyConnection") -> None:
    """Empty the typed tables and fill them from all events."""
    for table in TABLES:
        con.execute(f"DELETE FROM {table}")
    project(con, -1)
