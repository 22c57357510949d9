"""Planned against realized: what nobody probed is never called as planned."""

from facet.types.manifest import (
    Manifest,
    Mismatch,
    Package,
    PlannedFile,
    RealFile,
    RealizedManifest,
    RealService,
    Resource,
    Service,
    User,
)
from facet.ui.manifest import manifest_rows

PLAN = Manifest(
    files=(
        PlannedFile(path="/app/a.csv", data=b"abc"),
        PlannedFile(path="/app/out", kind="dir", mode="0755"),
        PlannedFile(path="/app/l", kind="link", target="/app/a.csv"),
    ),
    packages=(Package(name="jq"),),
    services=(Service(name="redis", command="redis-server", port=6379),),
    users=(User(name="ana"),),
    env=(("TZ", "UTC"),),
    resources=(Resource(name="x.txt", url="http://127.0.0.1/x", sha256="0" * 64),),
)


def test_without_a_probe_nothing_is_as_planned() -> None:
    assert {r.standing for r in manifest_rows(PLAN, None)} == {"not probed"}


def test_each_planned_item_stands_beside_what_was_found() -> None:
    realized = RealizedManifest(
        files=(
            RealFile(path="/app/a.csv", kind="file", size=3, mode="0644", owner="root"),
            RealFile(path="/app/out", kind="dir", size=0, mode="0700", owner="root"),
        ),
        packages=(Package(name="jq", version="1.6"),),
        services=(RealService(name="redis", running=True, port_open=True),),
        users=("ana",),
        env=(("TZ", "UTC"),),
        mismatches=(
            Mismatch(what="file", name="/app/out", planned="0755", found="0700"),
            Mismatch(what="port", name="redis:1", planned="open", found="shut"),
        ),
    )
    rows = {(r.what, r.name): r for r in manifest_rows(PLAN, realized)}
    assert rows["file", "/app/a.csv"].found == "3 B 0644 root"
    assert rows["file", "/app/a.csv"].standing == "as planned"
    assert (rows["file", "/app/out"].standing, rows["file", "/app/out"].found) == (
        "differs",
        "0700",
    )
    assert rows["file", "/app/l"].standing == "not probed"
    assert rows["package", "jq"].found == "1.6"
    assert rows["service", "redis"].found == "running, port open"
    assert rows["user", "ana"].standing == "as planned"
    assert rows["port", "redis:1"].standing == "differs"
