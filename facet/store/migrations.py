"""The schema as a list of steps; the names of applied ones are kept in the database.

A change of schema is a new function at the end, never an edit of an old one. The index can be
made again from the journal at any time, so a step that needs values it did not store may call
`reproject`.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from facet.store.projections import reproject

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def m001_events(con: "DuckDBPyConnection") -> None:
    """Events as they are in the journal, and how far each file was read."""
    con.execute(
        """
        CREATE TABLE event (
            seq BIGINT NOT NULL, id VARCHAR NOT NULL, ts VARCHAR NOT NULL, kind VARCHAR NOT NULL,
            run VARCHAR NOT NULL, seed VARCHAR NOT NULL, task VARCHAR NOT NULL,
            person VARCHAR NOT NULL, key VARCHAR NOT NULL, data JSON NOT NULL
        );
        CREATE TABLE journal_file (
            name VARCHAR NOT NULL, read_to BIGINT NOT NULL, skipped BIGINT NOT NULL,
            unknown BIGINT NOT NULL
        );
        """
    )


def m002_projections(con: "DuckDBPyConnection") -> None:
    """Typed columns of the kinds that screens and statistics ask for, filled from `event`."""
    con.execute(
        """
        CREATE TABLE p_skill (seq BIGINT, ts VARCHAR, run VARCHAR, skill VARCHAR, name VARCHAR,
            description VARCHAR, kept BOOLEAN, source VARCHAR, licence VARCHAR, blob VARCHAR,
            findings JSON, reason VARCHAR, id VARCHAR);
        CREATE TABLE p_context (seq BIGINT, ts VARCHAR, run VARCHAR, skill VARCHAR,
            contexts INTEGER, not_covered VARCHAR, id VARCHAR);
        CREATE TABLE p_pair (seq BIGINT, ts VARCHAR, run VARCHAR, skill_a VARCHAR,
            skill_b VARCHAR, kept BOOLEAN, complementary VARCHAR, executable VARCHAR, id VARCHAR);
        CREATE TABLE p_seed (seq BIGINT, ts VARCHAR, run VARCHAR, seed VARCHAR, key VARCHAR,
            number INTEGER, skill_ids VARCHAR[], skill_names VARCHAR[], capabilities VARCHAR[],
            id VARCHAR);
        CREATE TABLE p_stage (seq BIGINT, ts VARCHAR, run VARCHAR, seed VARCHAR, key VARCHAR,
            stage VARCHAR, status VARCHAR, seconds DOUBLE, error VARCHAR, id VARCHAR);
        CREATE TABLE p_written (seq BIGINT, ts VARCHAR, run VARCHAR, seed VARCHAR, key VARCHAR,
            digest VARCHAR, name VARCHAR, title VARCHAR, theme VARCHAR, model VARCHAR,
            ordering VARCHAR, round INTEGER, id VARCHAR);
        CREATE TABLE p_judged (seq BIGINT, ts VARCHAR, run VARCHAR, seed VARCHAR, key VARCHAR,
            digest VARCHAR, round INTEGER, valid BOOLEAN, checks INTEGER, blob VARCHAR,
            seconds DOUBLE, gates JSON, id VARCHAR);
        CREATE TABLE p_blame (seq BIGINT, ts VARCHAR, run VARCHAR, key VARCHAR, digest VARCHAR,
            round INTEGER, artifact VARCHAR, category VARCHAR, rule VARCHAR, decided_by VARCHAR,
            gate VARCHAR, id VARCHAR);
        CREATE TABLE p_round (seq BIGINT, ts VARCHAR, run VARCHAR, key VARCHAR, number INTEGER,
            artifact VARCHAR, category VARCHAR, rule VARCHAR, before VARCHAR, after VARCHAR,
            refused VARCHAR, id VARCHAR);
        CREATE TABLE p_environment (seq BIGINT, ts VARCHAR, run VARCHAR, key VARCHAR,
            environment VARCHAR, rounds INTEGER, mismatches INTEGER, seconds DOUBLE, id VARCHAR);
        CREATE TABLE p_ended (seq BIGINT, ts VARCHAR, run VARCHAR, seed VARCHAR, key VARCHAR,
            ending VARCHAR, reason VARCHAR, digest VARCHAR, rounds INTEGER,
            environment_rounds INTEGER, first_time_valid BOOLEAN, checks INTEGER, seconds DOUBLE,
            id VARCHAR);
        CREATE TABLE p_decision (seq BIGINT, ts VARCHAR, key VARCHAR, digest VARCHAR,
            verdict VARCHAR, reason VARCHAR, artifact VARCHAR, check_id VARCHAR, line INTEGER,
            note VARCHAR, person VARCHAR, shown_ms BIGINT, id VARCHAR);
        CREATE TABLE p_call (seq BIGINT, ts VARCHAR, run VARCHAR, seed VARCHAR, key VARCHAR,
            role VARCHAR, model VARCHAR, attempt INTEGER, input_tokens BIGINT,
            cached_tokens BIGINT, output_tokens BIGINT, dollars DOUBLE, latency_s DOUBLE,
            retries INTEGER, from_cache BOOLEAN, ok BOOLEAN, error VARCHAR, id VARCHAR);
        CREATE TABLE p_run_started (seq BIGINT, ts VARCHAR, run VARCHAR, spec JSON,
            resumed BOOLEAN, id VARCHAR);
        CREATE TABLE p_run_finished (seq BIGINT, ts VARCHAR, run VARCHAR, status VARCHAR,
            seconds DOUBLE, dollars DOUBLE, reason VARCHAR, id VARCHAR);
        CREATE TABLE p_trial (seq BIGINT, ts VARCHAR, run VARCHAR, key VARCHAR, digest VARCHAR,
            judged VARCHAR, actor VARCHAR, label VARCHAR, outcome VARCHAR, detail VARCHAR,
            reward DOUBLE, actor_exit INTEGER, total_s DOUBLE, id VARCHAR);
        CREATE TABLE p_check (seq BIGINT, digest VARCHAR, judged VARCHAR, actor VARCHAR,
            label VARCHAR, check_id VARCHAR, title VARCHAR, status VARCHAR, message VARCHAR,
            guard BOOLEAN, weight DOUBLE, id VARCHAR);
        """
    )
    reproject(con)


MIGRATIONS: tuple[Callable[["DuckDBPyConnection"], None], ...] = (m001_events, m002_projections)


def applied(con: "DuckDBPyConnection") -> list[str]:
    """Names of the steps this database has seen, in order."""
    con.execute("CREATE TABLE IF NOT EXISTS migration (number INTEGER, name VARCHAR)")
    return [str(r[0]) for r in con.execute("SELECT name FROM migration ORDER BY number").fetchall()]


def unknown_steps(con: "DuckDBPyConnection") -> list[str]:
    """Applied steps that this version does not have: the index is of a newer FACET."""
    known = {m.__name__ for m in MIGRATIONS}
    return [name for name in applied(con) if name not in known]


def migrate(con: "DuckDBPyConnection") -> list[str]:
    """Apply what is missing, each step in one transaction with its name; the names applied."""
    done = applied(con)
    new = [m for m in MIGRATIONS if m.__name__ not in done]
    for number, step in enumerate(new, start=len(done)):
        con.begin()
        try:
            step(con)
            con.execute("INSERT INTO migration VALUES (?, ?)", [number, step.__name__])
            con.commit()
        except BaseException:
            con.rollback()
            raise
    return [m.__name__ for m in new]
