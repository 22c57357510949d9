"""A tar.gz with a file per group, checksums inside, a sidecar outside."""

from facet.author.choice import Choice, choice
from facet.author.recipe import (
    Check,
    NoMaterial,
    Raw,
    View,
    fill,
    outputs,
)
from facet.author.themes import Theme


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
