"""Installs wheels without pip (standard library only); runs while a package layer is built.

Usage: python3 wheel_unpack.py FOLDER_OF_WHEELS SITE_PACKAGES BIN
"""

import configparser
import sys
import zipfile
from pathlib import Path, PurePosixPath

LAUNCHER = """#!/usr/bin/python3
import sys
from {module} import {top}
sys.exit({function}())
"""


def unpack(wheel: Path, site: Path, scripts: Path) -> None:
    """Put one wheel's files in place and make its console scripts."""
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.infolist():
            parts = PurePosixPath(member.filename).parts
            if member.is_dir() or ".." in parts or not parts or parts[0] == "/":
                continue
            target = _target(parts, site, scripts)
            if target is None:
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(archive.read(member))
            if target.parent == scripts:
                target.chmod(0o755)
        for name in archive.namelist():
            if name.endswith(".dist-info/entry_points.txt"):
                _launchers(archive.read(name).decode(), scripts)


def _target(parts: "tuple[str, ...]", site: Path, scripts: Path) -> "Path | None":
    """Where a member goes; headers and data files of `*.data` folders are left out."""
    if not parts[0].endswith(".data"):
        return site.joinpath(*parts)
    if len(parts) > 2 and parts[1] in ("purelib", "platlib"):
        return site.joinpath(*parts[2:])
    if len(parts) == 3 and parts[1] == "scripts":
        return scripts / parts[2]
    return None


def _launchers(text: str, scripts: Path) -> None:
    parser = configparser.ConfigParser(delimiters=("=",), interpolation=None)
    parser.optionxform = str  # type: ignore[method-assign, assignment]
    parser.read_string(text)
    if not parser.has_section("console_scripts"):
        return
    for name, target in parser.items("console_scripts"):
        module, _, function = target.partition("[")[0].strip().partition(":")
        words = [*module.split("."), *function.split(".")]
        if "/" in name or not all(word.isidentifier() for word in words):
            continue
        path = scripts / name
        path.parent.mkdir(parents=True, exist_ok=True)
        top = function.partition(".")[0]
        path.write_text(LAUNCHER.format(module=module, top=top, function=function))
        path.chmod(0o755)


def main() -> None:
    """Unpack every wheel of the folder, in the order of their names."""
    folder, site, scripts = (Path(argument) for argument in sys.argv[1:4])
    for wheel in sorted(folder.glob("*.whl")):
        unpack(wheel, site, scripts)


if __name__ == "__main__":
    main()
