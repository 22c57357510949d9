"""Builds an environment, starts its services and compares what is there with what was planned.

The build has no network: resources come from the cache into the context, packages from a kept layer
that replaces the base in the FROM line. `BuildError` is the task's fault, `EngineError` ours; what
was built but is not as planned is a `Mismatch`, not an error.
"""

import hashlib
import re
import time
from pathlib import Path, PurePosixPath

from facet.errors import SandboxGone
from facet.packages import layer_image
from facet.probe import Answer, Question, Seen, bounded, probe
from facet.resources import DEFAULT_POLICY, FetchPolicy, with_resources
from facet.sandbox.base import Engine, Sandbox, SandboxOptions
from facet.services import services_up, start_services
from facet.types.manifest import (
    Manifest,
    Mismatch,
    Package,
    PlannedFile,
    RealFile,
    RealizedManifest,
    RealService,
)
from facet.types.task import Environment, text_file
from facet.types.value import Value
from facet.workspace import Workspace

__all__ = ["Realized", "build_image", "compare", "realize", "start", "start_services"]

SHALLOW = ("/", "/etc", "/usr", "/usr/bin", "/usr/local/bin", "/usr/lib", "/bin", "/var", "/opt")
"""Folders that are not listed only because a planned file lies in them."""


class Realized(Value):
    """A built environment and what a container of it really holds."""

    image: str  # id; whoever asked for it removes it
    manifest: RealizedManifest
    seconds: float
    planned: Manifest | None = None


def realize(
    engine: Engine,
    environment: Environment,
    *,
    workspace: Workspace | None = None,
    policy: FetchPolicy = DEFAULT_POLICY,
    cache: Path | None = None,
    timeout_s: float = 600.0,
) -> Realized:
    """Build, start, look. An environment without a manifest (a foreign one) is only built.

    Resources are looked for in the cache, then in `<workspace>/resources/<sha256>`, before they are
    fetched. On an error no image is left.
    """
    began = time.monotonic()
    places = (workspace.root / "resources",) if workspace is not None else ()
    image = build_image(
        engine, environment, policy=policy, cache=cache, more_caches=places, timeout_s=timeout_s
    )
    try:
        manifest = environment.manifest
        if manifest is None:
            found = RealizedManifest(files=(), image=image)
        else:
            found = look(engine, image, manifest)
    except BaseException:
        engine.remove_image(image)
        raise
    seconds = round(time.monotonic() - began, 3)
    return Realized(image=image, manifest=found, seconds=seconds, planned=manifest)


def build_image(
    engine: Engine,
    environment: Environment,
    *,
    policy: FetchPolicy = DEFAULT_POLICY,
    cache: Path | None = None,
    more_caches: tuple[Path, ...] = (),
    timeout_s: float = 600.0,
) -> str:
    """Id of the environment's image, built without network."""
    full = with_resources(environment, policy=policy, cache=cache, more_caches=more_caches)
    files = full.files
    manifest = full.manifest
    if manifest is not None and manifest.packages:
        layer = layer_image(engine, manifest.base, manifest.packages, cache=cache)
        text = files.text("Dockerfile")
        pattern = re.compile(rf"^(\s*FROM\s+){re.escape(manifest.base)}(?=\s|$)", re.M | re.I)
        files = files.with_file(text_file("Dockerfile", pattern.sub(rf"\g<1>{layer}", text)))
    return engine.build(files, timeout_s=timeout_s)


def start(engine: Engine, realized: Realized, options: SandboxOptions | None = None) -> Sandbox:
    """A container of the image with its services running and healthy."""
    sandbox = engine.start(realized.image, options or SandboxOptions())
    try:
        if realized.planned is not None:
            start_services(sandbox, realized.planned)
    except BaseException:
        sandbox.close()
        raise
    return sandbox


def look(engine: Engine, image: str, manifest: Manifest) -> RealizedManifest:
    """Start a container of the image, look at its files, start its services, compare.

    Files are looked at before any service runs: what is listed is the image's own state, equal on
    every machine.
    """
    with engine.start(image) as sandbox:
        answer = probe(sandbox, question(manifest))
        services = services_up(sandbox, manifest)
        if not sandbox.alive():
            raise SandboxGone("the container ended while it was looked at")
    return compare(manifest, answer, services).model_copy(update={"image": image})


def question(manifest: Manifest) -> Question:
    """What to look at: everything planned, and what else lies beside it."""
    parents = {str(PurePosixPath(f.path).parent) for f in manifest.files}
    roots = {manifest.workdir, *(f.path for f in manifest.files if f.kind == "dir")}
    roots |= {p for p in parents if p not in SHALLOW}
    roots |= {u.home or f"/home/{u.name}" for u in manifest.users}
    return Question(
        paths=bounded([f.path for f in manifest.files]),
        roots=tuple(sorted(roots - {"/"})),
        packages=tuple(p.name for p in manifest.packages if p.kind == "apt"),
        wheels=tuple(p.name for p in manifest.packages if p.kind == "wheel"),
        users=tuple(u.name for u in manifest.users),
        env=tuple(key for key, _ in manifest.env),
    )


def compare(
    manifest: Manifest, answer: Answer, services: tuple[RealService, ...]
) -> RealizedManifest:
    """The realized manifest of an answer; every planned item it lacks is a mismatch."""
    found: list[Mismatch] = []
    for planned in manifest.files:
        found += _file_mismatches(manifest, planned, answer.files.get(planned.path))
    packages = []
    for package in manifest.packages:
        held = answer.packages if package.kind == "apt" else answer.wheels
        version = held.get(package.name, "")
        if not version or (package.version and version != package.version):
            wanted = package.version or "any version"
            found.append(_mismatch("package", package.name, wanted, version or "not installed"))
        if version:
            packages.append(Package(name=package.name, kind=package.kind, version=version[:100]))
    for service, real in zip(manifest.services, services, strict=True):
        if not real.running:
            found.append(_mismatch("service", service.name, "running and healthy", real.detail))
        elif real.port_open is False:
            found.append(_mismatch("port", str(service.port), f"open by {service.name}", "closed"))
    for user in manifest.users:
        login = answer.users.get(user.name)
        if login is None:
            found.append(_mismatch("user", user.name, "a login", "no such login"))
        elif user.uid is not None and login.uid != user.uid:
            found.append(_mismatch("user", user.name, f"uid {user.uid}", f"uid {login.uid}"))
    for key, value in manifest.env:
        if answer.env.get(key) != value:
            found.append(_mismatch("env", key, value, answer.env.get(key, "not set")))
    if answer.workdir != manifest.workdir.rstrip("/") and answer.workdir != manifest.workdir:
        found.append(_mismatch("workdir", manifest.workdir, "working directory", answer.workdir))
    return RealizedManifest(
        files=tuple(
            _real(path, seen)
            for path, seen in sorted(answer.files.items())
            if seen is not None and seen.kind != "other"
        ),
        packages=tuple(packages),
        services=services,
        users=tuple(sorted(answer.users)),
        env=tuple((key, answer.env[key]) for key, _ in manifest.env if key in answer.env),
        workdir=answer.workdir,
        mismatches=tuple(found),
        architecture=answer.architecture,
    )


def _file_mismatches(
    manifest: Manifest, planned: PlannedFile, seen: Seen | None
) -> tuple[Mismatch, ...]:
    what = "resource" if planned.resource else "file"
    if seen is None:
        return (_mismatch(what, planned.path, planned.kind, "nothing there"),)
    if seen.kind != planned.kind:
        return (_mismatch(what, planned.path, planned.kind, seen.kind),)
    out = []
    digest = _planned_digest(manifest, planned)
    if digest and seen.sha256 != digest:
        real = f"{seen.size} bytes, sha256 {seen.sha256[:12] or seen.unreadable or 'unknown'}"
        size = f"{len(planned.data)} bytes, " if planned.data is not None else ""
        out.append(_mismatch(what, planned.path, f"{size}sha256 {digest[:12]}", real))
    if planned.kind == "link" and seen.target != planned.target:
        out.append(_mismatch(what, planned.path, f"link to {planned.target}", seen.target))
    mode = planned_mode(planned)
    if planned.kind != "link" and int(seen.mode or "0", 8) != mode:
        out.append(_mismatch(what, planned.path, f"mode {mode:04o}", f"mode {seen.mode}"))
    if seen.owner != planned.owner:
        out.append(_mismatch(what, planned.path, f"owner {planned.owner}", f"owner {seen.owner}"))
    if planned.group and seen.group != planned.group:
        out.append(_mismatch(what, planned.path, f"group {planned.group}", f"group {seen.group}"))
    return tuple(out)


def planned_mode(planned: PlannedFile) -> int:
    """Permission bits; a directory planned with a file's default mode is an ordinary 0755 one."""
    mode = int(planned.mode, 8)
    return 0o755 if planned.kind == "dir" and mode == 0o644 else mode


def _planned_digest(manifest: Manifest, planned: PlannedFile) -> str:
    if planned.data is not None:
        return hashlib.sha256(planned.data).hexdigest()
    named = (r.sha256 for r in manifest.resources if r.name == planned.resource)
    return next(named, "") if planned.resource else ""


def _mismatch(what: str, name: str, planned: str, found: str) -> Mismatch:
    return Mismatch.model_validate(
        {"what": what, "name": name[:400], "planned": planned[:400], "found": found[:400]}
    )


def _real(path: str, seen: Seen) -> RealFile:
    return RealFile.model_validate(
        {
            "path": path,
            "kind": seen.kind,
            "size": seen.size if seen.kind == "file" else 0,
            "sha256": seen.sha256,
            "mode": seen.mode,
            "owner": seen.owner,
            "target": seen.target,
            "head": seen.head_text if seen.kind == "file" else "",
        }
    )
