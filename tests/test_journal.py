"""The journal: nothing acknowledged is lost, whatever is torn, killed or full."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from facet.errors import JournalError
from facet.journal import Journal, decode, encode, read_tail
from facet.types.event import Event
from facet.types.payloads import RunLog

ROOT = Path(__file__).resolve().parents[1]

WRITER = """
import sys
from pathlib import Path
from facet.journal import Journal
journal = Journal(Path(sys.argv[1]))
size, count = int(sys.argv[3]), int(sys.argv[4])
for n in range(count):
    event = journal.append("run.log", {"text": "x" * size, "n": n}, run=sys.argv[2])
    print(event.id, flush=True)
"""


def start_writer(folder: Path, run: str, size: int, count: int) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder), run, str(size), str(count)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )


def test_what_was_appended_is_read_back(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal")
    event = journal.append("run.log", RunLog(text="ä\n\u2028 ok"), run="r", person="p")

    assert list(Journal(tmp_path / "journal").read()) == [event]


def test_times_within_a_process_never_repeat(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    times = [journal.append("run.log", {"text": ""}).at for _ in range(50)]

    assert times == sorted(set(times))


def test_the_same_id_is_the_same_event(tmp_path: Path) -> None:
    first, second = Journal(tmp_path), Journal(tmp_path)
    kept = first.append("run.log", {"text": "first"}, id="one")
    first.append("run.log", {"text": "again"}, id="one")
    second.append("run.log", {"text": "elsewhere"}, id="two")

    read = list(Journal(tmp_path).read())

    assert [e.id for e in read if e.id == "one"] == ["one"]
    assert kept in read


def test_each_journal_object_has_a_file_of_its_own(tmp_path: Path) -> None:
    for text in ("a", "b"):
        Journal(tmp_path).append("run.log", {"text": text})

    assert len(Journal(tmp_path).files()) == 2


def test_files_are_read_in_the_order_in_which_they_were_begun(tmp_path: Path) -> None:
    """Also within one second: what a run and its resumption say of a task, the last one counts."""
    said = [Journal(tmp_path).append("run.log", {"text": str(n)}) for n in range(20)]

    assert list(Journal(tmp_path).read()) == said


def test_threads_of_one_process_lose_nothing(tmp_path: Path) -> None:
    journal = Journal(tmp_path)

    def write(name: str) -> None:
        for n in range(40):
            journal.append("run.log", {"text": f"{name}{n}"})

    threads = [threading.Thread(target=write, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len({e.data["text"] for e in journal.read()}) == 160
    assert journal.skipped == 0


def test_a_forked_child_writes_a_file_of_its_own(tmp_path: Path) -> None:
    code = """
import os, sys
from pathlib import Path
from facet.journal import Journal
journal = Journal(Path(sys.argv[1]))
journal.append("run.log", {"text": "parent"})
child = os.fork()
if child == 0:
    journal.append("run.log", {"text": "child"})
    os._exit(0)
os.waitpid(child, 0)
journal.append("run.log", {"text": "parent again"})
"""
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True, cwd=ROOT, timeout=120)
    texts = [[e.data["text"] for e in read_tail(p, 0).events] for p in Journal(tmp_path).files()]

    assert sorted(texts) == [["child"], ["parent", "parent again"]]


def test_two_processes_write_at_once_and_nothing_is_lost(tmp_path: Path) -> None:
    writers = [start_writer(tmp_path, run, 200, 150) for run in ("a", "b")]
    said = {line.strip() for w in writers for line in (w.communicate(timeout=120)[0]).splitlines()}
    journal = Journal(tmp_path)

    assert said == {e.id for e in journal.read()}
    assert len(said) == 300
    assert (journal.skipped, len(journal.files())) == (0, 2)


def test_kill_9_in_mid_write_loses_no_acknowledged_event(tmp_path: Path) -> None:
    said: set[str] = set()
    for number in range(3):
        writer = start_writer(tmp_path, str(number), 400_000, 100_000)
        assert writer.stdout is not None
        said.add(writer.stdout.readline().strip())
        time.sleep(0.05 * number)
        os.kill(writer.pid, signal.SIGKILL)
        said |= {line.strip() for line in writer.stdout.read().splitlines() if len(line) == 33}
        said.discard("")
        writer.wait(timeout=60)
        writer.stdout.close()
    after = Journal(tmp_path).append("run.log", {"text": "after"})

    found = {e.id for e in Journal(tmp_path).read()}

    assert said <= found
    assert after.id in found


@pytest.mark.parametrize("cut", [1, 2, 30, 80])
def test_a_torn_record_is_skipped_and_does_not_swallow_the_next(tmp_path: Path, cut: int) -> None:
    events = [Event(id=str(n), at="2026", kind="run.log", data={"text": "x" * 50}) for n in (1, 2)]
    torn, whole = map(encode, events)
    (tmp_path / "a.jsonl").write_bytes(torn[:-cut] + whole)
    journal = Journal(tmp_path)

    expected = ["1", "2"] if cut == 1 else ["2"]
    assert [e.id for e in journal.read()] == expected
    assert journal.skipped == (0 if cut == 1 else 1)


def test_a_tail_without_its_newline_is_counted_and_read_once_it_is_whole(tmp_path: Path) -> None:
    record = encode(Event(id="1", at="2026", kind="run.log", data={}))
    path = tmp_path / "a.jsonl"
    path.write_bytes(record[:-1])
    journal = Journal(tmp_path)
    assert list(journal.read()) == []
    assert journal.skipped == 1

    tail = read_tail(path, 0)
    path.write_bytes(record)

    assert [e.id for e in read_tail(path, tail.offset).events] == ["1"]


def test_a_kind_from_a_newer_version_is_counted_and_hides_nothing(tmp_path: Path) -> None:
    newer = {"id": "1", "at": "2030", "kind": "moon.landed", "data": {}}
    known = encode(Event(id="2", at="2026", kind="run.log", data={}))
    (tmp_path / "a.jsonl").write_bytes(b"\n" + json.dumps(newer).encode() + b"\n" + known)
    journal = Journal(tmp_path)

    assert [e.id for e in journal.read()] == ["2"]
    assert (journal.unknown, journal.skipped) == (1, 0)


def test_a_linked_journal_file_is_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_bytes(encode(Event(id="1", at="2026", kind="run.log", data={})))
    (tmp_path / "journal").mkdir()
    (tmp_path / "journal" / "a.jsonl").symlink_to(outside)

    assert list(Journal(tmp_path / "journal").read()) == []


def test_a_full_disk_is_an_error_and_the_next_reader_sees_only_whole_events(tmp_path: Path) -> None:
    code = """
import resource, signal, sys
from pathlib import Path
from facet.errors import JournalError
from facet.journal import Journal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (3000, resource.RLIM_INFINITY))
journal = Journal(Path(sys.argv[1]))
for n in range(20):
    try:
        print(journal.append("run.log", {"text": "x" * 700}).id, flush=True)
    except JournalError as error:
        print("refused", error)
        break
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        check=True,
        cwd=ROOT,
        timeout=120,
        capture_output=True,
        text=True,
    )
    *said, last = done.stdout.splitlines()
    journal = Journal(tmp_path)

    assert "nothing saved" in last
    assert [e.id for e in journal.read()] == said
    assert journal.skipped == 1


def test_a_folder_that_cannot_be_made_is_a_journal_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(JournalError, match="nothing saved"):
        Journal(tmp_path / "file" / "journal").append("run.log", {"text": ""})


def test_reading_goes_on_where_it_stopped_also_in_small_bites(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    ids = [journal.append("run.log", {"text": "y" * 90}).id for _ in range(30)]
    (path,) = journal.files()
    found: list[str] = []
    offset, more = 0, True
    while more:
        tail = read_tail(path, offset, limit=100)
        offset, more = tail.offset, tail.more
        found += [e.id for e in tail.events]

    assert found == ids


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=8), JSON, max_size=4))
def test_any_payload_is_one_line_that_strict_json_reads(data: dict[str, object]) -> None:
    record = encode(Event(id="1", at="2026", kind="note", data=data))

    assert record.count(b"\n") == 2
    value = json.loads(record, parse_constant=lambda name: pytest.fail(f"{name} in JSON"))
    assert set(value["data"]) == set(data)
    assert isinstance(decode(record.strip()), Event)


@given(st.binary(max_size=200))
def test_a_damaged_line_never_raises(line: bytes) -> None:
    assert not isinstance(decode(line), Event)
