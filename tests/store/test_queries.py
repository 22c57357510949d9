"""What the store answers about tasks, runs, sources and decisions."""

from facet.store import Store
from facet.workspace import Workspace
from tests.store.story import RUN, Teller, digest, finish, read_skill

FIRST, SECOND, THIRD, FOURTH = (f"{RUN}/000{n}-abcd" for n in range(4))


def test_every_seed_has_a_row_from_the_moment_it_is_accepted(store: Store) -> None:
    rows = store.tasks()

    assert [(r.key, r.status) for r in rows] == [
        (FIRST, "valid"),
        (SECOND, "valid"),
        (THIRD, "discarded"),
        (FOURTH, "working"),
    ]
    assert rows[3].stage == "axes"
    assert rows[3].digest == ""
    assert rows[0].skills == ("a", "b")


def test_a_repaired_task_shows_its_last_digest_rounds_and_blame(store: Store) -> None:
    row = store.task(SECOND)

    assert row is not None
    assert (row.digest, row.rounds, row.blamed, row.checks) == (digest(21), 1, "solution", 20)
    assert (row.gate, row.first_time_valid) == ("", False)


def test_a_task_written_again_after_its_end_is_at_work_and_unreviewed(
    store: Store, workspace: Workspace
) -> None:
    teller = Teller(workspace, 0)
    teller.written(11, round=1)
    teller.judged(11, valid=False, round=1)
    store.ingest()

    row = store.task(FIRST)

    assert row is not None
    assert (row.status, row.digest, row.gate) == ("working", digest(11), "builds")
    assert (row.decision, row.stale_decision) == (None, "approve")


def test_a_decision_counts_for_its_digest_only(store: Store) -> None:
    first, second = store.task(FIRST), store.task(SECOND)

    assert first is not None
    assert second is not None
    assert (first.decision, first.decided_by, first.opinions) == ("approve", "ana", 1)
    assert (second.decision, second.stale_decision, second.opinions) == (None, "reject", 0)
    assert [(d.decision.task, d.current) for d in store.decisions()] == [
        (SECOND, False),
        (FIRST, True),
    ]


def test_the_latest_decision_of_a_person_stands_and_a_withdrawn_one_is_gone(
    store: Store, workspace: Workspace
) -> None:
    teller = Teller(workspace, 0)
    teller.decide("reject", 10, reason="no")
    store.ingest()
    changed = store.task(FIRST)
    teller.decide("withdraw", 10)
    store.ingest()
    withdrawn = store.task(FIRST)

    assert changed is not None
    assert withdrawn is not None
    assert changed.decision == "reject"
    assert (withdrawn.decision, withdrawn.opinions) == (None, 0)
    assert store.decisions(task=FIRST) == []


def test_two_people_who_disagree_make_a_dispute(store: Store, workspace: Workspace) -> None:
    Teller(workspace, 0).decide("reject", 10, person="ben", reason="no")
    store.ingest()

    row = store.task(FIRST)

    assert row is not None
    assert (row.disputed, row.opinions) == (True, 2)
    assert [r.key for r in store.tasks(decision="disputed")] == [FIRST]


def test_filters_narrow_and_count_the_same(store: Store) -> None:
    assert [r.key for r in store.tasks(status="valid", decision="none")] == [SECOND]
    assert [r.key for r in store.tasks(decision="stale")] == [SECOND]
    assert [r.key for r in store.tasks(decision="approve")] == [FIRST]
    assert [r.key for r in store.tasks(text="ROTATE")] == [FIRST, SECOND]
    assert store.count_tasks(skill="hub/a") == 4
    assert store.count_tasks(skill="hub/none") == 0
    assert store.tasks(run="other") == []
    assert [r.key for r in store.tasks(limit=2, offset=1)] == [SECOND, THIRD]
    assert store.tasks(text="100%_' OR true --") == []


def test_history_holds_everything_in_time_order(store: Store) -> None:
    history = store.history(SECOND)

    assert history is not None
    assert [w.data.digest for w in history.written] == [digest(20), digest(21)]
    assert [j.data.valid for j in history.judged] == [False, True]
    assert [b.data.artifact for b in history.blames] == ["solution"]
    assert [r.data.after for r in history.rounds] == [digest(21)]
    assert [e.data.rounds for e in history.environments] == [0, 1]
    assert [n.data.text for n in history.notes] == ["look at the path"]
    assert [d.data.verdict for d in history.decisions] == ["reject"]
    assert store.history("r1/none") is None


def test_an_event_that_does_not_parse_hides_no_other(store: Store, workspace: Workspace) -> None:
    workspace.journal.append("task.round", {"key": SECOND, "round": "?"}, run=RUN)
    workspace.journal.append("task.judged", {"key": SECOND, "gates": 3, "checks": "many"}, run=RUN)
    store.ingest()

    history = store.history(SECOND)

    assert history is not None
    assert len(history.rounds) == 1
    assert len(store.tasks()) == 4


def test_a_task_is_found_by_any_digest_it_had(store: Store) -> None:
    found = store.task_of(digest(20))

    assert found is not None
    assert found.key == SECOND
    assert store.task_of(digest(999)) is None


def test_a_run_is_running_only_while_its_process_holds_the_lock(
    store: Store, workspace: Workspace
) -> None:
    lock = workspace.run_lock(RUN).acquire()
    alive = store.run(RUN)
    lock.release()
    dead = store.run(RUN)
    finish(workspace)
    store.ingest()
    finished = store.run(RUN)

    assert alive is not None
    assert dead is not None
    assert finished is not None
    assert [r.status for r in (alive, dead, finished)] == ["running", "interrupted", "finished"]
    assert (dead.seeds, dead.ended, dead.valid) == (4, 3, 2)
    assert dead.endings == {"discarded": 1, "valid": 2}
    assert dead.checks == 20


def test_a_resumed_run_is_open_again(store: Store, workspace: Workspace) -> None:
    finish(workspace)
    workspace.journal.append("run.started", {"spec": {"count": 4}, "resumed": True}, run=RUN)
    store.ingest()

    row = store.run(RUN)

    assert row is not None
    assert row.status == "interrupted"


def test_an_unknown_price_is_unknown_and_cached_calls_are_free(
    store: Store, workspace: Workspace
) -> None:
    known = store.calls(RUN)[0]
    workspace.journal.append("model.call", {"role": "axes", "dollars": None}, run=RUN)
    store.ingest()
    unknown, run = store.calls(RUN)[0], store.run(RUN)

    assert (known.calls, known.cached, known.dollars, known.input_tokens) == (3, 1, 0.75, 20)
    assert unknown.dollars is None
    assert run is not None
    assert run.dollars is None


def test_a_dropped_skill_shows_the_rule_and_the_line(store: Store) -> None:
    dropped = store.skills(kept=False)

    assert [(s.skill_id, s.rule, s.line) for s in dropped] == [
        ("hub/empty", "unreadable", None),
        ("hub/keyed", "account", 7),
    ]
    assert dropped[0].reason == "is empty"
    assert [s.skill_id for s in store.skills(kept=True)] == ["hub/a", "hub/b", "hub/c"]
    assert [(s.contexts, s.tasks) for s in store.skills(text="DOES A")] == [(1, 4)]


def test_a_skill_read_again_shows_its_last_reading(store: Store, workspace: Workspace) -> None:
    read_skill(workspace.journal, "keyed")
    store.ingest()

    assert "hub/keyed" in [s.skill_id for s in store.skills(kept=True)]
    assert len(store.skills()) == 5


def test_checks_come_from_the_judgement_blob(store: Store) -> None:
    rows = store.checks(digest(21))

    assert [(r.check, r.actor, r.status) for r in rows] == [
        (f"c{n}", "oracle", "passed") for n in range(3)
    ]
    assert store.checks(digest(999)) == []


def test_a_missing_judgement_blob_hides_no_other(store: Store, workspace: Workspace) -> None:
    gone = {"key": FIRST, "digest": digest(50), "blob": digest(51), "gates": []}
    workspace.journal.append("task.judged", gone, run=RUN)
    store.ingest()

    assert store.checks(digest(50)) == []
    assert len(store.checks(digest(10))) == 3
    assert store.load_details() == 0


def test_pairs_and_contexts_keep_their_reasons(store: Store) -> None:
    assert [p.data.verdict.keep for p in store.pairs(RUN)] == [True, False]
    assert [c.data.not_covered for c in store.contexts(RUN, "hub/c")] == ["no recipe"]


def test_events_can_be_followed_from_a_time(store: Store, workspace: Workspace) -> None:
    last = store.events(limit=1000)[-1]
    added = workspace.journal.append("run.log", {"text": "new"}, run=RUN)
    store.ingest()

    assert store.events(after=last.at) == [added]
    assert store.events(("run.log",), run=RUN) == [added]
