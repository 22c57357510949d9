"""`facet base build`: make the base image and the grading runner of this machine."""

from typing import Annotated

import typer

from facet.base_images import build_bases
from facet.cli.common import JsonOption, WorkspaceOption, progress, result, result_json
from facet.config import load_config
from facet.sandbox.docker import DockerEngine


def build(
    bootstrap: Annotated[
        bool,
        typer.Option(
            "--bootstrap", help="Make Debian itself with mmdebstrap where no registry answers."
        ),
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Build even when up to date.")] = False,
    workspace: WorkspaceOption = None,
    json: JsonOption = False,
) -> None:
    """Build the base image and the grading runner; quick when both are up to date.

    Example: facet base build --bootstrap
    """
    config = load_config()
    engine = DockerEngine(str(workspace or config.workspace))
    done = build_bases(
        engine, cache=config.cache, bootstrap=bootstrap, force=force, progress=progress
    )
    if json:
        result_json([status.to_json() for status in done])
        return
    for status in done:
        result(f"{status.name}: {status.state}, recipe {status.digest}")
