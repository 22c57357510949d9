"""Makes `data/sample/workspace` from a real offline run: a few tasks, small, no machine paths.

    .venv/bin/python scripts/make_sample.py [--count 5] [--seed 3] [--from WORKSPACE]

It needs a Docker server and the base image. The run's events are kept as they are, except that
replies, prompts and stage outputs are not carried along, superseded versions of a task keep their
events but not their bundle, and the folder of skills is named as the bundled one.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "data" / "sample" / "workspace"
LIMIT = 1_500_000  # bytes of the whole sample
LEFT_OUT: dict[str, tuple[str, ...]] = {
    "model.call": ("prompt_blob", "reply_blob"),
    "stage.done": ("blob",),
    "seed": (),
}
"""Kinds of events and the blob fields that are emptied in them."""

sys.path.insert(0, str(ROOT))


def main() -> None:
    """Run, copy what the app reads, check size and paths, move into place."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=5)
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--from", dest="source", type=Path, help="a workspace that is there")
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        source = wanted.source or run(Path(folder) / "run", wanted.count, wanted.seed)
        sample = Path(folder) / "sample"
        copy(source, sample)
        check(sample, source)
        if TARGET.exists():
            shutil.rmtree(TARGET)
        shutil.copytree(sample, TARGET)
    print(f"{TARGET.relative_to(ROOT)}: {summary(TARGET)}")


def run(workspace: Path, count: int, seed: int) -> Path:
    """A real run of the embedded author over the bundled skills."""
    words = ["run", "--count", str(count), "--seed", str(seed), "--model", "offline"]
    subprocess.run(
        [sys.executable, "-m", "facet.cli.main", *words, "--workspace", str(workspace)],
        cwd=ROOT,
        check=False,
    )
    return workspace


def copy(source: Path, sample: Path) -> None:
    """Events in time order in one file, the bundles and blobs that pages read, the version."""
    from facet.journal import encode
    from facet.types.event import Event
    from facet.workspace import Workspace

    old, new = Workspace.open(source, create=False), Workspace.open(sample)
    events = sorted(old.journal.read(), key=lambda e: (e.at, e.id))
    current = {e.seed: e.task for e in events if e.kind == "task.written"}
    judged = {e.task: e.data["blob"] for e in events if e.kind == "task.judged"}
    blobs = {judged[digest] for digest in current.values() if digest in judged}
    blobs |= {str(e.data["blob"]) for e in events if e.kind == "skill.read"}
    lines = []
    for event in events:
        data: dict[str, Any] = dict(event.data)
        if event.kind == "run.started":
            data["spec"] = {**data["spec"], "skills": ""}
        for field in LEFT_OUT.get(event.kind, ()):
            data[field] = ""
        lines.append(encode(Event(**{**event.to_json(), "data": data})))
    journal = sample / "journal"
    journal.mkdir(parents=True)
    (journal / "sample.jsonl").write_bytes(b"".join(lines))
    for digest in blobs:
        assert new.blobs.put(old.blobs.get(digest)) == digest
    new.bundles.root.mkdir()
    for digest in current.values():
        name = digest.removeprefix("sha256:") + ".json"
        shutil.copyfile(old.bundles.root / name, new.bundles.root / name)


def check(sample: Path, source: Path) -> None:
    """Small enough, and no path of this machine in it."""
    size = sum(p.stat().st_size for p in sample.rglob("*") if p.is_file())
    if size > LIMIT:
        sys.exit(f"the sample has {size:,} bytes, more than {LIMIT:,}: make fewer tasks")
    words = [str(ROOT), str(source), str(Path.home()) + "/", tempfile.gettempdir() + "/"]
    for path in sample.rglob("*"):
        if path.is_file():
            text = json.dumps(path.read_bytes().decode("utf-8", "replace"))
            found = [w for w in words if w in text]
            if found:
                sys.exit(f"{path.relative_to(sample)} names a path of this machine: {found[0]}")


def summary(sample: Path) -> str:
    """What is in it."""
    from facet.store import Store
    from facet.workspace import Workspace

    with Store.memory(Workspace.open(sample, create=False)) as store:
        tasks = store.tasks()
    size = sum(p.stat().st_size for p in sample.rglob("*") if p.is_file())
    endings = sorted({t.status for t in tasks})
    counts = ", ".join(f"{sum(t.status == e for t in tasks)} {e}" for e in endings)
    repaired = sum(bool(t.rounds or t.environment_rounds) for t in tasks if t.status == "valid")
    return f"{len(tasks)} tasks ({counts}; {repaired} of the valid ones repaired), {size:,} bytes"


if __name__ == "__main__":
    main()
