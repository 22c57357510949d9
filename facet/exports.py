"""Validated tasks leave us as folders that stock Harbor 0.26 loads and runs offline.

Self-contained: the Dockerfile starts from the public Debian image and carries what our base image
adds (its package list and the verifier runtime); with a base reference it starts from that image
instead. `manifest.json` in the output names every task with its digest and sources. Nothing that
is already there is changed: the same export again writes nothing. Covers Harbor only.
"""

import json
import os
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath

from facet.assemble import slug
from facet.base_images import BASES, Base, recipe_digest, recipe_files
from facet.errors import InputError
from facet.packages import layer_dockerfile
from facet.taskdir import folder_files, write_task
from facet.types.manifest import Manifest, Package
from facet.types.task import Environment, FileSet, Task, TextFile
from facet.types.value import Value, digest_json, short

SUMMARY = "manifest.json"
CARRIED = "facet-base"  # folder of the build context that holds what the base image adds
PACKAGES = "facet-packages"  # folder that holds what packages beyond the base need


class Chosen(Value):
    """A task to export, and what the workspace knows about it."""

    task: Task
    key: str = ""
    checks: int = 0  # counted checks
    decision: str = ""  # "approve", "" when nobody decided
    resources: tuple[TextFile, ...] = ()  # fetched files that its build context needs


class Exported(Value):
    """One task in the output."""

    name: str  # as in its task.toml
    folder: str
    digest: str  # of the task in the workspace; its decision is bound to this
    content: str  # digest over every file of the folder
    key: str = ""
    title: str = ""
    checks: int = 0
    decision: str = ""
    model: str = ""
    skills: tuple[dict[str, str], ...] = ()


class Summary(Value):
    """`manifest.json` of an export."""

    format: str = "harbor"
    schema_version: str = "1.4"
    base: str  # reference the Dockerfiles start from
    tasks: tuple[Exported, ...]


class Export(Value):
    """What an export did."""

    summary: Summary
    written: int
    unchanged: int


def export_harbor(
    chosen: Sequence[Chosen],
    out: Path,
    *,
    base_ref: str = "",
    wheels: Iterable[TextFile] = (),
) -> Export:
    """Write these tasks below `out`.

    `wheels` are the runner's (`facet.base_images.fetch_wheels`), needed unless `base_ref` is given.
    Raises InputError when `out` holds anything else than an earlier state of this same export.
    """
    carried = () if base_ref else tuple(wheels)
    tasks = [
        (exported_task(c, name, base_ref=base_ref, wheels=carried), name, c)
        for c, name in _named(chosen)
    ]
    rows = []
    for task, name, choice in tasks:
        made = choice.task.provenance
        rows.append(
            Exported(
                name=name,
                folder=name.partition("/")[2],
                digest=choice.task.digest,
                content=_content(task, choice.task.digest),
                key=choice.key,
                title=choice.task.scenario.title if choice.task.scenario else "",
                checks=choice.checks,
                decision=choice.decision,
                model=made.model,
                skills=made.skills,
            )
        )
    base = base_ref or "debian:bookworm-slim"
    summary = Summary(base=base, tasks=tuple(rows))
    _check_output(out, summary)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot make the folder {out}: {error.strerror}; give another") from error
    _write_summary(out / SUMMARY, summary)
    written = 0
    for (task, _, choice), row in zip(tasks, rows, strict=True):
        if not (out / row.folder).exists():
            write_task(task, out / row.folder, metadata={"task_digest": choice.task.digest})
            written += 1
    return Export(summary=summary, written=written, unchanged=len(rows) - written)


def _named(chosen: Sequence[Chosen]) -> list[tuple[Chosen, str]]:
    """Each digest once, sorted by name; two tasks of one name are told apart by their digest."""
    by_digest = {c.task.digest: c for c in chosen}
    ordered = sorted(by_digest.values(), key=lambda c: (c.task.name, c.task.digest))
    names = [harbor_name(c.task.name) for c in ordered]
    found = []
    for choice, name in zip(ordered, names, strict=True):
        twice = [n.partition("/")[2] for n in names].count(name.partition("/")[2]) > 1
        found.append((choice, f"{name}-{short(choice.task.digest, 8)}" if twice else name))
    return found


def harbor_name(name: str) -> str:
    """`org/slug` as Harbor demands; a name without organisation gets ours."""
    organisation, _, rest = name.rpartition("/")
    return f"{slug(organisation) or 'facet'}/{slug(rest, 80) or 'task'}"


def exported_task(
    choice: Chosen, name: str, *, base_ref: str, wheels: tuple[TextFile, ...]
) -> Task:
    """The task as it leaves us: named, its Dockerfile on a base that others have."""
    task, environment = choice.task, choice.task.environment
    base = _base_of(environment)
    files = environment.files
    for file in choice.resources:
        files = files.with_file(file)
    if base is not None:
        packages = environment.manifest.packages if environment.manifest else ()
        own = files.text("Dockerfile").removeprefix(f"FROM {base.name}\n")
        head = f"FROM {base_ref}\n" if base_ref else carried_dockerfile(base)
        head += _packages(packages)
        files = files.with_file(TextFile(path="Dockerfile", data=(head + own).encode()))
        if not base_ref:
            for file in _carried_files(base, wheels):
                files = files.with_file(file)
    new = Environment(files=files, manifest=environment.manifest)
    return task.replace("environment", new).model_copy(update={"name": name})


def _base_of(environment: Environment) -> Base | None:
    first = environment.files.text("Dockerfile").partition("\n")[0]
    return next((b for b in BASES if first == f"FROM {b.name}"), None)


def carried_dockerfile(base: Base) -> str:
    """The base image's own Dockerfile, reading what it copies from `facet-base/`."""
    text = recipe_files(base).text("Dockerfile")
    for folder in ("wheels", "runner"):
        text = text.replace(f"COPY {folder}/", f"COPY {CARRIED}/{folder}/")
    return text.rstrip("\n") + "\n\n# The task itself.\n"


def _carried_files(base: Base, wheels: tuple[TextFile, ...]) -> list[TextFile]:
    version = TextFile(path="runner/VERSION", data=recipe_digest(base).encode() + b"\n")
    runner = [f for f in recipe_files(base).files if f.path != "Dockerfile"]
    return [
        f.model_copy(update={"path": f"{CARRIED}/{f.path}"}) for f in (*runner, version, *wheels)
    ]


def _packages(packages: Sequence[Package]) -> str:
    """What the package layer adds to the base, as Dockerfile lines reading `facet-packages/`."""
    if not packages:
        return ""
    wheels = any(p.kind == "wheel" for p in packages)
    lines = layer_dockerfile("", packages, wheels=wheels).partition("\n")[2]
    return lines.replace("COPY wheels/", f"COPY {PACKAGES}/wheels/")


def restored(task: Task) -> Task:
    """An exported task as it was in its workspace, where its Dockerfile carries our very base.

    Building it so needs no network and gives the same image; anything else is left as it is.
    """
    text = task.environment.files.text("Dockerfile")
    manifest = task.environment.manifest
    if manifest is None:
        return task
    for base in BASES:
        head = carried_dockerfile(base)
        packages = _packages(manifest.packages)
        if not text.startswith(head + packages):
            continue
        own = f"FROM {base.name}\n" + text.removeprefix(head + packages)
        kept = tuple(
            TextFile(path=f.path, data=own.encode()) if f.path == "Dockerfile" else f
            for f in task.environment.files.files
            if not f.path.startswith((f"{CARRIED}/", f"{PACKAGES}/"))
            and not _is_resource(f.path, manifest)
        )
        environment = Environment(files=FileSet(files=kept), manifest=manifest)
        return task.replace("environment", environment)
    return task


def _is_resource(path: str, manifest: Manifest) -> bool:
    pure = PurePosixPath(path)
    return str(pure.parent) == "resources" and pure.name in {r.name for r in manifest.resources}


def _content(task: Task, digest: str) -> str:
    files = folder_files(task, metadata={"task_digest": digest})
    return digest_json(sorted([path, data.hex(), executable] for path, data, executable in files))


def _content_on_disk(folder: Path) -> str:
    """Digest of what lies in a folder, "" where it is no plain folder of files."""
    found = []
    for path in sorted(folder.rglob("*")):
        if path.is_symlink():
            return ""
        if path.is_file():
            mode = path.stat().st_mode & 0o111 != 0
            found.append([path.relative_to(folder).as_posix(), path.read_bytes().hex(), mode])
    return digest_json(sorted(found))


def _check_output(out: Path, summary: Summary) -> None:
    """Refuse to write beside or over anything that this export would not have made."""
    if not os.path.lexists(out):
        return
    if not out.is_dir():
        raise InputError(f"{out}: is a file; give a folder")
    present = {p.name for p in out.iterdir()}
    if not present:
        return
    known = {row.folder: row for row in summary.tasks}
    others = sorted(present - set(known) - {SUMMARY})
    if SUMMARY not in present:
        raise InputError(f"{out}: is not empty and no export of ours; give a new folder")
    if others:
        raise InputError(
            f"{out}: holds {', '.join(others[:3])}, which this export does not make; give a new"
            " folder"
        )
    for name in sorted(present & set(known)):
        if _content_on_disk(out / name) != known[name].content:
            raise InputError(
                f"{out / name}: differs from what this export would write; give a new folder"
            )


def _write_summary(path: Path, summary: Summary) -> None:
    data = json.dumps(summary.to_json(), indent=1, ensure_ascii=False).encode() + b"\n"
    if path.is_file() and path.read_bytes() == data:
        return
    handle, scratch = tempfile.mkstemp(prefix=".facet-", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        Path(scratch).chmod(0o644)
        Path(scratch).replace(path)
    finally:
        Path(scratch).unlink(missing_ok=True)
