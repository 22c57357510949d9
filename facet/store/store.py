"""The store: every question a screen, a statistic or a person's SQL asks of the index."""

import json
import os
import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from facet.errors import InputError, WorkspaceBusy, WorkspaceError
from facet.funnel import FUNNEL_KINDS, SCENARIO_DONE, Funnel, funnel
from facet.store.database import Opened, errors_as_workspace, open_file, open_memory, set_aside
from facet.store.history import build_history
from facet.store.ingest import ingest, load_details, read_again
from facet.store.parse import decision_of, skill_row, stamped, task_filter, task_row
from facet.store.rows import (
    CallStats,
    CheckRow,
    DecisionRow,
    Health,
    Result,
    RunRow,
    SkillRow,
    Stamped,
    TaskHistory,
    TaskRow,
)
from facet.types.event import Event, EventKind
from facet.types.payloads import ContextsProposed, PairJudged
from facet.workspace import Workspace

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


class Store:
    """One process's index of a workspace; safe to share between threads, never across a fork."""

    def __init__(self, workspace: Workspace, opened: Opened) -> None:
        self.workspace = workspace
        self._opened = opened
        self._pid = os.getpid()
        self._writing = threading.Lock()

    @classmethod
    def open(cls, workspace: Workspace, wait_s: float = 3.0) -> Self:
        """Own the index file and bring it up to date.

        A command that only looks passes `wait_s=0`: it gives the file back in a moment.
        While another process owns it for longer than `wait_s` seconds, or the folder is
        read-only, the store is in memory instead. A damaged file is set aside and made again;
        `health().notice` says so. Raises WorkspaceError when neither works.
        """
        try:
            store = cls(workspace, open_file(workspace.index_path, wait_s))
        except WorkspaceBusy as error:
            return cls._in_memory(workspace, f"{error}; this is a copy made from the journal")
        except WorkspaceError as error:
            return cls._in_memory(workspace, f"{error}; working on a copy in memory")
        try:
            with store._cursor() as con:
                read_again(con)
            store.ingest()
        except WorkspaceError as error:
            store.close()
            set_aside(workspace.index_path)
            opened = open_file(workspace.index_path)
            store = cls(workspace, opened._replace(notice=f"{error}; it was made again"))
            store.ingest()
        return store

    @classmethod
    def rebuilt(cls, workspace: Workspace) -> Self:
        """Set the index file aside and make it again from the journal.

        Raises WorkspaceBusy while another process (the app) owns the file.
        """
        with errors_as_workspace(workspace.index_path):
            old = open_file(workspace.index_path)
            old.close()
            set_aside(workspace.index_path)
        store = cls(workspace, open_file(workspace.index_path))
        store.ingest()
        return store

    @classmethod
    def memory(cls, workspace: Workspace) -> Self:
        """An index in memory, made from the journals; writes nothing anywhere."""
        return cls._in_memory(workspace, "")

    @classmethod
    def _in_memory(cls, workspace: Workspace, notice: str) -> Self:
        with errors_as_workspace(workspace.index_path):
            store = cls(workspace, open_memory(notice))
        store.ingest()
        return store

    def ingest(self) -> int:
        """Take in what was appended to the journals since; the number of new events."""
        with self._writing, self._cursor() as con:
            return ingest(con, self.workspace.journal)

    def close(self) -> None:
        """Close the index; the file is free for others."""
        self._opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @contextmanager
    def _cursor(self) -> "Iterator[DuckDBPyConnection]":
        if os.getpid() != self._pid:
            raise WorkspaceError("this store was opened before a fork: open one of your own")
        with errors_as_workspace(self.workspace.index_path):
            cursor = self._opened.con.cursor()
            try:
                yield cursor
            finally:
                cursor.close()

    def _rows(self, sql: str, values: Sequence[Any] = ()) -> list[dict[str, Any]]:
        with self._cursor() as con:
            con.execute(sql, list(values))
            names = [d[0] for d in con.description or ()]
            return [dict(zip(names, row, strict=True)) for row in con.fetchall()]

    # tasks

    def tasks(
        self,
        *,
        run: str = "",
        status: str = "",
        text: str = "",
        skill: str = "",
        decision: str = "",
        limit: int | None = None,
        offset: int = 0,
    ) -> list[TaskRow]:
        """Tasks in order of creation, filtered.

        `text` is looked for in key, title, name, theme, reason and skill names (any case); `skill`
        is a skill id; `decision` is a verdict, "none" (nothing on the current digest), "stale" or
        "disputed".
        """
        where, values = task_filter(run, status, text, skill, decision)
        sql = f"SELECT * FROM tasks WHERE {where} ORDER BY created, key"
        if limit is not None:
            sql += f" LIMIT {int(limit)} OFFSET {int(offset)}"
        return [task_row(r) for r in self._rows(sql, values)]

    def count_tasks(
        self,
        *,
        run: str = "",
        status: str = "",
        text: str = "",
        skill: str = "",
        decision: str = "",
    ) -> int:
        """How many tasks the same filters of `tasks` leave."""
        where, values = task_filter(run, status, text, skill, decision)
        return int(self._rows(f"SELECT count(*) AS n FROM tasks WHERE {where}", values)[0]["n"])

    def task(self, key: str) -> TaskRow | None:
        """The task of a key ("<run>/<seed id>")."""
        rows = self._rows("SELECT * FROM tasks WHERE key = ?", [key])
        return task_row(rows[0]) if rows else None

    def task_of(self, digest: str) -> TaskRow | None:
        """The task that has, or once had, this digest."""
        rows = self._rows("SELECT key FROM written WHERE digest = ? ORDER BY ts LIMIT 1", [digest])
        return self.task(str(rows[0]["key"])) if rows else None

    def history(self, key: str) -> TaskHistory | None:
        """Everything that happened to a task, parsed; None when there is no such task."""
        task = self.task(key)
        return None if task is None else build_history(task, self.events(key=key))

    def decisions(self, *, task: str = "", person: str = "") -> list[DecisionRow]:
        """The latest decision of each person on each task, newest first; withdrawn ones left out.

        `task` is a task key.
        """
        rows = self._rows(
            "SELECT d.ts, d.id, d.is_current, e.data FROM decisions d JOIN event e USING (id) "
            "WHERE (? = '' OR d.key = ?) AND (? = '' OR d.person = ?) ORDER BY d.ts DESC, d.id",
            [task, task, person, person],
        )
        return [
            DecisionRow(
                id=r["id"],
                at=r["ts"],
                decision=decision_of(r["data"]),
                current=bool(r["is_current"]),
            )
            for r in rows
        ]

    def checks(self, digest: str) -> list[CheckRow]:
        """Each check in each trial of the latest judgement of a digest, in verifier order."""
        self.load_details()
        rows = self._rows(
            """
            SELECT c.digest, c.check_id AS "check", c.title, c.guard, c.actor, c.label, c.status,
                c.message
            FROM p_check c
            WHERE c.digest = ? AND c.judged = (
                SELECT id FROM p_judged WHERE digest = ? ORDER BY ts DESC, id DESC LIMIT 1)
            ORDER BY c.rowid
            """,
            [digest, digest],
        )
        return [CheckRow(**r) for r in rows]

    # runs

    def runs(self) -> list[RunRow]:
        """Every run, newest first, with its progress."""
        endings: dict[str, dict[str, int]] = {}
        for row in self._rows(
            "SELECT run, status, count(*) AS n FROM tasks WHERE status <> 'working' GROUP BY ALL "
            "ORDER BY run, status"
        ):
            endings.setdefault(row["run"], {})[row["status"]] = row["n"]
        rows = self._rows("SELECT * FROM runs ORDER BY started DESC, run")
        return [self._run_row(r, endings.get(r["run"], {})) for r in rows]

    def run(self, run: str) -> RunRow | None:
        """One run with its progress."""
        return next((r for r in self.runs() if r.run == run), None)

    def _run_row(self, row: dict[str, Any], endings: dict[str, int]) -> RunRow:
        row["order"] = row.pop("ordering")
        if row["status"] == "open":
            try:
                alive = self.workspace.run_lock(row["run"]).alive()
            except (InputError, OSError):
                alive = False
            row["status"] = "running" if alive else "interrupted"
        return RunRow.model_validate({**row, "endings": endings})

    def funnel(self, run: str = "") -> Funnel:
        """The funnel of one run, or of everything."""
        events = self.events(FUNNEL_KINDS, run=run, outside=bool(run))
        events += self._scenarios(run)
        return funnel(sorted(events, key=lambda e: (e.at, e.id)), run)

    def _scenarios(self, run: str) -> list[Event]:
        """Of the many `stage.done` events those that the funnel looks at."""
        sql = (
            "SELECT e.id, e.ts AS at, e.kind, e.run, e.seed, e.task, e.person, e.data "
            "FROM p_stage s JOIN event e USING (seq) WHERE s.status = 'done' "
            "AND s.stage IN (SELECT unnest(?::VARCHAR[])) AND (? = '' OR s.run = ?)"
        )
        rows = self._rows(sql, [list(SCENARIO_DONE), run, run])
        return [Event(**{**r, "data": json.loads(r["data"])}) for r in rows]

    def calls(self, run: str = "") -> list[CallStats]:
        """Model calls by role, most frequent first."""
        rows = self._rows(
            """
            SELECT role, count(*) AS calls, count(*) FILTER (from_cache) AS cached,
                count(*) FILTER (NOT ok) AS failed,
                coalesce(sum(input_tokens) FILTER (NOT from_cache), 0) AS input_tokens,
                coalesce(sum(output_tokens) FILTER (NOT from_cache), 0) AS output_tokens,
                CASE WHEN count(*) FILTER (dollars IS NULL AND NOT from_cache) > 0 THEN NULL
                    ELSE coalesce(sum(dollars) FILTER (NOT from_cache), 0) END AS dollars,
                coalesce(avg(latency_s) FILTER (NOT from_cache), 0) AS latency_s
            FROM model_calls WHERE ? = '' OR run = ? GROUP BY role ORDER BY calls DESC, role
            """,
            [run, run],
        )
        return [CallStats(**r) for r in rows]

    # sources

    def skills(
        self, *, kept: bool | None = None, text: str = "", limit: int | None = None, offset: int = 0
    ) -> list[SkillRow]:
        """Skills as last read, by id; dropped ones with the rule, the reason and the line."""
        sql = """
            SELECT s.*, coalesce(c.n, 0) AS contexts, coalesce(t.n, 0) AS tasks
            FROM skills s
            LEFT JOIN (SELECT skill, max(contexts) AS n FROM contexts GROUP BY skill) c
                USING (skill)
            LEFT JOIN (
                SELECT skill, count(*) AS n FROM (SELECT unnest(skill_ids) AS skill FROM seeds)
                GROUP BY skill
            ) t USING (skill)
            WHERE (? IS NULL OR s.kept = ?)
                AND (? = '' OR contains(lower(s.skill || ' ' || s.name || ' ' || s.description), ?))
            ORDER BY s.skill
        """
        if limit is not None:
            sql += f" LIMIT {int(limit)} OFFSET {int(offset)}"
        return [skill_row(r) for r in self._rows(sql, [kept, kept, text, text.lower()])]

    def pairs(self, run: str = "") -> list[Stamped[PairJudged]]:
        """Pairs as judged, in time order."""
        events = self.events(("pair.judged",), run=run)
        return [stamped(e, PairJudged) for e in events]

    def contexts(self, run: str = "", skill: str = "") -> list[Stamped[ContextsProposed]]:
        """Contexts proposed, in time order; `skill` is a skill id."""
        found = [stamped(e, ContextsProposed) for e in self.events(("context",), run=run)]
        return [c for c in found if not skill or c.data.skill_id == skill]

    # everything

    def events(
        self,
        kinds: Sequence[EventKind] = (),
        *,
        run: str = "",
        seed: str = "",
        key: str = "",
        after: str = "",
        limit: int | None = None,
        outside: bool = False,
    ) -> list[Event]:
        """Events in time order; `key` is a task key, `after` a time (`Event.at`), exclusive.

        `outside` adds the events that belong to no run to those of `run`.
        """
        tests: list[str] = ["true"]
        values: list[Any] = []
        if kinds:
            tests.append("kind IN (SELECT unnest(?::VARCHAR[]))")
            values.append(list(kinds))
        if run:
            tests.append("(run = ? OR run = '')" if outside else "run = ?")
            values.append(run)
        for column, operator, value in (("seed", "=", seed), ("key", "=", key), ("ts", ">", after)):
            if value:
                tests.append(f"{column} {operator} ?")
                values.append(value)
        sql = (
            "SELECT id, ts AS at, kind, run, seed, task, person, data FROM event "
            f"WHERE {' AND '.join(tests)} ORDER BY ts, id"
        )
        if limit is not None:
            sql += f" LIMIT {int(limit)}"
        return [Event(**{**r, "data": json.loads(r["data"])}) for r in self._rows(sql, values)]

    def health(self) -> Health:
        """How many events and damaged lines there are, and where this index lives."""
        row = self._rows(
            "SELECT (SELECT count(*) FROM event) AS events, count(*) AS files, "
            "coalesce(sum(skipped), 0) AS skipped, coalesce(sum(unknown), 0) AS unknown "
            "FROM journal_file"
        )[0]
        return Health(**row, in_memory=self._opened.path is None, notice=self._opened.notice)

    def load_details(self) -> int:
        """Take trials and checks out of new judgements' blobs; `checks` and `sql` do so alone."""
        with self._writing, self._cursor() as con:
            return load_details(con, self.workspace.blobs)

    def sql(self, text: str, limit: int = 1000) -> Result:
        """One SELECT over the documented views; nothing can be changed, no file or host reached.

        Raises InputError with the engine's own line on anything else.
        """
        import duckdb

        with self._cursor() as con:
            try:
                statements = con.extract_statements(text)
            except duckdb.Error as error:
                raise InputError(f"SQL: {' '.join(str(error).split())[:300]}") from error
            allowed = (duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN)
            if len(statements) != 1 or statements[0].type not in allowed:
                raise InputError("SQL: give exactly one SELECT; the workspace is read-only here")
        if re.search(r"\b(p_)?(checks?|trials?)\b", text, re.IGNORECASE):
            self.load_details()
        with self._cursor() as con:
            try:
                con.execute(statements[0])
                names = tuple(str(d[0]) for d in con.description or ())
                rows = con.fetchmany(limit + 1)
            except duckdb.Error as error:
                raise InputError(f"SQL: {' '.join(str(error).split())[:300]}") from error
        return Result(
            columns=names, rows=tuple(tuple(r) for r in rows[:limit]), cut=len(rows) > limit
        )
