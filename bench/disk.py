"""What validations leave behind: bytes of Docker's and of the workspace, and anything labelled."""

from pathlib import Path
from typing import Any

from bench.ours import validated
from facet.sandbox.docker import DockerEngine
from facet.sandbox.docker_owner import WORKSPACE
from facet.types.value import Value


class Left(Value):
    """After `validations` task validations."""

    validations: int
    layers_bytes: int  # growth of all image layers of this server, also by whoever else uses it
    volumes_bytes: int
    workspace_bytes: int
    containers: int  # with the label of this workspace
    networks: int
    images: int


def left_after(folder: Path, workspace: Path, laps: int) -> Left:
    """Validate the folder `laps` times; every lap judges every task again."""
    engine = DockerEngine(str(workspace.absolute()))
    try:
        layers, volumes = used(engine.api)
        count = 0
        for _ in range(laps):
            _, verdicts = validated(folder, workspace)
            count += len(verdicts)
        more_layers, more_volumes = used(engine.api)
        containers, networks, images = labelled(engine.api, str(workspace.absolute()))
    finally:
        engine.close()
    return Left(
        validations=count,
        layers_bytes=more_layers - layers,
        volumes_bytes=more_volumes - volumes,
        workspace_bytes=sum(p.stat().st_size for p in workspace.rglob("*") if p.is_file()),
        containers=containers,
        networks=networks,
        images=images,
    )


def used(api: Any) -> tuple[int, int]:
    """Bytes of image layers and of volumes, as `docker system df` counts them."""
    said = api.df()
    volumes = said.get("Volumes") or []
    sizes = [max(int((v.get("UsageData") or {}).get("Size") or 0), 0) for v in volumes]
    return int(said.get("LayersSize") or 0), sum(sizes)


def labelled(api: Any, workspace: str) -> tuple[int, int, int]:
    """Containers, networks and images (steps of builds too) with this workspace's label."""
    filters = {"label": [f"{WORKSPACE}={workspace}"]}
    return (
        len(api.containers(all=True, filters=filters)),
        len(api.networks(filters=filters)),
        len(api.images(all=True, filters=filters)),
    )
