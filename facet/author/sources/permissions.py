"""A drop folder of small files, some of which anybody could have changed."""

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


class Drop:
    """A drop folder of small files, some of which anybody could have changed."""

    reasons: tuple[tuple[str, str], ...] = (
        ("foreign-owner", "the file does not belong to root"),
        ("world-writable", "others may write to it"),
        ("set-id", "it has the set-uid or set-gid bit"),
    )
    ref = "the file's name"

    def places(self, theme: Theme) -> tuple[Choice, ...]:
        """The folder."""
        return (spots("drop", theme, "_drop"),)

    def build(self, theme: Theme, env: Mapping[str, str], items: list[Item], dice: Dice) -> Fixture:
        """One file per record; owners and modes differ."""
        names = theme.fields.variants[int(env["raw"])]
        files = []
        for index, item in enumerate(items):
            lines = [f"{n}={v}" for n, v in zip(names, item.parts(), strict=True)]
            mode = dice.pick(("0644", "0640", "0600"))
            if index in (6, 17, 31):
                mode = dice.pick(("0666", "0646", "0602"))
            if index in (12, 17):
                mode = "4755" if index == 12 else "2646"
            file = text_of(
                f"{env['drop']}/{index + 1:03d}.rec", "\n".join(dice.shuffled(lines)) + "\n", mode
            )
            owner = "nobody" if index in (3, 31) else "root"
            files.append(file.model_copy(update={"owner": owner, "group": "root"}))
        return Fixture(tuple(files))

    def say(self, view: View) -> tuple[tuple[str, ...], ...]:
        """What may be trusted."""
        folder, noun, names = view.env["drop"], view.fields.noun, ticks(view.raw)
        return (
            (
                f"`{folder}` is a drop folder with a file `*.rec` for every {noun}: lines "
                f"`name=value` in any order, named {names}.",
                f"Each file `*.rec` in `{folder}` is a {noun}; it has a line `name=value` for each "
                f"of {names}, in any order.",
            ),
            (
                "Audit before you read: owner and mode decide whether a file may be used at all. "
                "Go by file name.",
                "First audit owner and mode of each file, and take the files in the order of their "
                "names.",
                "What others could have tampered with is not to be used: check owners and modes "
                "first. Files count in the order of their names.",
            ),
        )

    def solve(self, view: View) -> str:
        """os.stat."""
        return fill(
            """
DROP = Path(@path@)
NAMES = @names@
files = sorted(DROP.glob("*.rec"))
if not files:
    raise FileNotFoundError(f"no records in {DROP}")
for path in files:
    info = path.stat()
    if info.st_uid != 0:
        refused.append((path.name, "foreign-owner"))
    elif info.st_mode & 0o002:
        refused.append((path.name, "world-writable"))
    elif info.st_mode & 0o6000:
        refused.append((path.name, "set-id"))
    else:
        lines = path.read_text(encoding="utf-8").splitlines()
        pairs = dict(line.split("=", 1) for line in lines)
        items.append((path.name, *(pairs[name] for name in NAMES)))
""",
            path=view.env["drop"],
            names=list(view.raw),
        )

    def expect(self, view: View) -> str:
        """Rights as they were when the task was made, not as they are now."""
        rights = {
            f.path.rpartition("/")[2]: (f.owner, f.mode.rjust(4, "0"))
            for f in view.real
            if f.path.startswith(view.env["drop"] + "/")
        }
        return fill(
            """
RIGHTS = @rights@


def verdict(name):
    owner, mode = RIGHTS[name]
    if owner != "root":
        return "foreign-owner"
    if int(mode[3]) & 2:
        return "world-writable"
    return "set-id" if int(mode[0]) & 6 else ""


def material():
    items, refused = [], []
    for name in sorted(RIGHTS):
        why = verdict(name)
        if why:
            refused.append((name, why))
            continue
        lines = there(@path@ + "/" + name).splitlines()
        value = {x[: x.index("=")]: x[x.index("=") + 1 :] for x in lines}
        items.append((name, *(value[n] for n in @names@)))
    return items, refused
""",
            rights=rights,
            path=view.env["drop"],
            names=list(view.raw),
        )
