"""`facet skills import`: read and screen skill packages into the workspace."""

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from facet.cli.common import (
    JsonOption,
    WorkspaceOption,
    open_workspace,
    progress,
    result,
    result_json,
    table,
)
from facet.skills import Corpus, read_corpus, record
from facet.skills.rules import CORPUS_RULES, RULES


def skills_import(
    sources: Annotated[
        list[Path], typer.Argument(help="Folders or archives (zip, tar) of skill packages.")
    ],
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Read and screen skill packages; importing the same ones again adds nothing.

    Nothing in a package is executed. Example: facet skills import ~/skills more-skills.zip
    """
    opened = open_workspace(workspace)
    progress(f"reading {', '.join(map(str, sources))}")
    corpus = read_corpus(sources)
    new = record(corpus, opened.journal, opened.blobs)
    if as_json:
        result_json(
            {
                "kept": [s.id for s in corpus.kept],
                "dropped": [
                    {"skill": s.id, "findings": [f.to_json() for f in s.findings]}
                    for s in corpus.skills
                    if not s.kept
                ],
                "unreadable": [u.to_json() for u in corpus.unreadable],
                "new": new,
            }
        )
        return
    rows = _by_rule(corpus)
    if rows:
        result(table(rows, ("rule", "group", "skills", "meaning")))
    for item in corpus.unreadable[:20]:
        result(f"unreadable: {item.path}: {item.reason}")
    total = len(corpus.skills) + len(corpus.unreadable)
    result(
        f"{len(corpus.kept)} of {total} skills kept, {len(corpus.skills) - len(corpus.kept)} "
        f"dropped by rules, {len(corpus.unreadable)} unreadable; {new} new in the journal"
    )


def _by_rule(corpus: Corpus) -> list[tuple[str, str, int, str]]:
    """Rules that dropped something, with how many skills each dropped (one may meet several)."""
    meaning = {r.name: (r.group, r.reason) for r in RULES} | CORPUS_RULES
    count = Counter(
        rule
        for skill in corpus.skills
        for rule in {f.rule for f in skill.findings if f.effect == "drop"}
    )
    return [(rule, meaning[rule][0], n, meaning[rule][1]) for rule, n in count.most_common()]
