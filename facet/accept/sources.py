"""What a task's files say about base images, licences and installing while grading. Pure."""

import re

from facet.accept.delivery import Item
from facet.types.apart import steps_of
from facet.types.task import Task
from facet.validation_bases import ARG, COPY_FROM, FROM
from facet.validation_reach import prebuilt_image

DIGEST = re.compile(r"@sha256:[0-9a-f]{64}$")
INSTALLS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "installs packages",
        re.compile(r"\b(?:apt|apt-get|yum|dnf|zypper|conda|mamba|brew)\s+(?:-\S+\s+)*install\b"),
    ),
    ("installs packages", re.compile(r"\bapk\s+(?:-\S+\s+)*add\b|\bpacman\s+-S")),
    (
        "installs Python packages",
        re.compile(
            r"\bpip3?(?:\.\d+)?[\"',\s]+(?:-\S+\s+)*install\b|\buv\s+(?:pip|add|sync|tool)\b|\buvx\b|\buv\s+run\b.*--with\b|\bpipx\s+(?:install|run)\b|\bpoetry\s+install\b"
        ),
    ),
    ("installs Node packages", re.compile(r"\b(?:npm|pnpm|yarn)\s+(?:i|install|ci|add)\b|\bnpx\s")),
    (
        "installs packages",
        re.compile(r"\b(?:gem|cargo|go)\s+(?:install|get)\b|\bplaywright\s+install\b"),
    ),
    (
        "fetches from the network",
        re.compile(r"\b(?:curl|wget)\b.*\bhttps?://(?!localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0)"),
    ),
    ("fetches from the network", re.compile(r"\bgit\s+clone\s+(?:-\S+\s+)*(?:https?|git|ssh)[:@]")),
)
"""What a line of a test does to the network. A table: the documentation shows its kinds."""

LICENCES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("MIT", re.compile(r"\bMIT License\b|Permission is hereby granted, free of charge", re.I)),
    ("Apache-2.0", re.compile(r"Apache License\s*,?\s*Version 2\.0", re.I)),
    (
        "BSD-3-Clause",
        re.compile(r"Redistribution and use in source.*Neither the name", re.I | re.S),
    ),
    ("BSD-2-Clause", re.compile(r"Redistribution and use in source and binary forms", re.I)),
    ("GPL-3.0", re.compile(r"GNU GENERAL PUBLIC LICENSE\s*Version 3", re.I)),
    ("MPL-2.0", re.compile(r"Mozilla Public License Version 2\.0", re.I)),
    (
        "CC-BY-4.0",
        re.compile(r"Creative Commons Attribution 4\.0|Attribution 4\.0 International", re.I),
    ),
)
"""Licence texts by the words that tell them, the more particular first."""


def unpinned(task: Task, allow: tuple[str, ...]) -> tuple[str, ...]:
    """Base images without a digest, each with its place."""
    found = []
    places = (("environment", task.environment.files), ("tests", task.verifier.files))
    for folder, files in places:
        for file in files.files:
            if file.path.rpartition("/")[2] == "Dockerfile":
                found += [
                    f"{folder}/{file.path}:{line}: {image}"
                    for line, image in base_images(file.text)
                    if not _pinned(image, allow)
                ]
    named = (
        ("task.toml", dict(task.settings.metadata).get("verifier.docker_image", "")),
        ("task.toml", prebuilt_image(task)),
        *(("task.toml", plan.verifier_image) for plan in steps_of(task)),
    )
    found += [f"{place}: {image}" for place, image in named if image and not _pinned(image, allow)]
    return tuple(found)


def _pinned(image: str, allow: tuple[str, ...]) -> bool:
    return image == "scratch" or image in allow or DIGEST.search(image) is not None


def base_images(dockerfile: str) -> tuple[tuple[int, str], ...]:
    """Line and image of every FROM and COPY --from that is no stage of this file."""
    stages: set[str] = set()
    defaults: dict[str, str] = {}
    found = []
    count = 0
    for number, line in enumerate(dockerfile.splitlines(), 1):
        if (argument := ARG.match(line)) and not count:
            defaults[argument["name"]] = argument["image"].strip("\"'")
        source = FROM.match(line) or COPY_FROM.match(line)
        if source is None:
            continue
        image = re.sub(r"\$\{?(\w+)\}?", lambda m: defaults.get(m[1], m[0]), source["image"])
        if image.lower() not in stages and not image.isdigit():
            found.append((number, image))
        if source.re is FROM:
            count += 1
            if name := re.match(r"\s+AS\s+(\S+)", source["tail"], re.I):
                stages.add(name[1].lower())
    return tuple(found)


def installs(task: Task) -> tuple[str, ...]:
    """Lines of the tests that install or fetch while grading: file, line, what."""
    found = []
    for file in task.verifier.files.files:
        if not file.path.endswith((".sh", ".bash", ".py")) and not file.data.startswith(b"#!"):
            continue
        for number, line in enumerate(file.text.splitlines(), 1):
            bare = line.strip()
            if bare.startswith("#") or len(bare) > 5000:
                continue
            what = next((what for what, pattern in INSTALLS if pattern.search(bare)), "")
            if what:
                found.append(f"tests/{file.path}:{number}: {what}: {bare[:120]}")
    return tuple(found)


def licences_of(item: Item) -> tuple[str, ...]:
    """Licences that a task names for what it is made of; () when it names none."""
    task = item.task
    if task is None:
        return ()
    named = [s.get("licence", "") or "none named" for s in task.provenance.skills]
    for key, value in task.settings.metadata:
        if key.lower() in ("metadata.license", "metadata.licence"):
            named.append(value.strip())
    if not named and item.licence_text:
        named += [next((n for n, p in LICENCES if p.search(item.licence_text)), "not recognized")]
    return tuple(dict.fromkeys(n for n in named if n))
