"""Month-end work on a SQLite ledger: database, a user, an environment variable, modes."""

from facet.selftest.golden.build import golden
from facet.types.manifest import Manifest, PlannedFile, User
from facet.types.task import Task

SEED = b"""CREATE TABLE account (id INTEGER PRIMARY KEY, owner TEXT NOT NULL, kind TEXT NOT NULL);
CREATE TABLE entry (id INTEGER PRIMARY KEY, account INTEGER, day TEXT, cents INTEGER);
INSERT INTO account VALUES (1,'ada','savings'),(2,'bob','checking'),(3,'cyd','checking'),
 (4,'dee','savings');
INSERT INTO entry VALUES (1,1,'2026-03-02',10000),(2,1,'2026-03-20',-2500),(3,2,'2026-02-28',700),
 (4,2,'2026-03-31',-1200),(5,3,'2026-04-01',9900),(6,9,'2026-03-05',50),(7,1,'2026-04-02',1);
"""
POLICY = b"""# month-end policy
overdraft_fee_cents = 300
report_owner = ledger
"""

INSTRUCTION = """
Close the month of the ledger `/app/ledger.db` (SQLite; tables `account` and `entry`, amounts in
cents). The closing day is in the environment variable `CLOSING_DAY`; only entries on or before it
count. The policy is in `/app/policy.conf`.

1. Move entries whose account does not exist from `entry` to a new table `orphan` with the columns
   of `entry`.
2. Add a table `balance(account INTEGER PRIMARY KEY, cents INTEGER)` with one row per account: the
   sum of its entries up to the closing day, 0 without any.
3. Charge the policy's overdraft fee once to every account whose balance is below zero: lower its
   row in `balance`, and add an entry on the closing day with the negative fee.
4. Write `/app/export/balances.tsv`: header `owner<TAB>kind<TAB>cents`, one line per account with
   its balance after the fee, sorted by owner. It belongs to the policy's `report_owner` and only
   that user may read and write it, its group may read it (mode 0640).
5. Add an index named `entry_by_day` on `entry(day)`.
6. Write the number of accounts charged as one line to `/app/export/charged.txt`.

`account` and `/app/policy.conf` stay as they are.
"""

SQL = """#!/bin/bash
set -euo pipefail
fee=$(awk -F' *= *' '$1=="overdraft_fee_cents"{print $2}' /app/policy.conf)
owner=$(awk -F' *= *' '$1=="report_owner"{print $2}' /app/policy.conf)
mkdir -p /app/export
sqlite3 /app/ledger.db <<SQL
CREATE TABLE orphan AS SELECT * FROM entry WHERE account NOT IN (SELECT id FROM account);
DELETE FROM entry WHERE account NOT IN (SELECT id FROM account);
CREATE TABLE balance (account INTEGER PRIMARY KEY, cents INTEGER);
INSERT INTO balance SELECT a.id, COALESCE((SELECT SUM(cents) FROM entry e
  WHERE e.account = a.id AND e.day <= '$CLOSING_DAY'), 0) FROM account a;
"""
FEE = """INSERT INTO entry (account, day, cents)
  SELECT account, '$CLOSING_DAY', -$fee FROM balance WHERE cents < 0;
UPDATE balance SET cents = cents - $fee WHERE cents < 0;
"""
INDEX = """CREATE INDEX entry_by_day ON entry(day);
SQL
"""
EXPORT = """{ printf 'owner\\tkind\\tcents\\n'
  sqlite3 -separator $'\\t' /app/ledger.db "SELECT owner, kind, cents FROM account
    JOIN balance ON balance.account = account.id ORDER BY owner"; } > /app/export/balances.tsv
sqlite3 /app/ledger.db "SELECT COUNT(*) FROM entry WHERE day = '$CLOSING_DAY' AND cents = -$fee" \\
  > /app/export/charged.txt
"""
OWN = """chown "$owner" /app/export/balances.tsv
chmod 0640 /app/export/balances.tsv
"""

TESTS = """
import pwd
import sqlite3
from pathlib import Path

import pytest

EXPORT = Path("/app/export/balances.tsv")


def ask(sql):
    connection = sqlite3.connect("file:/app/ledger.db?mode=ro", uri=True)
    try:
        return connection.execute(sql).fetchall()
    except sqlite3.OperationalError as error:
        pytest.fail(f"{sql}: {error}")
    finally:
        connection.close()


def lines():
    assert EXPORT.is_file(), f"{EXPORT} is missing"
    return EXPORT.read_text().splitlines()


@pytest.mark.check(id="orphan.moved", title="orphan entries are in `orphan`")
def test_orphan_moved():
    assert ask("SELECT id, account, day, cents FROM orphan") == [(6, 9, "2026-03-05", 50)], "orphan"


@pytest.mark.check(id="orphan.gone", title="orphan entries are no longer in `entry`")
def test_orphan_gone():
    assert ask("SELECT COUNT(*) FROM entry WHERE account = 9") == [(0,)], "entries of account 9"


@pytest.mark.check(id="entry.kept", title="all other entries are kept", guard=True)
def test_entry_kept():
    found = ask("SELECT id FROM entry WHERE id IN (1, 2, 3, 4, 5, 7) ORDER BY id")
    assert found == [(1,), (2,), (3,), (4,), (5,), (7,)], "entries"


@pytest.mark.check(id="balance.rows", title="every account has one balance")
def test_balance_rows():
    assert ask("SELECT account FROM balance ORDER BY account") == [(1,), (2,), (3,), (4,)], "rows"


@pytest.mark.check(id="balance.sum", title="a balance sums entries up to the closing day")
def test_balance_sum():
    assert ask("SELECT cents FROM balance WHERE account = 1") == [(7500,)], "account 1"


@pytest.mark.check(id="balance.later", title="entries after the closing day do not count")
def test_balance_later():
    assert ask("SELECT cents FROM balance WHERE account = 3") == [(0,)], "account 3"


@pytest.mark.check(id="balance.empty", title="an account without entries has balance 0")
def test_balance_empty():
    assert ask("SELECT cents FROM balance WHERE account = 4") == [(0,)], "account 4"


@pytest.mark.check(id="fee.balance", title="the overdrawn account is lowered by the fee")
def test_fee_balance():
    assert ask("SELECT cents FROM balance WHERE account = 2") == [(-800,)], "account 2"


@pytest.mark.check(id="fee.entry", title="the fee is booked on the closing day")
def test_fee_entry():
    found = ask("SELECT account, day, cents FROM entry WHERE cents = -300")
    assert found == [(2, "2026-03-31", -300)], "fee entries"


@pytest.mark.check(id="fee.consistent", title="balances equal the sums of booked entries")
def test_fee_consistent():
    found = ask(
        "SELECT b.account, b.cents, COALESCE((SELECT SUM(cents) FROM entry e WHERE "
        "e.account = b.account AND e.day <= '2026-03-31'), 0) FROM balance b ORDER BY 1"
    )
    assert found, "no balances"
    assert [f[1] for f in found] == [f[2] for f in found], f"{found}"


@pytest.mark.check(id="index.exists", title="the index entry_by_day exists")
def test_index():
    found = ask("SELECT tbl_name FROM sqlite_master WHERE type = 'index' AND name = 'entry_by_day'")
    assert found == [("entry",)], "index"


@pytest.mark.check(id="index.column", title="the index is on the day")
def test_index_column():
    assert [r[2] for r in ask("PRAGMA index_info('entry_by_day')")] == ["day"], "columns"


@pytest.mark.check(id="export.header", title="the export has its header")
def test_export_header():
    assert lines()[0] == "owner\\tkind\\tcents", "header"


@pytest.mark.check(id="export.lines", title="the export has every account, sorted by owner")
def test_export_lines():
    assert [x.split("\\t")[0] for x in lines()[1:]] == ["ada", "bob", "cyd", "dee"], "owners"


@pytest.mark.check(id="export.cents", title="the export shows balances after the fee")
def test_export_cents():
    assert [x.split("\\t")[-1] for x in lines()[1:]] == ["7500", "-800", "0", "0"], "cents"


@pytest.mark.check(id="export.kind", title="the export shows the kind of each account")
def test_export_kind():
    found = [x.split("\\t")[1] for x in lines()[1:]]
    assert found == ["savings", "checking", "checking", "savings"], "kinds"


@pytest.mark.check(id="export.owner", title="the export belongs to the policy's owner")
def test_export_owner():
    assert EXPORT.is_file(), "balances.tsv is missing"
    assert pwd.getpwuid(EXPORT.stat().st_uid).pw_name == "ledger", "owner"


@pytest.mark.check(id="export.mode", title="the export is readable by owner and group only")
def test_export_mode():
    assert EXPORT.is_file(), "balances.tsv is missing"
    assert oct(EXPORT.stat().st_mode & 0o777) == "0o640", "mode"


@pytest.mark.check(id="charged", title="the number of charged accounts is written")
def test_charged():
    path = Path("/app/export/charged.txt")
    assert path.is_file(), "charged.txt is missing"
    assert path.read_text().strip() == "1", "accounts charged"


@pytest.mark.check(id="account.kept", title="accounts are as they were", guard=True)
def test_accounts():
    found = ask("SELECT id || owner || kind FROM account ORDER BY id")
    assert [f[0] for f in found] == ["1adasavings", "2bobchecking", "3cydchecking", "4deesavings"]
"""


def task() -> Task:
    """The task, valid as it is."""
    return golden(
        "accounts",
        manifest=Manifest(
            files=(
                PlannedFile(path="/app/seed.sql", data=SEED, mode="0600"),
                PlannedFile(path="/app/policy.conf", data=POLICY, owner="ledger"),
                PlannedFile(path="/app/export", kind="dir", mode="0755"),
            ),
            users=(User(name="ledger", uid=1600),),
            env=(("CLOSING_DAY", "2026-03-31"),),
            setup=("sqlite3 /app/ledger.db < /app/seed.sql",),
        ),
        instruction=INSTRUCTION,
        solve=SQL + FEE + INDEX + EXPORT + OWN,
        partials={
            "no-fee": SQL + INDEX + EXPORT + OWN,
            "root-keeps-export": SQL + FEE + INDEX + EXPORT,
        },
        tests=TESTS,
    )
