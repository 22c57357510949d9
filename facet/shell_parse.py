"""Shell syntax of third-party scripts, read in a child process and never executed.

The grammar can crash on hostile text, so each script is parsed by a child process (this file)
with a deadline; a crash or a late answer means "not assessed", never "good" and never "broken".
The grammar is an approximation of bash: what it reports is a suspicion with a line, to be settled
by the bash of the container.
"""

import json
import subprocess
import sys
from collections.abc import Mapping

MAX_SCRIPT = 500_000  # bytes
TIMEOUT_S = 20.0


def shell_suspects(scripts: Mapping[str, bytes], *, timeout_s: float = TIMEOUT_S) -> dict[str, str]:
    """Path -> "line N: …" for scripts whose syntax looks wrong, "not assessed: …" for unread ones.

    Scripts that parse are absent from the answer.
    """
    answers: dict[str, str] = {}
    for path, data in scripts.items():
        if len(data) > MAX_SCRIPT:
            answers[path] = f"not assessed: longer than {MAX_SCRIPT:,} bytes"
            continue
        try:
            done = subprocess.run(
                [sys.executable, "-I", __file__],
                input=data,
                capture_output=True,
                timeout=timeout_s,
                check=False,
            )
            answer = json.loads(done.stdout) if done.returncode == 0 else None
        except (subprocess.TimeoutExpired, ValueError):
            answer = None
        if not isinstance(answer, str):
            answers[path] = "not assessed: the parser did not survive it"
        elif answer:
            answers[path] = answer
    return answers


def first_fault(data: bytes) -> str:
    """ "line N: …" of the first node that is no shell, "" for a good script. May crash."""
    import tree_sitter
    import tree_sitter_bash

    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))
    root = parser.parse(data).root_node
    if not root.has_error:
        return ""
    todo = [root]
    while todo:
        node = todo.pop()
        if node.is_missing:
            return f"line {node.start_point[0] + 1}: {node.type!r} is missing"
        if node.is_error:
            return f"line {node.start_point[0] + 1}: this does not parse"
        todo += [child for child in reversed(node.children) if child.has_error or child.is_missing]
    return "line 1: this does not parse"


def main() -> None:
    """Read one script from stdin, write its fault as JSON text."""
    sys.stdout.write(json.dumps(first_fault(sys.stdin.buffer.read(MAX_SCRIPT))))


if __name__ == "__main__":
    main()
