"""The documented views: what `facet sql` shows and what the store's own queries stand on.

Views are made anew at every opening, so changing one needs no migration. Times are UTC in
ISO 8601, durations seconds, money US dollars (NULL = unknown price), digests `sha256:<hex>`.
"""

from typing import NamedTuple


class View(NamedTuple):
    """One view: what a row is, and its SELECT."""

    doc: str
    sql: str


_LATEST = "QUALIFY row_number() OVER (PARTITION BY {by} ORDER BY ts DESC, id DESC) = 1"


def _latest(by: str) -> str:
    return _LATEST.format(by=by)


VIEWS: dict[str, View] = {
    "events": View(
        "every journal record; `data` is its JSON payload",
        "SELECT ts, kind, run, seed, key, task, person, id, data FROM event",
    ),
    "skills": View(
        "each skill package as last read: kept, or dropped with the first rule and its line",
        f"""
        SELECT skill, name, description, coalesce(kept, false) AS kept,
            CASE WHEN blob = '' THEN 'unreadable' ELSE coalesce(hit->>'rule', '') END AS rule,
            CASE WHEN blob = '' THEN reason ELSE coalesce(hit->>'reason', '') END AS reason,
            coalesce(hit->>'path', '') AS path, TRY_CAST(hit->>'line' AS INTEGER) AS line,
            coalesce(hit->>'excerpt', '') AS excerpt, source, licence, run, ts, blob, findings
        FROM (
            SELECT *, list_extract(list_filter(CAST(findings AS JSON[]),
                lambda f: f->>'effect' = 'drop'), 1) AS hit
            FROM (SELECT * FROM p_skill {_latest("skill")})
        )
        """,
    ),
    "contexts": View(
        "application contexts proposed per run and skill; 0 with the reason",
        f"SELECT run, skill, contexts, not_covered, ts FROM p_context {_latest('run, skill')}",
    ),
    "pairs": View(
        "skill pairs as judged, with the judge's two reasons",
        "SELECT run, skill_a, skill_b, coalesce(kept, false) AS kept, complementary, executable, "
        "ts FROM p_pair",
    ),
    "seeds": View(
        "accepted seeds: two skills with their capabilities",
        f"SELECT key, run, seed, number, skill_ids, skill_names, capabilities, ts "
        f"FROM p_seed {_latest('key')}",
    ),
    "stages": View(
        "stages of seeds, one row per start, end and failure",
        "SELECT key, run, seed, stage, status, seconds, error, ts FROM p_stage",
    ),
    "validations": View(
        "verdicts of `facet validate` on folders, by digest of their content",
        """
        SELECT data->>'path' AS path, data->>'name' AS name, data->>'state' AS state,
            data->>'verdict' AS verdict, data->>'blamed' AS blamed, data->>'rule' AS rule,
            TRY_CAST(data->>'seconds' AS DOUBLE) AS seconds, data->>'folder' AS folder, ts,
            data->>'blob' AS blob
        FROM event WHERE kind = 'task.validated'
        """,
    ),
    "gates": View(
        "gates of every judgement",
        """
        SELECT key, digest, round, gate->>'name' AS gate, gate->>'status' AS status,
            gate->>'evidence' AS evidence, position, ts
        FROM (
            SELECT key, digest, round, ts, unnest(CAST(gates AS JSON[])) AS gate,
                generate_subscripts(CAST(gates AS JSON[]), 1) AS position
            FROM p_judged
        )
        """,
    ),
    "judgements": View(
        "judgements of task digests; `blob` holds gates, trials and logs",
        "SELECT key, run, seed, digest, round, coalesce(valid, false) AS valid, checks, seconds, "
        "blob, ts FROM p_judged",
    ),
    "trials": View(
        "trials of judgements and single trials: one actor in one fresh container",
        "SELECT key, run, digest, actor, label, outcome, detail, reward, actor_exit, total_s, ts "
        "FROM p_trial",
    ),
    "checks": View(
        "each check in each trial",
        "SELECT t.key, c.digest, c.actor, c.label, c.check_id AS check_name, c.title, c.status, "
        "c.message, c.guard, c.weight, t.ts FROM p_check c JOIN p_trial t ON t.id = c.id "
        "AND t.actor = c.actor AND t.label = c.label",
    ),
    "blames": View(
        "who was blamed for a failed gate, and by which rule",
        "SELECT key, digest, round, artifact, category, rule, decided_by, gate, ts FROM p_blame",
    ),
    "rounds": View(
        "repair rounds: one artifact rewritten, or the rewrite refused",
        "SELECT key, number, artifact, category, rule, before, after, refused, ts FROM p_round",
    ),
    "environments": View(
        "environments built and probed; `rounds` = environment repair rounds it took",
        "SELECT key, environment, rounds, mismatches, seconds, ts FROM p_environment",
    ),
    "written": View(
        "every version of every task",
        "SELECT key, digest, name, title, theme, model, ordering, round, ts FROM p_written",
    ),
    "decisions": View(
        "the latest decision of each person on each task; `is_current` is false when stale",
        f"""
        SELECT d.key, d.digest, d.verdict, d.reason, d.artifact, d.check_id, d.line, d.note,
            d.person, d.shown_ms, d.ts, d.id, d.digest = coalesce(c.digest, '') AS is_current
        FROM (SELECT * FROM p_decision {_latest("key, person")}) d
        LEFT JOIN current_digest c USING (key)
        WHERE d.verdict <> 'withdraw'
        """,
    ),
    "model_calls": View(
        "the ledger: every model call",
        "SELECT run, seed, key, role, model, attempt, input_tokens, cached_tokens, output_tokens, "
        "dollars, latency_s, retries, from_cache, ok, error, ts FROM p_call",
    ),
    "tasks": View(
        "one row per seed: its task as it stands now",
        f"""
        WITH seed AS (SELECT * FROM p_seed {_latest("key")}),
        written AS (SELECT * FROM p_written {_latest("key")}),
        judged AS (SELECT * FROM p_judged {_latest("key")}),
        blamed AS (SELECT * FROM p_blame {_latest("key")}),
        ended AS (SELECT * FROM p_ended {_latest("key")}),
        staged AS (SELECT * FROM p_stage {_latest("key")}),
        times AS (
            SELECT key, min(ts) AS created, max(ts) AS updated, min(run) AS run,
                max(seed) AS seed
            FROM event
            WHERE key <> '' AND kind NOT IN ('decision', 'note', 'probe')
            GROUP BY key
        ),
        decided AS (
            SELECT key, arg_max(verdict, ts) FILTER (is_current) AS decision,
                arg_max(person, ts) FILTER (is_current) AS decided_by,
                arg_max(verdict, ts) FILTER (NOT is_current) AS stale,
                count(*) FILTER (is_current) AS opinions,
                count(DISTINCT verdict) FILTER (is_current AND verdict IN ('approve', 'reject'))
                    > 1 AS disputed
            FROM decisions
            GROUP BY key
        )
        SELECT t.key, t.run, t.seed, coalesce(c.digest, '') AS digest,
            coalesce(w.name, '') AS name, coalesce(w.title, '') AS title,
            coalesce(w.theme, '') AS theme, coalesce(w.model, '') AS model,
            coalesce(w.ordering, '') AS ordering,
            CASE WHEN e.ending IS NULL OR e.ending = '' OR w.ts > e.ts THEN 'working'
                ELSE e.ending END AS status,
            coalesce(e.reason, '') AS reason, coalesce(g.stage, '') AS stage,
            coalesce(list_extract(list_filter(CAST(j.gates AS JSON[]),
                lambda x: x->>'status' NOT IN ('passed', 'not_applicable')), 1)->>'name', '')
                AS gate,
            coalesce(b.artifact, '') AS blamed,
            coalesce(s.skill_names, []) AS skills, coalesce(s.skill_ids, []) AS skill_ids,
            coalesce(s.capabilities, []) AS capabilities,
            coalesce(nullif(e.checks, 0), j.checks, 0) AS checks,
            coalesce(e.rounds, w.round, 0) AS rounds,
            coalesce(e.environment_rounds, 0) AS environment_rounds,
            coalesce(e.first_time_valid, false) AS first_time_valid,
            coalesce(e.seconds, 0) AS seconds, t.created, t.updated,
            d.decision, coalesce(d.decided_by, '') AS decided_by,
            CASE WHEN d.decision IS NULL THEN d.stale END AS stale_decision,
            coalesce(d.opinions, 0) AS opinions, coalesce(d.disputed, false) AS disputed
        FROM times t
        LEFT JOIN seed s USING (key) LEFT JOIN written w USING (key)
        LEFT JOIN judged j USING (key) LEFT JOIN blamed b USING (key)
        LEFT JOIN ended e USING (key) LEFT JOIN staged g USING (key)
        LEFT JOIN current_digest c USING (key) LEFT JOIN decided d USING (key)
        WHERE s.key IS NOT NULL OR w.key IS NOT NULL OR j.key IS NOT NULL OR e.key IS NOT NULL
        """,
    ),
    "runs": View(
        "one row per run with its counts and cost",
        f"""
        WITH started AS (
            SELECT run, min(ts) AS started, arg_max(spec, ts) AS spec FROM p_run_started
            GROUP BY run
        ),
        finished AS (
            SELECT f.* FROM p_run_finished f
            JOIN (SELECT run, max(ts) AS last FROM p_run_started GROUP BY run) s
                ON s.run = f.run AND f.ts >= s.last
            {_latest("f.run").replace(" ts ", " f.ts ").replace(" id ", " f.id ")}
        ),
        last AS (SELECT run, max(ts) AS last_event FROM event WHERE run <> '' GROUP BY run),
        accepted AS (SELECT run, count(DISTINCT key) AS seeds FROM p_seed GROUP BY run),
        done AS (
            SELECT run, count(*) AS ended, count(*) FILTER (ending = 'valid') AS valid,
                avg(checks) FILTER (ending = 'valid') AS checks
            FROM (SELECT * FROM p_ended {_latest("key")}) GROUP BY run
        ),
        called AS (
            SELECT run, count(*) AS calls, count(*) FILTER (from_cache) AS cached_calls,
                sum(input_tokens + output_tokens) FILTER (NOT from_cache) AS tokens,
                CASE WHEN count(*) FILTER (dollars IS NULL AND NOT from_cache) > 0 THEN NULL
                    ELSE coalesce(sum(dollars) FILTER (NOT from_cache), 0) END AS dollars
            FROM p_call GROUP BY run
        )
        SELECT s.run, s.started, coalesce(f.ts, '') AS finished,
            coalesce(f.status, 'open') AS status, coalesce(s.spec->>'model', '') AS model,
            coalesce(s.spec->>'order', '') AS ordering,
            coalesce(TRY_CAST(s.spec->>'count' AS INTEGER), 0) AS count,
            coalesce(TRY_CAST(s.spec->>'seed' AS INTEGER), 0) AS seed,
            coalesce(a.seeds, 0) AS seeds, coalesce(d.ended, 0) AS ended,
            coalesce(d.valid, 0) AS valid, d.checks, coalesce(c.calls, 0) AS calls,
            coalesce(c.cached_calls, 0) AS cached_calls, coalesce(c.tokens, 0) AS tokens,
            CASE WHEN c.calls IS NULL THEN 0 ELSE c.dollars END AS dollars,
            epoch(CAST(l.last_event AS TIMESTAMPTZ)) - epoch(CAST(s.started AS TIMESTAMPTZ))
                AS seconds,
            coalesce(f.reason, '') AS reason
        FROM started s LEFT JOIN finished f USING (run) LEFT JOIN last l USING (run)
        LEFT JOIN accepted a USING (run) LEFT JOIN done d USING (run)
        LEFT JOIN called c USING (run)
        """,
    ),
}
"""Name, meaning and SELECT of each documented view."""

CURRENT_DIGEST = f"""
    SELECT key, digest FROM (
        SELECT key, digest, ts, id FROM p_written
        UNION ALL SELECT key, digest, ts, id FROM p_ended WHERE digest <> ''
    ) {_latest("key")}
"""
"""Internal view: the digest a task has now, which it was last written or ended with."""


def create_statements() -> list[str]:
    """Statements that make every view anew, in an order in which each finds what it needs."""
    views = [("current_digest", CURRENT_DIGEST), *((n, v.sql) for n, v in VIEWS.items())]
    return [f"CREATE OR REPLACE VIEW {name} AS {sql}" for name, sql in views]
