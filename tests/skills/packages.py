"""Skill packages for tests, on disk and as values."""

from pathlib import Path

from facet.skills.read import read_folder
from facet.types.skill import Skill, SkillFile
from facet.types.value import digest_bytes, digest_json

PLAIN = """# Tidy tables

Trim the cells of a table and write a clean copy. Work on a copy of the file, never on the source.

```bash
head -5 in.csv
awk -F, '{print NF}' in.csv | sort | uniq -c
```

Put rows that cannot be repaired into `rejected.csv` with the reason.
"""


def write(root: Path, name: str, text: str | bytes = "", **files: str | bytes) -> Path:
    """A package folder with a SKILL.md ("" = a plain good one) and other files."""
    folder = root / name
    folder.mkdir(parents=True, exist_ok=True)
    text = text or f"---\nname: {name}\ndescription: tidies {name}\n---\n{PLAIN}"
    for path, content in {"SKILL.md": text, **files}.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def read(root: Path) -> list[Skill]:
    """The readable skills of a folder."""
    return [s for s in read_folder(root) if isinstance(s, Skill)]


def skill(
    body: str,
    *,
    name: str = "tidy",
    description: str = "Tidies tables.",
    meta: str = "",
    files: dict[str, str] | None = None,
) -> Skill:
    """A skill as a value; `meta` are more front matter lines."""
    text = f"---\nname: {name}\ndescription: {description}\n{meta}---\n{body}"
    contents = {"SKILL.md": text, **(files or {})}
    return Skill(
        id=f"test/{name}",
        name=name,
        description=description,
        body=body,
        files=tuple(
            SkillFile(path=p, size=len(t), sha256=digest_bytes(t.encode()), text=t)
            for p, t in contents.items()
        ),
        digest=digest_json([name, contents]),
    )
