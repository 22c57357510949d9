"""Shell syntax of third-party scripts, read in a child process and never executed.

The grammar can crash on hostile text, so scripts are parsed by a child process (this file) with a
deadline; a crash or a late answer means "not assessed", never "good" and never "broken". The
grammar is an approximation of bash: what it reports is a suspicion with a line, to be settled by
the bash of the container.
"""

import base64
import json
import subprocess
import sys
from collections.abc import Mapping

MAX_SCRIPT = 500_000  # bytes
TIMEOUT_S = 20.0
UNREAD = "not assessed: the parser did not survive it"


def shell_suspects(scripts: Mapping[str, bytes], *, timeout_s: float = TIMEOUT_S) -> dict[str, str]:
    """Path -> "line N: …" for scripts whose syntax looks wrong, "not assessed: …" for unread ones.

    Scripts that parse are absent from the answer. All are read by one child; if that dies, each is
    read by a child of its own, so that one hostile script does not hide the others.
    """
    long = {p: f"not assessed: longer than {MAX_SCRIPT:,} bytes" for p in scripts}
    answers = {p: long[p] for p, data in scripts.items() if len(data) > MAX_SCRIPT}
    todo = {p: data for p, data in scripts.items() if p not in answers}
    together = _parsed(todo, timeout_s)
    if together is None and len(todo) > 1:
        for path, data in todo.items():
            answers |= _parsed({path: data}, timeout_s) or {path: UNREAD}
    else:
        answers |= dict.fromkeys(todo, UNREAD) if together is None else together
    return {path: answer for path, answer in answers.items() if answer}


def _parsed(scripts: Mapping[str, bytes], timeout_s: float) -> dict[str, str] | None:
    """Fault ("" if none) of every script, or None when the child did not survive them."""
    if not scripts:
        return {}
    texts = [base64.b64encode(data).decode() for data in scripts.values()]
    try:
        done = subprocess.run(
            [sys.executable, "-I", __file__],
            input=json.dumps(texts).encode(),
            capture_output=True,
            timeout=timeout_s,
            check=False,
        )
        found = json.loads(done.stdout) if done.returncode == 0 else None
    except (subprocess.TimeoutExpired, ValueError):
        return None
    if not isinstance(found, list) or len(found) != len(texts):
        return None
    return {path: str(answer) for path, answer in zip(scripts, found, strict=True)}


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
    """Read a JSON list of scripts (base64) from stdin, write the list of their faults."""
    texts = json.loads(sys.stdin.buffer.read())
    sys.stdout.write(json.dumps([first_fault(base64.b64decode(text)) for text in texts]))


if __name__ == "__main__":
    main()
