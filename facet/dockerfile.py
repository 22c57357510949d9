"""A planned manifest as Dockerfile text, the entrypoint of its services, and what is wrong with it.

Pure. A manifest is third-party text: names and paths that could break out of their place in a
Dockerfile or a shell line are refused with the reason, everything else is quoted. Packages are
named here in a comment only: the layer that holds them replaces the FROM line when the image is
built (`facet/realize.py`), or becomes RUN lines when the task leaves us (`facet/exports.py`).
"""

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import PurePosixPath

from facet.types.manifest import Manifest, PlannedFile, Service

FILES = "files"
RESOURCES = "resources"
ENTRYPOINT = "entrypoint.sh"
ENTRYPOINT_IN_IMAGE = "/usr/local/sbin/facet-entrypoint"
COMPOSE_OFFLINE = "services:\n  main:\n    network_mode: none\n"
MAX_FILES = 500
MAX_BYTES = 64_000_000
MAX_COMMAND = 20_000

_PATH = re.compile(r"/[\w.+@%,:=~/-]*")
_LINK_TARGET = re.compile(r"[\w.+@%,:=~/-]+")
_LOGIN = re.compile(r"[a-z_][a-z0-9_-]{0,31}")
_MODE = re.compile(r"[0-7]{3,5}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_IMAGE = re.compile(r"[a-z0-9][a-z0-9._/:@-]*")
_PACKAGE = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+_:-]*")
_VERSION = re.compile(r"[A-Za-z0-9.+~:_-]*")
_NOT_OURS = ("/tests", "/solution", "/logs", "/proc", "/sys", "/dev", ENTRYPOINT_IN_IMAGE)


def manifest_problems(manifest: Manifest) -> tuple[str, ...]:
    """Every reason why this plan cannot be written as a build context, one line each."""
    return tuple(_problems(manifest))


def _problems(manifest: Manifest) -> Iterator[str]:
    if not _IMAGE.fullmatch(manifest.base):
        yield f"base {manifest.base!r} is not an image name"
    if reason := _path_fault(manifest.workdir):
        yield f"workdir {manifest.workdir!r}: {reason}"
    yield from _file_problems(manifest)
    for package in manifest.packages:
        if not _PACKAGE.fullmatch(package.name) or not _VERSION.fullmatch(package.version):
            yield f"package {package.name!r} {package.version!r}: not a package name and version"
    yield from _service_problems(manifest)
    yield from _user_problems(manifest)
    for key, value in manifest.env:
        if not _VARIABLE.fullmatch(key):
            yield f"variable {key!r} is not a name"
        elif key.startswith("FACET_") or key in ("LD_PRELOAD", "BASH_ENV"):
            yield f"variable {key} is kept for the grading"
        if any(c in value for c in "\n\r\0"):
            yield f"variable {key}: its value has a line break or NUL"
    names = [r.name for r in manifest.resources]
    for name in names:
        if "/" in name or _path_fault("/" + name) or name in (".", ".."):
            yield f"resource {name!r} is not a plain file name"
    if len(set(names)) != len(names):
        yield "two resources have the same name"
    for number, command in enumerate(manifest.setup, 1):
        if "\0" in command or len(command) > MAX_COMMAND or not command.strip():
            yield f"setup command {number} is empty, too long or holds NUL"


def _path_fault(path: str) -> str:
    if not path.startswith("/"):
        return "not an absolute path"
    if not _PATH.fullmatch(path):
        return "has a space, line break or other character that is not allowed in a planned path"
    if ".." in PurePosixPath(path).parts or len(path) > 400:
        return "has a '..' part or is longer than 400 characters"
    if any(path == p or path.startswith(p + "/") for p in _NOT_OURS):
        return "this place belongs to the grading or to the system"
    if path == "/etc/ld.so.preload":
        return "this place belongs to the grading or to the system"
    return ""


def _file_problems(manifest: Manifest) -> Iterator[str]:
    if len(manifest.files) > MAX_FILES:
        yield f"{len(manifest.files)} planned files, at most {MAX_FILES} are taken"
    if sum(len(f.data or b"") for f in manifest.files) > MAX_BYTES:
        yield f"planned files hold more than {MAX_BYTES:,} bytes"
    resources = {r.name for r in manifest.resources}
    solid = {str(PurePosixPath(f.path)) for f in manifest.files if f.kind != "dir"}
    seen: set[str] = set()
    for file in manifest.files:
        path = str(PurePosixPath(file.path))
        if reason := _path_fault(file.path):
            yield f"file {file.path!r}: {reason}"
        if path in seen:
            yield f"file {path} is planned twice"
        seen.add(path)
        for parent in PurePosixPath(path).parents:
            if str(parent) in solid:
                yield f"file {path} lies below {parent}, which is planned as no directory"
        if not _MODE.fullmatch(file.mode):
            yield f"file {path}: mode {file.mode!r} is not octal"
        for login in (file.owner, file.group or file.owner):
            if not _LOGIN.fullmatch(login):
                yield f"file {path}: owner or group {login!r} is not a login name"
        yield from _content_problems(path, file, resources)


def _content_problems(path: str, file: PlannedFile, resources: set[str]) -> Iterator[str]:
    fed = [file.data is not None, bool(file.resource), bool(file.target)]
    if file.kind == "dir" and any(fed):
        yield f"directory {path} has content"
    if file.kind == "link" and (fed != [False, False, True]):
        yield f"link {path} needs a target and nothing else"
    if file.kind == "file" and (sum(fed) != 1 or file.target):
        yield f"file {path} needs exactly one of data and resource"
    if file.kind == "link" and file.target and not _LINK_TARGET.fullmatch(file.target):
        yield f"link {path}: target {file.target!r} has a character that is not allowed"
    if file.resource and file.resource not in resources:
        yield f"file {path}: resource {file.resource!r} is not declared"


def _service_problems(manifest: Manifest) -> Iterator[str]:
    names = [s.name for s in manifest.services]
    if len(set(names)) != len(names):
        yield "two services have the same name"
    users = {u.name for u in manifest.users}
    for service in manifest.services:
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,40}", service.name):
            yield f"service {service.name!r} is not a plain name"
        for what, command in (("command", service.command), ("health command", service.health)):
            if "\0" in command or len(command) > MAX_COMMAND:
                yield f"service {service.name}: {what} is too long or holds NUL"
        if not service.command.strip():
            yield f"service {service.name} has no command"
        if not _LOGIN.fullmatch(service.user):
            yield f"service {service.name}: user {service.user!r} is not a login name"
        elif service.user.startswith("_") and service.user not in users:
            yield f"service {service.name}: user {service.user!r} is not declared"
        if service.port is not None and not 0 < service.port < 65536:
            yield f"service {service.name}: port {service.port} does not exist"


def _user_problems(manifest: Manifest) -> Iterator[str]:
    for user in manifest.users:
        if not _LOGIN.fullmatch(user.name):
            yield f"user {user.name!r} is not a login name"
        if user.uid is not None and not 0 < user.uid < 60_000:
            yield f"user {user.name}: uid {user.uid} is out of range"
        for place in filter(None, (user.home, user.shell)):
            if reason := _path_fault(place):
                yield f"user {user.name}: {place!r} {reason}"


def dockerfile(manifest: Manifest) -> str:
    """Dockerfile of a plan without problems; the same plan always gives the same text."""
    lines = [f"FROM {manifest.base}"]
    if manifest.packages:
        wanted = sorted(
            f"{p.kind}:{p.name}" + (f"={p.version}" if p.version else "") for p in manifest.packages
        )
        lines.append("# packages beyond the base: " + " ".join(wanted))
    lines += [_run(_user_commands(manifest))] if manifest.users else []
    lines += _copies(manifest)
    if manifest.services:
        lines.append(f'COPY ["{ENTRYPOINT}", "{ENTRYPOINT_IN_IMAGE}"]')
    if after := _file_commands(manifest):
        lines.append(_run(after))
    if manifest.env:
        pairs = [f"{key}={_env_value(value)}" for key, value in manifest.env]
        lines.append("ENV " + " \\\n    ".join(pairs))
    lines.append(f"WORKDIR {manifest.workdir}")
    lines += [_setup(command) for command in manifest.setup]
    lines.append("STOPSIGNAL SIGKILL")
    if manifest.services:
        lines.append(f'ENTRYPOINT ["{ENTRYPOINT_IN_IMAGE}"]')
        lines.append('CMD ["sleep", "infinity"]')
    return "\n".join(lines) + "\n"


def _run(commands: list[str]) -> str:
    return "RUN " + " && \\\n    ".join(commands)


def _user_commands(manifest: Manifest) -> list[str]:
    commands = []
    for user in manifest.users:
        uid = f"--uid {user.uid} " if user.uid is not None else ""
        home = user.home or f"/home/{user.name}"
        commands.append(
            f"{{ id -u {user.name} >/dev/null 2>&1 || useradd --create-home --home-dir {home} "
            f"--shell {user.shell or '/bin/bash'} {uid}{user.name}; }}"
        )
    return commands


def _copies(manifest: Manifest) -> list[str]:
    """One COPY per target directory, one per file that comes from a resource."""
    folders: dict[str, list[str]] = {}
    lines = []
    for file in sorted(manifest.files, key=lambda f: f.path):
        if file.kind == "file" and file.data is not None:
            path = PurePosixPath(file.path)
            folder = str(path.parent).rstrip("/") + "/"
            folders.setdefault(folder, []).append(f"{FILES}{path}")
        elif file.resource:
            lines.append(f"COPY {_array(f'{RESOURCES}/{file.resource}', file.path)}")
    plain = [f"COPY {_array(*names, folder)}" for folder, names in sorted(folders.items())]
    return plain + lines


def _file_commands(manifest: Manifest) -> list[str]:
    """Directories, links, modes and owners, parents first."""
    commands: list[str] = []
    groups = {f.group for f in manifest.files if f.group and f.group != f.owner}
    for group in sorted(groups - {"root"}):
        commands.append(f"{{ getent group {group} >/dev/null || groupadd {group}; }}")
    files = sorted(manifest.files, key=lambda f: f.path)
    commands += [f"mkdir -p {f.path}" for f in files if f.kind == "dir"]
    commands += [
        f"mkdir -p {PurePosixPath(f.path).parent} && ln -sfn {f.target} {f.path}"
        for f in files
        if f.kind == "link"
    ]
    owners: dict[str, list[str]] = {}
    modes: dict[str, list[str]] = {}
    for file in files:
        owner, group = file.owner, file.group
        if (owner, group or "root") != ("root", "root"):
            flag = "-h " if file.kind == "link" else ""
            owners.setdefault(f"{flag}{owner}:{group}", []).append(file.path)
        if file.kind != "link":
            modes.setdefault(_mode(file), []).append(file.path)
    if manifest.services:
        modes.setdefault("0755", []).append(ENTRYPOINT_IN_IMAGE)
    commands += [f"chown {who} {' '.join(paths)}" for who, paths in sorted(owners.items())]
    commands += [f"chmod {mode} {' '.join(paths)}" for mode, paths in sorted(modes.items())]
    return commands


def _mode(file: PlannedFile) -> str:
    """A directory planned with a file's default mode means: an ordinary directory."""
    if file.kind == "dir" and file.mode in ("0644", "644"):
        return "0755"
    return file.mode


def _env_value(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("$", "\\$")
    return f'"{escaped}"'


def _setup(command: str) -> str:
    """Exec form: line breaks, `$` and `<<` reach bash as written."""
    return "RUN " + _array("/bin/bash", "-ec", command)


def _array(*words: str) -> str:
    return json.dumps(words, ensure_ascii=False)


def health_command(service: Service) -> str:
    """Shell command that exits 0 when the service is ready; "" when nothing tells."""
    if service.health:
        return service.health
    if service.port is not None:
        return f"bash -c '</dev/tcp/127.0.0.1/{service.port}'"
    return ""


def entrypoint(manifest: Manifest) -> str:
    """Script that starts every service in the background and then becomes its arguments."""
    lines = ["#!/bin/bash", "# Starts the services of this environment, then runs its arguments."]
    lines += ["mkdir -p /var/log/facet", ""]
    for service in manifest.services:
        log = f"/var/log/facet/{service.name}.log"
        start = f"/bin/bash -c {shlex.quote(service.command)}"
        if service.user != "root":
            start = f"runuser -u {service.user} -- {start}"
        lines.append(f"setsid {start} </dev/null >>{log} 2>&1 &")
    lines += ["", 'exec "$@"', ""]
    return "\n".join(lines)
