"""A tar archive of small records with a list of checksums that not all members meet."""

import hashlib
import io
import tarfile
from collections.abc import Mapping

from facet.author.choice import Choice
from facet.author.dice import Dice
from facet.author.recipe import (
    Fixture,
    Item,
    View,
    fill,
    spots,
    text_of,
)
from facet.author.themes import Theme
from facet.types.manifest import PlannedFile

EPOCH = 1_735_689_600  # 2025-01-01, the time stamp of every member


class Delivery:
    """A tar archive of small records with a list of checksums that not all members meet."""

    reasons: tuple[tuple[str, str], ...] = (
        ("not-listed", "`SHA256SUMS` does not list the member"),
        ("bad-checksum", "its content does not have the listed SHA-256"),
    )
    ref = "the member's file name without folder"

    def places(self, theme: Theme) -> tuple[Choice, ...]:
        """The archive."""
        return (spots("delivery", theme, "_delivery.tar"),)

    def build(self, theme: Theme, env: Mapping[str, str], items: list[Item], dice: Dice) -> Fixture:
        """Members in random order, a note on their form beside the archive."""
        names = theme.fields.variants[int(env["raw"])]
        members, sums = [], []
        for index, item in enumerate(items):
            name = f"{index + 1:04d}.txt"
            pairs = [f"{n}: {v}" for n, v in zip(names, item.parts(), strict=True)]
            data = "\n".join(pairs).encode() + b"\n"
            digest = hashlib.sha256(data).hexdigest()
            if index in (4, 20, 33):
                data = data.replace(b"-", b"_", 1) + b"\n"
            if index not in (9, 27):
                sums.append(f"{digest}  records/{name}\n")
            members.append((f"records/{name}", data))
        files = [("SHA256SUMS", "".join(dice.shuffled(sums)).encode()), *dice.shuffled(members)]
        note = f"One member per {theme.fields.noun}; lines: {', '.join(names)}.\n"
        path = env["delivery"]
        return Fixture(
            (
                PlannedFile(path=path, data=tar_of(files)),
                text_of(f"{path}.note", note),
            )
        )

    def say(self, view: View) -> tuple[tuple[str, ...], ...]:
        """What is in it."""
        path, noun = view.env["delivery"], view.fields.noun
        names = ", ".join(f"`{n}: ...`" for n in view.raw)
        return (
            (
                f"The tar archive `{path}` holds one text file per {noun} below `records/` and a "
                "`SHA256SUMS`.",
                f"A delivery came as `{path}`: below `records/` a text file for each {noun}, and "
                "beside that folder the file `SHA256SUMS`.",
                f"`{path}` is a tar archive with `SHA256SUMS` and, below `records/`, a file for "
                f"every {noun}.",
            ),
            (
                f"Such a file has five lines, {names}. Take the files in the order of their names, "
                "and trust none whose checksum is missing or wrong.",
                f"Each has the lines {names}; their order is that of the file names. Only what "
                "`SHA256SUMS` confirms may be used.",
            ),
        )

    def solve(self, view: View) -> str:
        """tarfile and hashlib."""
        return fill(
            """
import hashlib

DELIVERY = @path@
NAMES = @names@
with tarfile.open(DELIVERY) as tar:
    sums = {}
    for line in tar.extractfile("SHA256SUMS").read().decode().splitlines():
        digest, name = line.split("  ", 1)
        sums[name] = digest
    for name in sorted(n for n in tar.getnames() if n.startswith("records/")):
        data = tar.extractfile(name).read()
        ref = name.rpartition("/")[2]
        if name not in sums:
            refused.append((ref, "not-listed"))
        elif hashlib.sha256(data).hexdigest() != sums[name]:
            refused.append((ref, "bad-checksum"))
        else:
            pairs = dict(line.split(":", 1) for line in data.decode().splitlines())
            items.append((ref, *(pairs[n] for n in NAMES)))
""",
            path=view.env["delivery"],
            names=list(view.raw),
        )

    def expect(self, view: View) -> str:
        """Members are compared as pairs of digest and name."""
        return fill(
            """
def material():
    items, refused = [], []
    path = @path@
    assert os.path.isfile(path), f"{path} is missing"
    with tarfile.open(path) as tar:
        content = {m.name: tar.extractfile(m).read() for m in tar if m.isfile()}
    listed = content.pop("SHA256SUMS").decode()
    names = {line[66:] for line in listed.splitlines()}
    for name, data in sorted(content.items()):
        ref = os.path.basename(name)
        if f"{hashlib.sha256(data).hexdigest()}  {name}\\n" in listed:
            lines = [line.split(": ", 1) for line in data.decode().split("\\n") if line]
            items.append((ref, *(line[1] if len(line) > 1 else "" for line in lines)))
        else:
            refused.append((ref, "bad-checksum" if name in names else "not-listed"))
    return items, refused
""",
            path=view.env["delivery"],
        )


def tar_of(files: list[tuple[str, bytes]]) -> bytes:
    """An uncompressed tar archive; the same files always give the same bytes."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, data in files:
            info = tarfile.TarInfo(name)
            info.size, info.mtime, info.mode = len(data), EPOCH, 0o644
            tar.addfile(info, io.BytesIO(data))
    return buffer.getvalue()
