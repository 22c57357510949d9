"""From journal files to tables: rows and byte offset in one transaction, so exactly once.

Events are taken in file by file; an id that is there already is ignored. Trials and checks lie in
blobs and are taken in only when somebody asks for them (`load_details`).
"""

import json
from typing import TYPE_CHECKING, Any

from facet.blobs import Blobs
from facet.errors import WorkspaceError
from facet.journal import Journal, read_tail
from facet.store.projections import project
from facet.types.event import Event

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

DETAIL_TEXT = 2000  # characters of a message kept in a database row; the blob has all


def event_key(event: Event) -> str:
    """The task key ("<run>/<seed id>") an event speaks of, "" if none."""
    data = event.data
    if isinstance(data.get("key"), str) and event.kind not in (
        "stage.started",
        "stage.done",
        "stage.failed",
    ):
        return str(data["key"])
    decision = data.get("decision")
    if event.kind == "decision" and isinstance(decision, dict):
        return str(decision.get("task", ""))
    if event.kind in ("note", "probe"):
        return str(data.get("task", ""))
    return f"{event.run}/{event.seed}" if event.run and event.seed else ""


def ingest(con: "DuckDBPyConnection", journal: Journal) -> int:
    """Take in everything appended since the last call; the number of new events.

    `con` must be this call's own cursor and the only one that writes.
    """
    known = {
        str(name): int(offset)
        for name, offset in con.execute("SELECT name, read_to FROM journal_file").fetchall()
    }
    new = 0
    for path in journal.files():
        offset, more = known.get(path.name, 0), True
        while more:
            if path.stat().st_size <= offset:
                break
            tail = read_tail(path, offset)
            more = tail.more
            if tail.offset == offset:
                break
            con.begin()
            try:
                new += _insert(con, tail.events)
                _note_offset(con, path.name, tail.offset, tail.skipped, tail.unknown)
                con.commit()
            except BaseException:
                con.rollback()
                raise
            offset = tail.offset
    return new


def read_again(con: "DuckDBPyConnection") -> None:
    """Start over with files that held records of unknown kinds: this version may know them.

    What is in the index already is ignored by its id.
    """
    con.execute("UPDATE journal_file SET read_to = 0, skipped = 0, unknown = 0 WHERE unknown > 0")


def _insert(con: "DuckDBPyConnection", events: list[Event]) -> int:
    if not events:
        return 0
    unique = {e.id: e for e in reversed(events)}  # the first of equal ids stays
    here = con.execute(
        "SELECT id FROM event WHERE id IN (SELECT unnest(?::VARCHAR[]))", [list(unique)]
    ).fetchall()
    for (ident,) in here:
        del unique[ident]
    fresh = [e for e in events if unique.get(e.id) is e]
    if not fresh:
        return 0
    row = con.execute("SELECT coalesce(max(seq), -1) FROM event").fetchone()
    last = int(row[0]) if row else -1
    columns: list[list[Any]] = [
        list(range(last + 1, last + 1 + len(fresh))),
        [e.id for e in fresh],
        [e.at for e in fresh],
        [e.kind for e in fresh],
        [e.run for e in fresh],
        [e.seed for e in fresh],
        [e.task for e in fresh],
        [e.person for e in fresh],
        [event_key(e) for e in fresh],
        [json.dumps(e.data, ensure_ascii=True, separators=(",", ":")) for e in fresh],
    ]
    unnested = ", ".join(["unnest(?::BIGINT[])"] + ["unnest(?::VARCHAR[])"] * 9)
    con.execute(f"INSERT INTO event SELECT {unnested}", columns)
    project(con, last, frozenset(e.kind for e in fresh))
    return len(fresh)


def _note_offset(
    con: "DuckDBPyConnection", name: str, offset: int, skipped: int, unknown: int
) -> None:
    row = con.execute("SELECT skipped, unknown FROM journal_file WHERE name = ?", [name]).fetchone()
    if row is None:
        con.execute(
            "INSERT INTO journal_file VALUES (?, ?, ?, ?)", [name, offset, skipped, unknown]
        )
    else:
        con.execute(
            "UPDATE journal_file SET read_to = ?, skipped = ?, unknown = ? WHERE name = ?",
            [offset, row[0] + skipped, row[1] + unknown, name],
        )


def load_details(con: "DuckDBPyConnection", blobs: Blobs) -> int:
    """Take trials and checks out of the blobs of judgements and trials not yet looked at.

    A blob that is missing or damaged gives no rows and does not hide the others. Returns the
    number of blobs read.
    """
    rows = con.execute(
        "SELECT id, ts, run, key, kind, data->>'digest', data->>'blob', seq FROM event "
        "WHERE kind IN ('task.judged', 'trial') AND id NOT IN (SELECT judged FROM p_trial) "
        "ORDER BY seq"
    ).fetchall()
    for ident, at, run, key, kind, digest, blob, seq in rows:
        try:
            value = json.loads(blobs.get(blob or ""))
        except (WorkspaceError, ValueError, RecursionError):
            value = {}
        trials = value.get("trials", []) if kind == "task.judged" else [value]
        con.begin()
        try:
            _insert_trials(con, [seq, at, run, key, digest or ""], ident, trials)
            con.commit()
        except BaseException:
            con.rollback()
            raise
    return len(rows)


def _insert_trials(
    con: "DuckDBPyConnection", head: list[Any], judged: str, trials: list[dict[str, Any]]
) -> None:
    seq, at, run, key, digest = head
    found: list[list[Any]] = []
    checks: list[list[Any]] = []
    for number, trial in enumerate(t for t in trials if isinstance(t, dict) and t.get("actor")):
        ident = f"{judged}:{number}"
        name = [str(trial.get("actor")), str(trial.get("label", ""))]
        result = [str(trial.get("outcome", "")), _cut(trial.get("detail", ""))]
        numbers = [trial.get("reward"), trial.get("actor_exit"), trial.get("total_s")]
        found.append([seq, at, run, key, digest, judged, *name, *result, *numbers, ident])
        for check in trial.get("checks", []):
            told = [str(check.get(k, "")) for k in ("id", "title", "status")]
            rest = [bool(check.get("guard")), check.get("weight", 1.0), ident]
            checks.append(
                [seq, digest, judged, *name, *told, _cut(check.get("message", "")), *rest]
            )
    if not found:  # so that it is not read again
        found.append([seq, at, run, key, digest, judged, "", "", "", "", None, None, None, judged])
    _insert_rows(con, "p_trial", found)
    _insert_rows(con, "p_check", checks)


def _insert_rows(con: "DuckDBPyConnection", table: str, rows: list[list[Any]]) -> None:
    if rows:
        marks = ", ".join("unnest(?)" for _ in rows[0])
        columns = [list(column) for column in zip(*rows, strict=True)]
        con.execute(f"INSERT INTO {table} SELECT {marks}", columns)


def _cut(text: Any) -> str:
    return str(text)[:DETAIL_TEXT]
