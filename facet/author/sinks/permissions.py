"""A folder per group with exact rights, and links."""

from facet.author.choice import Choice, choice
from facet.author.recipe import (
    Check,
    NoMaterial,
    View,
    fill,
    outputs,
)
from facet.author.themes import Theme


class Layout(NoMaterial):
    """A folder per group with exact rights, and links."""

    def choices(self, theme: Theme) -> tuple[Choice, ...]:
        """Root, modes, owner, link."""
        return (
            outputs("layout", theme, "cabinet", "shelves", "vault"),
            choice(
                "folder_mode",
                ("0750", "folders get mode 0750"),
                ("2770", "folders get mode 2770"),
                ("1730", "folders get mode 1730"),
            ),
            choice(
                "file_mode",
                ("0640", "files get mode 0640"),
                ("0600", "files get mode 0600"),
                ("0440", "files get mode 0440"),
            ),
            choice(
                "keeper",
                *((u, f"user `{u}`") for u in ("backup", "games", "mail")),
            ),
            choice("link_name", *((n, f"symbolic link `{n}`") for n in ("latest", "newest"))),
            choice(
                "rights_list",
                ("RIGHTS.txt", "`RIGHTS.txt`"),
                ("audit.tsv", "`audit.tsv`"),
                ("modes.tsv", "`modes.tsv`"),
            ),
        )

    def say(self, view: View) -> tuple[tuple[str, ...], ...]:
        """All of the product."""
        p, f = view.pick, view.fields
        return (
            (
                f"Lay the result out below `{p['layout']}`: a folder per {f.words[1]}, in it a "
                f"file `ID.txt` per {f.noun} with three lines: {f.words[2]} (`YYYY-MM-DD`), "
                f"{f.words[3]} (two decimals), {f.words[4]}.",
                f"Build the tree `{p['layout']}` with one folder per {f.words[1]} and, inside, "
                f"`ID.txt` for each {f.noun}; its three lines are {f.words[2]} as `YYYY-MM-DD`, "
                f"{f.words[3]} with two decimals, and {f.words[4]}.",
            ),
            (
                f"Those folders get mode {p['folder_mode']} and the files get mode "
                f"{p['file_mode']}; all of them belong to the user `{p['keeper']}` and its group "
                "of the same name. The top folder itself belongs to root with mode 0755.",
                f"Rights: the folders get mode {p['folder_mode']}, the files get mode "
                f"{p['file_mode']}, owner of both is the user `{p['keeper']}` with the group of "
                "that name; the top folder stays with root, mode 0755.",
            ),
            (
                f"In every folder a relative symbolic link `{p['link_name']}` points to the file "
                f"of the {f.noun} with the latest {f.words[2]} (of several, the largest "
                f"{f.words[0]}).",
                f"Each folder has a symbolic link `{p['link_name']}`, relative, to its {f.noun} "
                f"with the most recent {f.words[2]}; if there are several, the one with the "
                f"largest {f.words[0]}.",
            ),
            (
                f"`{p['rights_list']}` in the top folder lists for each folder: name, mode in "
                "four octal digits, number of `ID.txt` files, sum of their "
                f"{f.words[3]} (two decimals), separated by tabs, by name, no header.",
                f"Write `{p['rights_list']}` to the top folder: per folder its name, its mode "
                "(four octal digits), how many `ID.txt` it has and the sum of the "
                f"{f.words[3]} with two decimals; tabs between, sorted by name, no header.",
            ),
        )

    def solve(self, view: View) -> str:
        """os calls in the right order: content, owner, mode."""
        p = view.pick
        return fill(
            """
LAYOUT = Path(@layout@)
FOLDER_MODE, FILE_MODE, KEEPER = @folder@, @file@, @keeper@
LAYOUT.mkdir(parents=True, exist_ok=True)
LAYOUT.chmod(0o755)
listing = []
for group in groups:
    folder = LAYOUT / group
    folder.mkdir()
    chosen = [row for row in rows if row[1] == group]
    for key, _, day, value, text in chosen:
        file = folder / f"{key}.txt"
        file.write_text(f"{day}\\n{decimal(value)}\\n{text}\\n", encoding="utf-8")
        shutil.chown(file, KEEPER, KEEPER)
        file.chmod(int(FILE_MODE, 8))
    newest = max(chosen, key=lambda row: (row[2], row[0]))
    (folder / @link@).symlink_to(f"{newest[0]}.txt")
    shutil.chown(folder, KEEPER, KEEPER)
    folder.chmod(int(FOLDER_MODE, 8))
    total = decimal(sum(row[3] for row in chosen))
    listing.append(f"{group}\\t{FOLDER_MODE}\\t{len(chosen)}\\t{total}\\n")
(LAYOUT / @listing@).write_text("".join(listing), encoding="utf-8")
""",
            layout=p["layout"],
            folder=p["folder_mode"],
            file=p["file_mode"],
            keeper=p["keeper"],
            link=p["link_name"],
            listing=p["rights_list"],
        )

    def helpers(self, view: View) -> str:
        """lstat of everything."""
        return fill(
            """
LAYOUT = @layout@


def folders():
    assert os.path.isdir(LAYOUT), f"{LAYOUT} is no folder"
    return sorted(e.name for e in os.scandir(LAYOUT) if e.is_dir(follow_symlinks=False))


def kept():
    found = {}
    for group in folders():
        for entry in os.scandir(f"{LAYOUT}/{group}"):
            if entry.name.endswith(".txt") and entry.is_file(follow_symlinks=False):
                found[group, entry.name[:-4]] = entry.path
    assert found, f"{LAYOUT} holds no files"
    return found


def line(index):
    found = {}
    for (_, key), path in kept().items():
        lines = there(path).splitlines()
        assert len(lines) == 3, f"{path} has {len(lines)} lines"
        found[key] = lines[index]
    return {key: value for key, value in found.items() if key in truth()[0]}


def owner(path):
    info = os.lstat(path)
    return pwd.getpwuid(info.st_uid).pw_name, info.st_gid == pwd.getpwnam(@keeper@).pw_gid


def mode(path):
    return "%04o" % stat.S_IMODE(os.lstat(path).st_mode)


def listing():
    return [x.split("\\t") for x in there(LAYOUT + "/" + @listing@).splitlines()]
""",
            layout=view.pick["layout"],
            keeper=view.pick["keeper"],
            listing=view.pick["rights_list"],
        )

    def checks(self, view: View) -> tuple[Check, ...]:
        """Tree, content, rights, links, list."""
        p, f = view.pick, view.fields
        lines = (
            ("day", 0, f.words[2], "row[2]"),
            ("value", 1, f.words[3], "money(row[3])"),
            ("text", 2, f.words[4], "row[4]"),
        )
        return (
            Check(
                "layout-folders",
                f"There is exactly one folder per {f.words[1]}",
                "assert folders() == GROUPS(), f'folders in {LAYOUT}'",
            ),
            Check(
                "layout-files",
                f"Every {f.noun} has its file in the folder of its {f.words[1]}",
                "assert sorted(kept()) == sorted((r[1], r[0]) for r in ROWS()), "
                "f'files in {LAYOUT}'",
            ),
            *(
                Check(
                    f"layout-{name}",
                    f"Each file shows the {word} in line {index + 1}",
                    f"actual = line({index})\n"
                    f"expected = {{row[0]: {value} for row in ROWS() if row[0] in actual}}\n"
                    f"assert actual and actual == expected, f'line {index + 1} in {{LAYOUT}}'",
                )
                for name, index, word, value in lines
            ),
            Check(
                "layout-folder-mode",
                f"The folders have mode {p['folder_mode']}",
                "actual = {g: mode(f'{LAYOUT}/{g}') for g in folders()}\n"
                f"assert actual == {{g: {p['folder_mode']!r} for g in GROUPS()}}, "
                "f'modes of folders in {LAYOUT}'",
            ),
            Check(
                "layout-file-mode",
                f"The files have mode {p['file_mode']}",
                "actual = {mode(path) for path in kept().values()}\n"
                f"assert actual == {{{p['file_mode']!r}}}, f'modes of files in {{LAYOUT}}'",
            ),
            Check(
                "layout-owner",
                f"Folders and files belong to {p['keeper']} and its group",
                "paths = [f'{LAYOUT}/{g}' for g in folders()] + list(kept().values())\n"
                f"assert {{owner(x) for x in paths}} == {{({p['keeper']!r}, True)}}, "
                "f'owners in {LAYOUT}'",
            ),
            Check(
                "layout-top",
                "The top folder belongs to root and has mode 0755",
                "folders()\n"
                "assert (os.lstat(LAYOUT).st_uid, mode(LAYOUT)) == (0, '0755'), f'{LAYOUT}'\n",
            ),
            Check(
                "layout-links",
                f"The link of each folder points to its latest {f.noun}",
                f"paths = {{g: f'{{LAYOUT}}/{{g}}/{p['link_name']}' for g in folders()}}\n"
                "actual = {g: os.readlink(x) if os.path.islink(x) else None "
                "for g, x in paths.items()}\n"
                "expected = {g: max((r[2], r[0]) for r in ROWS() if r[1] == g)[1] + '.txt' "
                "for g in GROUPS()}\n"
                "assert actual == expected, f'links in {LAYOUT}'",
            ),
            Check(
                "layout-list-counts",
                "The list names folders with mode and number of files",
                f"expected = [[g, {p['folder_mode']!r}, str(sum(r[1] == g for r in ROWS()))] "
                "for g in GROUPS()]\n"
                "assert [x[:3] for x in listing()] == expected, f'list in {LAYOUT}'",
            ),
            Check(
                "layout-list-sums",
                f"The list names the sum of the {f.words[3]} per folder",
                "actual = {x[0]: x[3:] for x in listing()}\n"
                "expected = {g: [money(sum(r[3] for r in ROWS() if r[1] == g))] "
                "for g in GROUPS()}\n"
                "assert actual == expected, f'sums in the list of {LAYOUT}'",
            ),
        )
