"""Archives: take over a delivery with checksums; pack a backup that proves itself."""

import hashlib
import io
import tarfile
from collections.abc import Mapping

from facet.author.choice import Choice, choice
from facet.author.dice import Dice
from facet.author.recipe import (
    Check,
    Fixture,
    Item,
    NoMaterial,
    Raw,
    Recipe,
    View,
    fill,
    outputs,
    spots,
    text_of,
)
from facet.author.themes import Theme
from facet.types.manifest import PlannedFile

EPOCH = 1_735_689_600  # 2025-01-01, the time stamp of every member


def tar_of(files: list[tuple[str, bytes]]) -> bytes:
    """An uncompressed tar archive; the same files always give the same bytes."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, data in files:
            info = tarfile.TarInfo(name)
            info.size, info.mtime, info.mode = len(data), EPOCH, 0o644
            tar.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


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


class Backup(NoMaterial):
    """A tar.gz with a file per group, checksums inside, a sidecar outside."""

    def choices(self, theme: Theme) -> tuple[Choice, ...]:
        """Paths, layout, rights, stamp."""
        return (
            outputs("backup", theme, "backup.tar.gz", "archive.tar.gz", f"{theme.slug}.tar.gz"),
            choice(
                "backup_root",
                ("data", "top folder `data`"),
                (theme.stems[0], f"top folder `{theme.stems[0]}`"),
                ("backup-2024", "top folder `backup-2024`"),
            ),
            choice(
                "backup_mode",
                ("0640", "mode 0640"),
                ("0600", "mode 0600"),
                ("0444", "mode 0444"),
            ),
            choice(
                "backup_stamp",
                ("2025-01-01", "the time stamp 2025-01-01T00:00:00 UTC"),
                ("2024-12-31", "the time stamp 2024-12-31T00:00:00 UTC"),
            ),
            choice(
                "backup_sort",
                ("id", "lines in the order of the identifiers"),
                ("day", "lines by day, then by identifier"),
            ),
        )

    def say(self, view: View) -> tuple[tuple[str, ...], ...]:
        """All of the product."""
        p, f = view.pick, view.fields
        sort = {
            "id": "lines in the order of the identifiers",
            "day": "lines by day, then by identifier",
        }[p["backup_sort"]]
        return (
            (
                f"Finally pack the backup `{p['backup']}` (gzip-compressed tar) with the top "
                f"folder `{p['backup_root']}` and in it a file `NAME.csv` per {f.words[1]}.",
                f"Make a gzip-compressed tar archive `{p['backup']}`; it has the top folder "
                f"`{p['backup_root']}`, which holds one `NAME.csv` for every {f.words[1]}.",
            ),
            (
                f"Such a file has no header; each line is {f.words[0]}, {f.words[2]} "
                f"(`YYYY-MM-DD`), {f.words[3]} (two decimals), separated by commas, {sort}.",
                f"Its lines are {f.words[0]}, {f.words[2]} as `YYYY-MM-DD` and {f.words[3]} with "
                f"two decimals, comma-separated and without header, {sort}.",
            ),
            (
                "In the top folder there are also `SHA256SUMS` (as `sha256sum` writes it for those "
                "files, names without folder, by name) and `COUNT` with the number of all records.",
                "The top folder also holds `COUNT` (how many records in all) and `SHA256SUMS`, one "
                "line per csv file in the form of `sha256sum`, bare names, sorted by name.",
            ),
            (
                f"Every file in it belongs to uid 0 and gid 0, has mode {p['backup_mode']} and the "
                f"time stamp {p['backup_stamp']}T00:00:00 UTC; nothing else is inside but the "
                "folder.",
                f"All files in it have uid and gid 0, mode {p['backup_mode']} and the time stamp "
                f"{p['backup_stamp']}T00:00:00 UTC, and there is nothing beyond them and their "
                "folder.",
            ),
            (
                f"Beside it, `{p['backup']}.sha256` holds the line `sha256sum` would print in that "
                "folder for the archive.",
                f"Write `{p['backup']}.sha256` next to it, so that `sha256sum -c` in that folder "
                "confirms the archive.",
            ),
        )

    def solve(self, view: View) -> str:
        """tarfile with a filter."""
        p = view.pick
        sort = {"id": "row[0]", "day": "(row[2], row[0])"}[p["backup_sort"]]
        return fill(
            """
from datetime import datetime, timezone

BACKUP = Path(@backup@)
ROOT = @root@
MODE = @mode@
STAMP = int(datetime.fromisoformat(@stamp@).replace(tzinfo=timezone.utc).timestamp())
BACKUP.parent.mkdir(parents=True, exist_ok=True)

files = {}
for group in groups:
    chosen = sorted((row for row in rows if row[1] == group), key=lambda row: @sort@)
    lines = [f"{key},{day},{decimal(value)}\\n" for key, _, day, value, _ in chosen]
    files[f"{group}.csv"] = "".join(lines).encode()
sums = [f"{hashlib.sha256(data).hexdigest()}  {name}\\n" for name, data in sorted(files.items())]
files["SHA256SUMS"] = "".join(sums).encode()
files["COUNT"] = f"{len(rows)}\\n".encode()

with tarfile.open(BACKUP, "w:gz") as tar:
    folder = tarfile.TarInfo(ROOT)
    folder.type, folder.mode, folder.mtime = tarfile.DIRTYPE, 0o755, STAMP
    tar.addfile(folder)
    for name, data in sorted(files.items()):
        info = tarfile.TarInfo(f"{ROOT}/{name}")
        info.size, info.mode, info.mtime = len(data), int(MODE, 8), STAMP
        tar.addfile(info, io.BytesIO(data))
digest = hashlib.sha256(BACKUP.read_bytes()).hexdigest()
Path(f"{BACKUP}.sha256").write_text(f"{digest}  {BACKUP.name}\\n", encoding="utf-8")
""",
            backup=p["backup"],
            root=p["backup_root"],
            mode=p["backup_mode"],
            stamp=p["backup_stamp"],
            sort=Raw(sort),
        )

    def helpers(self, view: View) -> str:
        """Read all members."""
        p = view.pick
        return fill(
            """
BACKUP = @backup@
ROOT = @root@


def members():
    assert os.path.isfile(BACKUP) and not os.path.islink(BACKUP), f"{BACKUP} is missing"
    try:
        with tarfile.open(BACKUP, "r:gz") as tar:
            found = tar.getmembers()
            assert len(found) < 200, f"{BACKUP} holds {len(found)} members"
            return {
                m.name.removeprefix("./").rstrip("/"): (
                    m, tar.extractfile(m).read(1_000_000) if m.isfile() else None
                )
                for m in found
            }
    except (tarfile.TarError, OSError, EOFError) as error:
        raise AssertionError(f"{BACKUP} cannot be read: {error}") from None


def inside(name):
    found = members().get(f"{ROOT}/{name}")
    assert found and found[1] is not None, f"{BACKUP}: {ROOT}/{name} is missing"
    return found[1].decode("utf-8", "replace")


def packed():
    return {g: [x.split(",") for x in inside(g + ".csv").splitlines()] for g in GROUPS()}


def column(index):
    return {x[0]: x[index] for lines in packed().values() for x in lines if len(x) == 3}


def files():
    return {n: m for n, (m, data) in members().items() if data is not None}
""",
            backup=p["backup"],
            root=p["backup_root"],
        )

    def checks(self, view: View) -> tuple[Check, ...]:
        """Members, their content, their rights, the sums."""
        p, f = view.pick, view.fields
        sort = {"id": "r[0]", "day": "(r[2], r[0])"}[p["backup_sort"]]
        return (
            Check(
                "backup-files",
                f"The archive holds a file per {f.words[1]}, the sums, the count, and no more",
                "expected = sorted(f'{ROOT}/{n}' for n in "
                "['COUNT', 'SHA256SUMS', *(g + '.csv' for g in GROUPS())])\n"
                "assert sorted(files()) == expected, f'files in {BACKUP}'",
            ),
            Check(
                "backup-ids",
                f"Every {f.noun} is in the file of its {f.words[1]}",
                "actual = {g: sorted(x[0] for x in lines) for g, lines in packed().items()}\n"
                "expected = {g: [r[0] for r in ROWS() if r[1] == g] for g in GROUPS()}\n"
                "assert actual == expected, f'identifiers in {BACKUP}'",
            ),
            Check(
                "backup-days",
                f"Packed lines show the {f.words[2]}",
                "expected = {r[0]: r[2] for r in ROWS()}\n"
                "assert column(1) == expected, f'days in {BACKUP}'",
            ),
            Check(
                "backup-values",
                f"Packed lines show the {f.words[3]} with two decimals",
                "expected = {r[0]: money(r[3]) for r in ROWS()}\n"
                "assert column(2) == expected, f'values in {BACKUP}'",
            ),
            Check(
                "backup-order",
                "Packed lines are in the demanded order",
                "actual = {g: [x[0] for x in lines] for g, lines in packed().items()}\n"
                f"ordered = sorted(ROWS(), key=lambda r: {sort})\n"
                "expected = {g: [r[0] for r in ordered if r[1] == g] for g in GROUPS()}\n"
                "assert actual == expected, f'order of lines in {BACKUP}'",
            ),
            Check(
                "backup-sums",
                "SHA256SUMS confirms every packed file",
                "names = sorted(g + '.csv' for g in GROUPS())\n"
                "digest = {n: hashlib.sha256(inside(n).encode()).hexdigest() for n in names}\n"
                "expected = [f'{digest[n]}  {n}' for n in names]\n"
                "assert inside('SHA256SUMS').splitlines() == expected, f'SHA256SUMS in {BACKUP}'",
            ),
            Check(
                "backup-count",
                "COUNT says how many records there are",
                "assert inside('COUNT').strip() == str(len(ROWS())), f'COUNT in {BACKUP}'",
            ),
            Check(
                "backup-mode",
                f"Packed files have mode {p['backup_mode']}",
                "actual = {oct(m.mode & 0o7777) for m in files().values()}\n"
                f"assert actual == {{oct(0o{p['backup_mode']})}}, f'modes in {{BACKUP}}'",
            ),
            Check(
                "backup-owner",
                "Packed files belong to uid 0 and gid 0",
                "actual = {(m.uid, m.gid) for m in files().values()}\n"
                "assert actual == {(0, 0)}, f'owners in {BACKUP}'",
            ),
            Check(
                "backup-stamp",
                f"Packed files have the time stamp {p['backup_stamp']}",
                "days = {str(date(1970, 1, 1) + timedelta(seconds=int(m.mtime))) "
                "for m in files().values()}\n"
                "seconds = {int(m.mtime) % 86400 for m in files().values()}\n"
                f"assert (days, seconds) == ({{{p['backup_stamp']!r}}}, {{0}}), "
                "f'time stamps in {BACKUP}'",
            ),
            Check(
                "backup-sidecar",
                "The sidecar confirms the archive",
                "data = Path(BACKUP).read_bytes() if os.path.isfile(BACKUP) else b''\n"
                "expected = [hashlib.sha256(data).hexdigest(), os.path.basename(BACKUP)]\n"
                "actual = there(BACKUP + '.sha256').replace(' *', '  ').split()\n"
                "assert actual == expected, f'{BACKUP}.sha256'",
            ),
        )


ARCHIVE = Recipe(
    name="archive",
    title="unpack and pack archives with checksums",
    family="archives",
    patterns=(
        r"\b(tarball|tar\.gz|\.tgz|zip files?|zip archives?|gzip|unzip)\b",
        r"\bbackups?\b.{0,50}\b(restor|creat|verif|schedul|automat|integrity|file|strateg|data)\w*",
        r"\b(creat|restor|verif|automat|schedul|encrypt)\w*\b.{0,30}\bbackups?\b",
        r"\b(checksums?|sha-?256|md5sum)\b",
    ),
    source=Delivery(),
    sink=Backup(),
    source_title="take over the delivery from the archive",
    sink_title="pack it as a backup with checksums",
    tools=("tar", "sha256sum", "python3"),
)
