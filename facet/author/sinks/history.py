"""A repository with one commit per group."""

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


class Versioned(NoMaterial):
    """A repository with one commit per group."""

    def choices(self, theme: Theme) -> tuple[Choice, ...]:
        """Path, branch, person, subject, tag."""
        return (
            outputs("repository", theme, "history", "versioned", "repo"),
            choice("branch", *((b, f"branch `{b}`") for b in ("main", "trunk", "ledger"))),
            choice(
                "committer",
                *(
                    (f"{n} <{m}>", f"`{n} <{m}>`")
                    for n, m in (
                        ("Records Desk", f"records@{theme.slug}.example"),
                        (theme.person, f"office@{theme.slug}.example"),
                        ("Import Job", f"import@{theme.slug}.example"),
                    )
                ),
            ),
            choice(
                "subject",
                ("Add {}", "`Add NAME`"),
                ("records: {}", "`records: NAME`"),
                ("{}: import", "`NAME: import`"),
            ),
            choice("tag", *((t, f"tag `{t}`") for t in ("v1.0", "import-1", "complete"))),
            choice(
                "commit_order",
                ("az", "in alphabetical order"),
                ("za", "in reverse alphabetical order"),
            ),
        )

    def say(self, view: View) -> tuple[tuple[str, ...], ...]:
        """All of the product."""
        p, f = view.pick, view.fields
        subject = f"`{p['subject'].format('NAME')}`"
        order = {"az": "in alphabetical order", "za": "in reverse alphabetical order"}
        return (
            (
                f"Put the table under version control: a new Git repository `{p['repository']}` "
                f"with the branch `{p['branch']}` checked out.",
                f"Then create the Git repository `{p['repository']}` (not bare), with branch "
                f"`{p['branch']}` as the current one.",
            ),
            (
                f"It has exactly one commit per {f.words[1]}, {order[p['commit_order']]} from the "
                f"first commit on, with the subject {subject}, author and committer "
                f"`{p['committer']}`.",
                f"Make one commit for each {f.words[1]} and no other, {order[p['commit_order']]} "
                f"beginning with the first; subject {subject}; author and committer are "
                f"`{p['committer']}`.",
            ),
            (
                f"The author date of a commit is noon UTC of the latest {f.words[2]} in its group.",
                f"As author date use the latest {f.words[2]} of that {f.words[1]}, 12:00 UTC.",
            ),
            (
                f"A commit adds one file `NAME.tsv` (nothing else): {f.words[0]}, {f.words[3]} "
                f"with two decimals and {f.words[4]}, tab-separated, by {f.words[0]}, no header.",
                f"Each adds only `NAME.tsv` with {f.words[0]}, {f.words[3]} (two decimals) and "
                f"{f.words[4]} between tabs, sorted by {f.words[0]}, without header.",
            ),
            (
                f"The last commit carries the annotated tag `{p['tag']}` whose message is the "
                "number of records; the working tree is clean.",
                f"Set the annotated tag `{p['tag']}` on the last commit, with the number of records"
                " as its message, and leave a clean working tree.",
            ),
        )

    def solve(self, view: View) -> str:
        """git by subprocess."""
        p = view.pick
        name, _, mail = p["committer"].rstrip(">").partition(" <")
        return fill(
            """
REPOSITORY = Path(@path@)
SUBJECT = @subject@
REPOSITORY.mkdir(parents=True, exist_ok=True)
person = {
    **os.environ,
    "GIT_AUTHOR_NAME": @name@,
    "GIT_AUTHOR_EMAIL": @mail@,
    "GIT_COMMITTER_NAME": @name@,
    "GIT_COMMITTER_EMAIL": @mail@,
}


def git(*arguments, **more):
    subprocess.run(["git", "-C", str(REPOSITORY), *arguments], check=True, env={**person, **more})


git("init", "--quiet", "--initial-branch=" + @branch@)
for group in @order@:
    chosen = sorted(row for row in rows if row[1] == group)
    lines = [f"{key}\\t{decimal(value)}\\t{text}\\n" for key, _, _, value, text in chosen]
    (REPOSITORY / f"{group}.tsv").write_text("".join(lines), encoding="utf-8")
    git("add", f"{group}.tsv")
    stamp = max(row[2] for row in chosen) + "T12:00:00+0000"
    git("commit", "--quiet", "-m", SUBJECT.format(group), GIT_AUTHOR_DATE=stamp)
git("tag", "-a", @tag@, "-m", str(len(rows)))
""",
            path=p["repository"],
            subject=p["subject"],
            name=name,
            mail=mail,
            branch=p["branch"],
            order=Raw("groups" if p["commit_order"] == "az" else "reversed(groups)"),
            tag=p["tag"],
        )

    def helpers(self, view: View) -> str:
        """Ask git, with its configuration shut out."""
        p = view.pick
        return fill(
            """
REPOSITORY = @path@
ENVIRONMENT = {
    "PATH": "/usr/bin:/bin", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_COUNT": "2", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*",
    "GIT_CONFIG_KEY_1": "core.fsmonitor", "GIT_CONFIG_VALUE_1": "false", "LC_ALL": "C.UTF-8",
}


def git(*arguments):
    assert os.path.isdir(REPOSITORY + "/.git"), f"{REPOSITORY} is no repository"
    code, out, err = run("git", "-C", REPOSITORY, *arguments, env=ENVIRONMENT)
    assert code == 0, f"git {arguments[0]} in {REPOSITORY}: {err.strip()[:200]}"
    return out


def commits(form):
    return git("log", "--reverse", "--format=" + form, "refs/heads/" + @branch@).splitlines()


def content():
    found = {}
    for group in GROUPS():
        text = git("show", "refs/heads/" + @branch@ + ":" + group + ".tsv")
        found[group] = [line.split("\\t") for line in text.splitlines()]
    return found


def in_order():
    return @order@


def head():
    return git("symbolic-ref", "HEAD").strip()


def changes():
    text = git(
        "log", "--reverse", "--name-status", "--format=", "refs/heads/" + @branch@
    )
    return [line.split("\\t") for line in text.splitlines() if line]


def tagged():
    tag = "refs/tags/" + @tag@
    kind = git("cat-file", "-t", tag).strip()
    at = git("rev-parse", tag + "^{commit}").strip()
    return kind, at == git("rev-parse", "refs/heads/" + @branch@).strip()


def tag_message():
    form = "--format=%(contents:subject)"
    return git("for-each-ref", form, "refs/tags/" + @tag@).strip()
""",
            path=p["repository"],
            branch=p["branch"],
            tag=p["tag"],
            order=Raw("GROUPS()" if p["commit_order"] == "az" else "GROUPS()[::-1]"),
        )

    def checks(self, view: View) -> tuple[Check, ...]:
        """History, content, tag."""
        p, f = view.pick, view.fields
        branch, tag = p["branch"], p["tag"]
        return (
            Check(
                "git-branch",
                f"The branch {branch} is checked out",
                f"assert head() == 'refs/heads/{branch}', f'HEAD of {{REPOSITORY}}'",
            ),
            Check(
                "git-subjects",
                f"There is one commit per {f.words[1]}, with the demanded subject and order",
                f"expected = [{p['subject']!r}.format(g) for g in in_order()]\n"
                "assert commits('%s') == expected, f'subjects in {REPOSITORY}'",
            ),
            Check(
                "git-author",
                "Every commit has the demanded author",
                f"assert set(commits('%an <%ae>')) == {{{p['committer']!r}}}, "
                "f'authors in {REPOSITORY}'",
            ),
            Check(
                "git-committer",
                "Every commit has the demanded committer",
                f"assert set(commits('%cn <%ce>')) == {{{p['committer']!r}}}, "
                "f'committers in {REPOSITORY}'",
            ),
            Check(
                "git-dates",
                "Author dates are noon UTC of the latest day of the group",
                "stamps = [int(x) for x in commits('%at')]\n"
                "actual = [str(date(1970, 1, 1) + timedelta(seconds=s)) + f' {s % 86400}' "
                "for s in stamps]\n"
                "expected = [max(r[2] for r in ROWS() if r[1] == g) + ' 43200' "
                "for g in in_order()]\n"
                "assert actual == expected, f'author dates in {REPOSITORY}'",
            ),
            Check(
                "git-files",
                "Each commit adds the file of its group and nothing else",
                "expected = [['A', g + '.tsv'] for g in in_order()]\n"
                "assert changes() == expected, f'changes in {REPOSITORY}'",
            ),
            Check(
                "git-ids",
                f"The files list the {f.plural} of their {f.words[1]} in order",
                "actual = {g: [x[0] for x in lines] for g, lines in content().items()}\n"
                "expected = {g: [r[0] for r in ROWS() if r[1] == g] for g in GROUPS()}\n"
                "assert actual == expected, f'identifiers in {REPOSITORY}'",
            ),
            Check(
                "git-values",
                f"The files show the {f.words[3]} with two decimals",
                "actual = {x[0]: x[1:2] for lines in content().values() for x in lines}\n"
                "expected = {r[0]: [money(r[3])] for r in ROWS()}\n"
                "assert actual == expected, f'values in {REPOSITORY}'",
            ),
            Check(
                "git-texts",
                f"The files show the {f.words[4]}",
                "actual = {x[0]: x[2:] for lines in content().values() for x in lines}\n"
                "expected = {r[0]: [r[4]] for r in ROWS()}\n"
                "assert actual == expected, f'texts in {REPOSITORY}'",
            ),
            Check(
                "git-tag",
                f"The annotated tag {tag} stands on the last commit",
                "assert tagged() == ('tag', True), f'tag in {REPOSITORY}'",
            ),
            Check(
                "git-tag-message",
                "The tag's message is the number of records",
                "assert tag_message() == str(len(ROWS())), f'message of the tag in {REPOSITORY}'",
            ),
            Check(
                "git-clean",
                "The working tree is clean",
                "assert git('status', '--porcelain') == '', f'working tree of {REPOSITORY}'",
            ),
        )
