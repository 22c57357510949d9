"""Write the module table of docs/architecture.md from the modules' docstrings.

Usage: `.venv/bin/python scripts/architecture.py` writes, `--check` only compares (exit 1).
"""

import ast
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DOCUMENT = ROOT / "docs" / "architecture.md"
MARK = "<!-- modules -->\n"


def table() -> str:
    """One row a module: its file and the first sentence of its docstring."""
    rows = ["| module | what it is for |", "|---|---|"]
    for path in sorted((ROOT / "facet").rglob("*.py")):
        if "_bundled" in path.parts:
            continue
        doc = ast.get_docstring(ast.parse(path.read_text())) or ""
        first = " ".join(doc.split("\n\n")[0].split())
        if path.name == "__init__.py" and not first:
            continue
        name = path.relative_to(ROOT).as_posix()
        rows.append(f"| `{name}` | {first.replace('|', '&#124;')} |")
    return "\n".join(rows) + "\n"


def main() -> int:
    """Write or check; returns the exit code."""
    head, _, _ = DOCUMENT.read_text().partition(MARK)
    wanted = f"{head}{MARK}\n{table()}"
    if "--check" in sys.argv[1:]:
        return int(DOCUMENT.read_text() != wanted)
    DOCUMENT.write_text(wanted)
    return 0


if __name__ == "__main__":
    sys.exit(main())
