"""Entry point of the grading runner: `run [TESTS]`, `run --prepare`, `run --version`.

Runs under the runner's own Python with -I -S -B, so nothing of the image is imported: no
sitecustomize, no .pth, no PYTHON* variable, no entry point, no conftest.py.
"""

import os
import shutil
import stat
import sys
import time

HOME = os.path.dirname(os.path.abspath(__file__))
LOGS = os.environ.get("FACET_LOGS", "/logs/verifier")
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
    import json

    seen = evidence("/tests") + evidence("/logs/verifier")
    if os.path.islink("/logs"):
        seen.append(("/logs", "link", "-> " + os.readlink("/logs")))
    empty("/logs/verifier")
    empty("/tests")
    for name in os.listdir(os.path.join(staged, "tests")):
        shutil.move(os.path.join(staged, "tests", name), os.path.join("/tests", name))
    with open(os.path.join(staged, "tamper.json"), "w", encoding="utf-8", errors="replace") as file:
        json.dump([list(map(printable, row)) for row in seen], file)


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
    """Collect and run every check below `tests`; exit code as pytest's, 3 for no reward."""
    given = {n: os.environ.pop(n) for n in list(os.environ) if n.startswith(("PYTEST_", "FACET_"))}
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
    if len(args) == 3 and args[0] == "--grade":  # prepare and run in one go
        prepare(args[1])
        args = [args[2]]
    if len(args) > 1 or (args and args[0].startswith("-")):
        print("usage: run [TESTS] | --prepare FOLDER | --grade FOLDER TESTS | --pause", file=sys.stderr)
        return 125
    return run(args[0] if args else "/tests")


if __name__ == "__main__":
    code = main(sys.argv[1:])
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # threads and atexit hooks of test modules do not delay the end
