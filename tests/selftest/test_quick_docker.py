"""The quick self-test in real containers: a drop in right verdicts or artifacts fails here."""

import uuid
from collections.abc import Iterator

import pytest

from facet.blame import blame
from facet.cli.selftest import sharing
from facet.images import Images
from facet.realize import realize
from facet.sandbox.docker import DockerEngine
from facet.selftest.mark import LEAST_ARTIFACTS, LEAST_VERDICTS, Report
from facet.selftest.run import QUICK_GATES, QUICK_GOOD, outcome, quick_defects, run_selftest

pytestmark = pytest.mark.docker


@pytest.fixture(scope="module")
def label(docker_server: str) -> Iterator[str]:
    """A label of this module's own; afterwards nothing may carry it."""
    import docker

    name = f"selftest-{uuid.uuid4().hex[:8]}"
    yield name
    client = docker.from_env()
    try:
        mine = {"label": f"facet.workspace={name}"}
        assert client.containers.list(all=True, filters=mine) == []
        assert client.images.list(filters=mine) == []
    finally:
        client.close()


@pytest.fixture(scope="module")
def report(label: str) -> Report:
    """One defect of every quick kind and five good tasks, judged once."""
    engine = DockerEngine(label)
    try:
        with Images(engine, lambda env: realize(engine, env)) as images:
            return run_selftest(
                sharing(engine, images),
                blame,
                defects=quick_defects(),
                good=QUICK_GOOD,
                good_gates=QUICK_GATES,
            )
    finally:
        engine.close()


def test_no_good_task_is_objected_to(report: Report) -> None:
    assert [g.name for g in report.good] == list(QUICK_GOOD)
    assert report.alarms == ()


def test_planted_defects_are_found_by_the_gate_that_looks_for_them(report: Report) -> None:
    wrong = [f"{m.id}: {outcome(m)}" for m in report.marks if not m.verdict]
    assert (report.whole.share("verdict") or 0) >= LEAST_VERDICTS, wrong


def test_the_artifact_that_was_changed_is_blamed(report: Report) -> None:
    wrong = [f"{m.id}: {outcome(m)}" for m in report.marks if not m.right["artifact"]]
    assert (report.whole.share("artifact") or 0) >= LEAST_ARTIFACTS, wrong
