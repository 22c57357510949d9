"""A bare repository whose commits carry entries as trailers; some were reverted."""

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
    ticks,
)
from facet.author.themes import Theme


class Journal:
    """A bare repository whose commits carry entries as trailers; some were reverted."""

    reasons: tuple[tuple[str, str], ...] = (
        ("reverted", "a later commit has the line `Reverts: NUMBER` for it"),
    )
    ref = "the number of the entry"

    def places(self, theme: Theme) -> tuple[Choice, ...]:
        """The repository is PLACE.git, the stream it was made from PLACE.stream."""
        return (spots("journal", theme, "_journal"),)

    def build(self, theme: Theme, env: Mapping[str, str], items: list[Item], dice: Dice) -> Fixture:
        """A fast-import stream: fixed dates, hence the same commits everywhere."""
        names = theme.fields.variants[int(env["raw"])]
        out: list[str] = [f"# {theme.place}; lines of an entry: {', '.join(names)}"]
        mark = 0

        def commit(branch: str, message: str, parent: int | None) -> int:
            nonlocal mark
            mark += 1
            stamp = 1_735_700_000 + 3600 * mark
            person = f"{theme.person} <desk@{theme.slug}.example> {stamp} +0000"
            body = message.encode()
            out.append(f"commit refs/heads/{branch}\nmark :{mark}")
            out.append(f"author {person}\ncommitter {person}\ndata {len(body)}\n{message}")
            if parent:
                out.append(f"from :{parent}")
            note = f"{mark}\n"
            out.append(f"M 100644 inline journal.txt\ndata {len(note)}\n{note}")
            return mark

        tip: int | None = None
        for number, item in enumerate(items, start=1):
            pairs = [f"{n}: {v}".rstrip() for n, v in zip(names, item.parts(), strict=True)]
            tip = commit("main", f"Entry {number}\n\n" + "\n".join(pairs) + "\n", tip)
            if number in (11, 24, 35):
                text = f"Take back an entry\n\nReverts: {number - dice.between(1, 6)}\n"
                tip = commit("main", text, tip)
            if number in (8, 30):
                tip = commit("main", "Tidy up\n\nNo entry here.\n", tip)
            if number == 15:
                pairs = [f"{n}: {v}" for n, v in zip(names, item.parts(), strict=True)]
                commit("draft", "Entry 900\n\n" + "\n".join(pairs) + "\n", tip)
        out.append("done")
        place = env["journal"]
        return Fixture(
            (text_of(f"{place}.stream", "\n".join(out) + "\n"),),
            setup=(
                f"git init --quiet --bare --initial-branch=main {place}.git",
                f"git -C {place}.git fast-import --quiet < {place}.stream",
            ),
        )

    def say(self, view: View) -> tuple[tuple[str, ...], ...]:
        """Where entries are."""
        place, noun = view.env["journal"], view.fields.noun
        names = ticks(view.raw)
        return (
            (
                f"The {view.fields.plural} were kept as commits: branch `main` of the bare "
                f"repository `{place}.git` (the stream it was made from lies beside it).",
                f"Branch `main` of the bare Git repository `{place}.git` is the journal; the "
                "fast-import stream beside it made it.",
                f"Look at `main` in the bare repository `{place}.git`; other branches do not "
                "count. The stream beside it is where it came from.",
            ),
            (
                f"A commit with the subject `Entry NUMBER` is one {noun}; its message has the "
                f"lines `NAME: value` for {names}. Oldest first; commits with other subjects are "
                "no entries.",
                f"Each commit titled `Entry NUMBER` holds a {noun} in the lines {names} "
                "(`NAME: value`) of its message, the oldest commit coming first; other commits "
                "hold none.",
            ),
        )

    def solve(self, view: View) -> str:
        """git log with separators."""
        return fill(
            """
import subprocess

REPOSITORY = @path@
NAMES = @names@
log = subprocess.run(
    ["git", "-C", REPOSITORY, "log", "--reverse", "--format=%B%x00", "main"],
    check=True, capture_output=True,
).stdout.decode()
messages = [message.strip("\\n") for message in log.split("\\0")]
back = {m for message in messages for m in re.findall(r"^Reverts: (\\d+)$", message, re.M)}
for message in messages:
    match = re.match(r"Entry (\\d+)\\n", message)
    if not match:
        continue
    if match[1] in back:
        refused.append((match[1], "reverted"))
        continue
    pairs = dict(
        (line + " ").split(":", 1) for line in message.split("\\n")[2:] if ":" in line
    )
    items.append((match[1], *(pairs[name] for name in NAMES)))
""",
            path=view.env["journal"] + ".git",
            names=list(view.raw),
        )

    def expect(self, view: View) -> str:
        """From the stream, which a guard proves unchanged."""
        return fill(
            """
def material():
    stream = there(@path@)
    entries, back = {}, set()
    for part in stream.split("\\ncommit refs/heads/")[1:]:
        if part.split("\\n", 1)[0] != "main":
            continue
        lines = part.split("\\n")
        start = next(n for n, line in enumerate(lines) if line.startswith("data ")) + 1
        end = next(
            (n for n, x in enumerate(lines) if n > start and x.startswith(("from :", "M 100644"))),
            len(lines),
        )
        message = lines[start:end]
        if message[0].startswith("Entry "):
            body = [line.partition(":") for line in message[2:] if line]
            entries[message[0][6:]] = {name: value for name, _, value in body}
        back |= {line[9:] for line in message if line.startswith("Reverts: ")}
    items = [(n, *(e[name] for name in @names@)) for n, e in entries.items() if n not in back]
    return items, [(n, "reverted") for n in entries if n in back]
""",
            path=view.env["journal"] + ".stream",
            names=list(view.raw),
        )
