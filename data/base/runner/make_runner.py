"""Puts the grading runner together from the image's own files: loader, libc, Python, pytest.

Usage: python3 make_runner.py SOURCE TARGET. SOURCE holds runner/ and wheels/. The tree may be
mounted anywhere: nothing in it names its own place.
"""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

SKIPPED = {
    "__pycache__", "ensurepip", "idlelib", "lib2to3", "pydoc_data", "site-packages",
    "dist-packages", "test", "tests", "tkinter", "turtledemo", "venv", "wsgiref",
}  # fmt: skip


def libraries(binary: Path) -> dict[str, Path]:
    """Shared objects a binary loads, by name; the loader among them."""
    done = subprocess.run(["ldd", str(binary)], capture_output=True, text=True, check=False)
    found = {}
    for line in done.stdout.splitlines():
        match = re.match(r"\s*(?:(\S+) => )?(/\S+) \(0x", line)
        if match:
            path = Path(match[2])
            found[Path(match[1] or match[2]).name] = path
    return found


def main() -> None:
    """Make the tree."""
    source, target = Path(sys.argv[1]), Path(sys.argv[2])
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    shutil.rmtree(target, ignore_errors=True)
    (target / "lib").mkdir(parents=True)
    stdlib = Path(sysconfig.get_path("stdlib"))
    python = target / "python"
    (python / "bin").mkdir(parents=True)
    shutil.copy2(os.path.realpath(f"/usr/bin/{version}"), python / "bin/python3")
    shutil.copytree(
        stdlib,
        python / "lib" / version,
        ignore=lambda _, names: [n for n in names if n in SKIPPED or n.startswith("config-")],
        symlinks=False,
        ignore_dangling_symlinks=True,
    )
    binaries = [python / "bin/python3", *(python / "lib" / version).rglob("*.so")]
    faketime = next(Path("/usr/lib").rglob("faketime/libfaketime.so.1"))
    shutil.copy2(faketime, target / "lib/libfaketime.so.1")
    binaries.append(faketime)
    for binary in binaries:
        for name, path in libraries(binary).items():
            if name.startswith("ld-linux"):
                shutil.copy2(os.path.realpath(path), target / "ld.so")
            elif not (target / "lib" / name).exists():
                shutil.copy2(os.path.realpath(path), target / "lib" / name)
    for wheel in sorted((source / "wheels").glob("*.whl")):
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(target / "site")
    for name in ("main.py", "facet_checks.py", "pytest.ini", "VERSION"):
        shutil.copy2(source / "runner" / name, target / name)
    subprocess.run(
        ["gcc", "-static", "-O2", "-s", "-o", target / "run", source / "runner/launcher.c"],
        check=True,
    )
    for folder in (python / "lib" / version, target / "site", target):
        subprocess.run(
            [sys.executable, "-I", "-m", "compileall", "-q", "--invalidation-mode",
             "unchecked-hash", *(["-l"] if folder == target else []), folder],
            check=True,
        )  # fmt: skip
    for path in [target, *target.rglob("*")]:
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644)


if __name__ == "__main__":
    main()
