"""`facet sql`: documented views, read-only, sealed off from files and network."""

import pytest

from facet.errors import InputError
from facet.store import Store
from facet.store.views import VIEWS
from tests.store.story import RUN


@pytest.mark.parametrize("view", VIEWS)
def test_every_documented_view_answers(store: Store, view: str) -> None:
    found = store.sql(f"SELECT * FROM {view}")

    assert found.columns
    assert found.rows
    assert VIEWS[view].doc


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM read_text('/etc/hostname')",
        "SELECT * FROM glob('/etc/*')",
        "SELECT * FROM '/etc/passwd'",
        "SELECT * FROM read_parquet('https://host.invalid/x.parquet')",
    ],
)
def test_sql_reaches_no_file_and_no_host(store: Store, query: str) -> None:
    with pytest.raises(InputError, match="SQL: "):
        store.sql(query)


@pytest.mark.parametrize(
    "statement",
    [
        "DROP VIEW tasks",
        "DELETE FROM event",
        "INSERT INTO migration VALUES (1, 'x')",
        "COPY event TO '/tmp/facet-out.csv'",
        "ATTACH '/tmp/facet-other.duckdb'",
        "INSTALL httpfs",
        "SET enable_external_access = true",
        "SELECT 1; SELECT 2",
        "",
    ],
)
def test_sql_changes_nothing(store: Store, statement: str) -> None:
    with pytest.raises(InputError, match="read-only"):
        store.sql(statement)

    assert len(store.tasks()) == 4


@pytest.mark.parametrize("query", ["SELECT nothing FROM tasks", "SELEC 1", "SELECT 1/"])
def test_a_wrong_query_is_one_line(store: Store, query: str) -> None:
    with pytest.raises(InputError) as caught:
        store.sql(query)

    assert "\n" not in str(caught.value)


def test_rows_are_limited_and_the_cut_is_said(store: Store) -> None:
    cut = store.sql("SELECT * FROM events", limit=2)
    whole = store.sql("SELECT * FROM tasks", limit=4)

    assert (len(cut.rows), cut.cut) == (2, True)
    assert (len(whole.rows), whole.cut) == (4, False)


def test_gates_and_rounds_can_be_counted(store: Store) -> None:
    failed = store.sql("SELECT key, gate, evidence FROM gates WHERE status = 'failed'")
    rounds = store.sql("SELECT key, artifact, refused FROM rounds")

    assert failed.rows == ((f"{RUN}/0001-abcd", "builds", "COPY x"),)
    assert rounds.rows == ((f"{RUN}/0001-abcd", "solution", ""),)


def test_checks_can_be_counted_by_state(store: Store) -> None:
    found = store.sql("SELECT actor, status, count(*) FROM checks GROUP BY ALL ORDER BY ALL")

    assert found.rows == (("oracle", "failed", 3), ("oracle", "passed", 6))
