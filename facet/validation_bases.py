"""`--base-map OLD=NEW`: other base images for tasks whose own are not here. Pure.

Covers FROM lines (and the default of an ARG they name), `COPY --from=`, `docker_image` and the
image of a compose file, in environment/ and tests/. What was replaced is part of the verdict.
"""

import re
from collections.abc import Mapping, Sequence

from facet.errors import InputError
from facet.types.apart import STEPS, packed, steps_of
from facet.types.task import Environment, FileSet, Task, TextFile, Verifier
from facet.validation_reach import prebuilt_image

NAME = re.compile(r"[a-z0-9][A-Za-z0-9._/:@-]*")
FROM = re.compile(r"^(?P<head>\s*FROM\s+(?:--\S+\s+)*)(?P<image>\S+)(?P<tail>.*)$", re.I)
COPY_FROM = re.compile(r"^(?P<head>\s*COPY\s.*?--from=)(?P<image>\S+)(?P<tail>.*)$", re.I)
ARG = re.compile(r"^(?P<head>\s*ARG\s+(?P<name>\w+)=)(?P<image>\S+)(?P<tail>.*)$", re.I)


def parse_base_map(pairs: Sequence[str]) -> dict[str, str]:
    """`OLD=NEW` pairs; raises InputError for anything else, or an OLD given twice."""
    found: dict[str, str] = {}
    for pair in pairs:
        old, _, new = pair.partition("=")
        if not NAME.fullmatch(old) or not NAME.fullmatch(new):
            raise InputError(f"--base-map {pair[:200]!r}: give OLD=NEW, two image names")
        if plain(old) in {plain(o) for o in found}:
            raise InputError(f"--base-map: {old} is given twice")
        found[old] = new
    return found


def plain(name: str) -> str:
    """An image name as Docker means it: without the default registry, with its tag."""
    for prefix in ("docker.io/", "index.docker.io/"):
        name = name.removeprefix(prefix)
    name = name.removeprefix("library/")
    last = name.rpartition("/")[2]
    return name if ":" in last or "@" in last else f"{name}:latest"


class _Swap:
    """The map, and what of it was used."""

    def __init__(self, bases: Mapping[str, str]) -> None:
        self._bases = {plain(old): (old, new) for old, new in bases.items()}
        self.used: dict[str, str] = {}

    def name(self, image: str) -> str:
        found = self._bases.get(plain(image))
        if found is None:
            return image
        self.used[found[0]] = found[1]
        return found[1]

    def files(self, files: FileSet) -> FileSet:
        for file in files.files:
            if file.path.rpartition("/")[2] == "Dockerfile":
                text = self.dockerfile(file.text)
                if text != file.text:
                    new = TextFile(path=file.path, data=text.encode(), executable=file.executable)
                    files = files.with_file(new)
        return files

    def dockerfile(self, text: str) -> str:
        lines = text.splitlines(keepends=True)
        froms = [found for line in lines if (found := FROM.match(line.rstrip("\r\n")))]
        stages = {m[1].lower() for f in froms if (m := re.match(r"\s+AS\s+(\S+)", f["tail"], re.I))}
        arguments = {m[1] for f in froms for m in re.finditer(r"^\$\{?(\w+)\}?$", f["image"])}
        done = []
        for line in lines:
            body = line.rstrip("\r\n")
            found = FROM.match(body) or COPY_FROM.match(body) or ARG.match(body)
            wanted = found and (found.re is not ARG or found["name"] in arguments)
            if found and wanted and found["image"].lower() not in stages:
                old = found["image"].strip("\"'")
                new = self.name(old)
                body = found["head"] + new + found["tail"] if new != old else body
            done.append(body + line[len(line.rstrip("\r\n")) :])
        return "".join(done)


def with_bases(task: Task, bases: Mapping[str, str]) -> tuple[Task, tuple[str, ...]]:
    """The task on other bases, and `OLD=NEW` of every one that was replaced."""
    if not bases:
        return task, ()
    swap = _Swap(bases)
    environment = Environment(
        files=swap.files(task.environment.files), manifest=task.environment.manifest
    )
    verifier = Verifier(files=swap.files(task.verifier.files), checks=task.verifier.checks)
    metadata = dict(task.settings.metadata)
    if image := prebuilt_image(task):
        new = swap.name(image)
        metadata |= {"docker_image": new} if new != image else {}
    if image := metadata.get("verifier.docker_image", ""):
        metadata["verifier.docker_image"] = swap.name(image)
    if plans := steps_of(task):
        moved = (
            p.model_copy(update={"verifier_image": swap.name(p.verifier_image)})
            if p.verifier_image
            else p
            for p in plans
        )
        metadata[STEPS] = packed(tuple(moved))
    if not swap.used:
        return task, ()
    settings = task.settings.model_copy(update={"metadata": tuple(metadata.items())})
    changed = task.model_copy(
        update={"environment": environment, "verifier": verifier, "settings": settings}
    )
    return changed, tuple(f"{old}={new}" for old, new in sorted(swap.used.items()))
