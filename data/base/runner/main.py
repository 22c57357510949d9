"""Entry point of the grading runner: `run [TESTS]`, `run --grade FOLDER TESTS`, `run --version`.

Runs under the runner's own Python with -I -S -B, so nothing of the image is imported: no
sitecustomize, no .pth, no PYTHON* variable, no entry point, no conftest.py.
"""

import base64
import json
import os
import shutil
import stat
import sys
import time

HOME = os.path.dirname(os.path.abspath(__file__))
LOGS = os.environ.get("FACET_LOGS", "/logs/verifier")
LIMITS = {
    **dict.fromkeys(("reward.json", "reward.txt"), 64 * 1024),
    **dict.fromkeys(("ctrf.json", "ctrf-report.json", "junit.xml", "results.xml"), 16 * 2**20),
}
FAKETIME = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1"


def version():
    """The digest of the recipe this runner was made from."""
    with open(os.path.join(HOME, "VERSION"), encoding="ascii") as file:
        return file.read().strip()


def evidence(root):
    """What lies at `root` although nothing should: (path, kind, detail), at most 50."""
    found = []
    try:
        info = os.lstat(root)
    except FileNotFoundError:
        return found
    if stat.S_ISLNK(info.st_mode):
        return [(root, "link", "-> " + os.readlink(root))]
    if not stat.S_ISDIR(info.st_mode):
        return [(root, "file" if stat.S_ISREG(info.st_mode) else "other", "")]
    for folder, folders, files in os.walk(root, followlinks=False):
        for name in sorted(folders + files):
            path = os.path.join(folder, name)
            info = os.lstat(path)
            kinds = {stat.S_IFLNK: "link", stat.S_IFDIR: "dir", stat.S_IFREG: "file"}
            kind = kinds.get(stat.S_IFMT(info.st_mode), "other")
            detail = f"{info.st_size} bytes" if kind == "file" else ""
            if kind == "link":
                detail = "-> " + os.readlink(path)
            found.append((path, kind, detail))
            if len(found) >= 50:
                return found
    return found


def empty(root):
    """Make `root` a real, empty folder, whatever it was; parents that are links go too."""
    parts = root.strip("/").split("/")
    for depth in range(1, len(parts) + 1):
        path = "/" + "/".join(parts[:depth])
        last = depth == len(parts)
        if os.path.islink(path) or (os.path.lexists(path) and not os.path.isdir(path)):
            os.unlink(path)
        elif last and os.path.isdir(path):
            shutil.rmtree(path)
        if not os.path.isdir(path):
            os.mkdir(path, 0o755)
    os.chmod(root, 0o777 if root.startswith("/logs") else 0o755)


def prepare(staged):
    """Note and remove what an actor left in /tests and /logs/verifier, then lay the tests down.

    `staged` is a folder with `tests/`; `tamper.json` is written beside it.
    """
    seen = evidence("/tests") + evidence("/logs/verifier")
    if os.path.islink("/logs"):
        seen.append(("/logs", "link", "-> " + os.readlink("/logs")))
    empty("/logs/verifier")
    empty("/tests")
    source = os.path.join(staged, "tests")
    for name in os.listdir(source) if os.path.isdir(source) else ():
        shutil.move(os.path.join(source, name), os.path.join("/tests", name))
    save(os.path.join(staged, "tamper.json"), [list(map(printable, row)) for row in seen])


def save(path, value):
    with open(path, "w", encoding="ascii") as file:
        json.dump(value, file)


def collect(folder, limits=LIMITS):
    """Reports of a log folder by name: regular files within their limit, nothing followed."""
    files = {}
    if os.path.realpath(folder) != folder:
        return {"reward.json": ("refused", b"", f"{folder} is a link")}
    for name, limit in limits.items():
        path = os.path.join(folder, name)
        try:
            files[name] = ("read", read_regular(path, limit), "")
        except FileNotFoundError:
            continue
        except (OSError, ValueError) as error:
            files[name] = ("refused", b"", str(error))
    return files


def read_regular(path, limit):
    """Bytes of a regular file of at most `limit` bytes; ValueError says why not."""
    info = os.lstat(path)
    if not stat.S_ISREG(info.st_mode):
        kinds = {stat.S_IFLNK: "a link", stat.S_IFIFO: "a FIFO", stat.S_IFDIR: "a folder"}
        raise ValueError(f"it is {kinds.get(stat.S_IFMT(info.st_mode), 'no regular file')}")
    if info.st_size > limit:
        raise ValueError(f"it has {info.st_size} bytes, {limit} are allowed")
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with open(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise ValueError("it is no regular file")
        data = file.read(limit + 1)
    if len(data) > limit:
        raise ValueError(f"it grew beyond {limit} bytes")
    return data


def bundle(staged, files, more=()):
    """Write reports and tamper evidence into one file that only the grader knows."""
    try:
        with open(os.path.join(staged, "tamper.json"), encoding="ascii") as file:
            tamper = json.load(file)
    except FileNotFoundError:
        tamper = []
    packed = {
        name: {
            "state": state,
            "data": base64.b64encode(data).decode("ascii"),
            "reason": printable(reason),
        }
        for name, (state, data, reason) in files.items()
    }
    part = os.path.join(staged, "bundle.part")
    save(part, {"files": packed, "tamper": tamper + list(more)})
    os.replace(part, os.path.join(staged, "bundle.json"))


def grade(staged, tests):
    """Prepare, run, and bundle what was found out, not what lies in the log folder by then."""
    prepare(staged)
    code, written = run(tests)
    lying = collect(LOGS)
    more = [
        (os.path.join(LOGS, name), "file", "changed or removed while the checks ran")
        for name, data in written.items()
        if lying.get(name, ("", b"", ""))[1] != data
    ]
    more += [
        (os.path.join(LOGS, name), "file", "appeared while the checks ran")
        for name in lying
        if name not in written
    ]
    bundle(staged, {name: ("read", data, "") for name, data in written.items()}, more)
    return code


def printable(text):
    """Text that any JSON reader takes; names may hold any byte."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")[:500]


def guard_imports(tests):
    """Refuse to run code of the graded state inside this process: it could change the verdict."""
    roots = (HOME + "/", tests + "/")

    def hook(event, args):
        if event == "exec":
            name = getattr(args[0], "co_filename", "")
            if name.startswith("/") and not name.startswith(roots):
                raise ImportError(
                    f"{name} may not run inside the checks; run it as a process of its own"
                )

    sys.addaudithook(hook)


def run(tests):
    """Run every check below `tests`: exit code as pytest's (3 for no reward), reports by name."""
    bent = ("PYTEST_", "FACET_CHECK_ORDER", "FACET_CLOCK", "FACET_LOGS", "FACET_RUNNER")
    given = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith(bent)}
    order = given.get("FACET_CHECK_ORDER") or None
    if given.get("FACET_CLOCK") and os.path.exists(FAKETIME):
        os.environ["LD_PRELOAD"] = FAKETIME  # programs the checks start see the same clock
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    sys.path[:0] = [os.path.join(HOME, "site"), HOME]
    import pytest
    from facet_checks import Checks

    tests = os.path.realpath(tests)
    os.makedirs(LOGS, exist_ok=True)
    python = shutil.which("python3")
    sys.executable = python or ""
    checks = Checks(tests, LOGS, order, HOME + "/")
    guard_imports(tests)
    base = f"/tmp/facet-{os.getpid()}-{time.time_ns():x}"
    code = pytest.main(
        [
            *("-c", os.path.join(HOME, "pytest.ini"), "--rootdir", tests),
            *("--noconftest", "-p", "no:cacheprovider", "--basetemp", base),
            *("--tb=short", "-v", "--color=no", "--strict-markers", tests),
        ],
        plugins=[checks],
    )
    shutil.rmtree(base, ignore_errors=True)
    return checks.finish(code)


def main(args):
    if not os.__file__.startswith(HOME + "/") or not sys.flags.isolated or not sys.flags.no_site:
        print("facet runner: not running on its own Python", file=sys.stderr)
        return 125
    if args == ["--version"]:
        print(version())
        return 0
    if len(args) == 2 and args[0] == "--prepare":
        prepare(args[1])
        return 0
    if len(args) == 2 and args[0] == "--collect":
        bundle(args[1], collect(LOGS))
        return 0
    if len(args) == 3 and args[0] == "--grade":
        return grade(args[1], args[2])
    if len(args) > 1 or (args and args[0].startswith("-")):
        print("usage: run [TESTS] | --grade FOLDER TESTS | --prepare FOLDER | --collect FOLDER")
        return 125
    return run(args[0] if args else "/tests")[0]


if __name__ == "__main__":
    code = main(sys.argv[1:])
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # threads and atexit hooks of test modules do not delay the end
