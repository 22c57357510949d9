"""Runs *inside* a container (Python 3.8+, standard library only): looks, changes nothing.

Reads a plan as JSON from the file named by its first argument, prints what it found as JSON.
Bounded in the number of files, in bytes hashed and in what it prints; links are not followed; FIFOs
are not opened.
"""

import base64
import grp
import hashlib
import json
import os
import platform
import pwd
import stat
import subprocess
import sys
from typing import Any

HASH_LIMIT = 64_000_000
SKIPPED = {".git", "__pycache__", "node_modules", ".cache"}
SKELETON = {".bashrc", ".bash_logout", ".profile"}  # every home has them


def look(path: str, heads: int, head_bytes: int) -> "dict[str, Any] | None":
    """One path as it is, None if there is nothing."""
    try:
        info = os.lstat(path)
    except (OSError, ValueError):
        return None
    kind = "other"
    for test, name in ((stat.S_ISREG, "file"), (stat.S_ISDIR, "dir"), (stat.S_ISLNK, "link")):
        if test(info.st_mode):
            kind = name
    found = {
        "kind": kind,
        "size": info.st_size,
        "mode": format(stat.S_IMODE(info.st_mode), "04o"),
        "owner": owner(info.st_uid),
        "group": group(info.st_gid),
    }
    if kind == "link":
        found["target"] = os.readlink(path)[:1000]  # noqa: PTH115
    if kind == "file" and info.st_size <= HASH_LIMIT:
        digest, head = hashlib.sha256(), b""
        try:
            flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
            with os.fdopen(os.open(path, flags), "rb") as file:
                left = HASH_LIMIT
                while left > 0:
                    chunk = file.read(min(left, 1 << 20))
                    if not chunk:
                        break
                    head = head or chunk[:head_bytes]
                    digest.update(chunk)
                    left -= len(chunk)
            found["sha256"] = digest.hexdigest()
            if heads > 0:
                found["head"] = base64.b64encode(head).decode()
        except OSError as error:
            found["unreadable"] = str(error)[:200]
    return found


def owner(uid: int) -> str:
    """Login name of a user id."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def group(gid: int) -> str:
    """Name of a group id."""
    try:
        return grp.getgrgid(gid).gr_name
    except KeyError:
        return str(gid)


def walk(roots: "list[str]", depth: int, limit: int) -> "list[str]":
    """Paths below these folders, sorted, without what is noise in any folder."""
    found: set[str] = set()
    todo = [(root, 0) for root in sorted(roots, reverse=True)]
    while todo and len(found) < limit:
        folder, level = todo.pop()
        try:
            with os.scandir(folder) as entries:
                names = sorted(entry.name for entry in list(entries)[:5000])
        except OSError:
            continue
        for name in names:
            path = os.path.join(folder, name)  # noqa: PTH118
            if path in found or len(found) >= limit or name in SKELETON:
                continue
            found.add(path)
            if level + 1 < depth and name not in SKIPPED and is_folder(path):
                todo.append((path, level + 1))
    return sorted(found)


def is_folder(path: str) -> bool:
    """A real folder, not a link to one."""
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except (OSError, ValueError):
        return False


def packages(names: "list[str]") -> "dict[str, str]":
    """Version of each installed Debian package."""
    if not names:
        return {}
    wanted = [
        "dpkg-query",
        "-W",
        "-f",
        "${Package} ${db:Status-Status} ${Version}\\n",
        "--",
        *names,
    ]
    try:
        done = subprocess.run(wanted, capture_output=True, timeout=60, check=False)
    except (OSError, subprocess.SubprocessError):
        return {}
    rows = [line.split(" ") for line in done.stdout.decode("utf-8", "replace").splitlines()]
    return {row[0]: row[2] for row in rows if len(row) == 3 and row[1] == "installed"}


def wheels(names: "list[str]") -> "dict[str, str]":
    """Version of each installed Python distribution."""
    from importlib import metadata

    found = {}
    for name in names:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def users(names: "list[str]") -> "dict[str, Any]":
    """Planned logins that exist, and those a person would use (uid 1000 and up)."""
    rows = pwd.getpwall()[:2000]
    return {
        row.pw_name: {"uid": row.pw_uid, "home": row.pw_dir, "shell": row.pw_shell}
        for row in rows
        if row.pw_name in names or 1000 <= row.pw_uid < 60000
    }


def main() -> None:
    """Look at everything the plan names."""
    with open(sys.argv[1], encoding="utf-8") as file:  # noqa: PTH123
        plan = json.load(file)
    paths = list(plan["paths"])
    extra = [p for p in walk(plan["roots"], plan["depth"], plan["limit"]) if p not in set(paths)]
    heads = plan["heads"]
    files = {}
    for number, path in enumerate([*paths, *extra]):
        files[path] = look(path, heads - number, plan["head_bytes"])
    answer = {
        "files": files,
        "packages": packages(plan["packages"]),
        "wheels": wheels(plan["wheels"]),
        "users": users(plan["users"]),
        "env": {key: os.environ[key] for key in plan["env"] if key in os.environ},
        "workdir": os.getcwd(),  # noqa: PTH109
        "architecture": platform.machine(),
    }
    sys.stdout.write(json.dumps(answer))


if __name__ == "__main__":
    main()
