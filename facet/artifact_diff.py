"""What changed in one artifact, as a unified diff for people and prompts. Pure."""

import difflib

from facet.types.task import Artifact, Task

LONGEST = 20_000  # characters


def artifact_texts(task: Task, artifact: Artifact) -> dict[str, str]:
    """The artifact's files as text by path; bytes that are no text become a note."""
    if artifact == "instruction":
        return {"instruction.md": task.instruction.text}
    files = {
        "environment": task.environment.files,
        "solution": task.solution.files,
        "verifier": task.verifier.files,
    }[artifact].files
    return {f.path: f.text if b"\0" not in f.data else f"<{len(f.data)} bytes>\n" for f in files}


def artifact_diff(before: Task, after: Task, artifact: Artifact, limit: int = LONGEST) -> str:
    """Unified diff of the artifact's files; cut at `limit` characters with a note."""
    old, new = artifact_texts(before, artifact), artifact_texts(after, artifact)
    lines: list[str] = []
    for path in sorted({*old, *new}):
        if old.get(path) == new.get(path):
            continue
        lines += difflib.unified_diff(
            old.get(path, "").splitlines(),
            new.get(path, "").splitlines(),
            f"a/{path}" if path in old else "/dev/null",
            f"b/{path}" if path in new else "/dev/null",
            lineterm="",
        )
    text = "\n".join(lines)
    if len(text) <= limit:
        return text
    return text[:limit] + f"\n… {len(text) - limit} more characters"
