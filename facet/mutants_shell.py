"""Statements, words and heredocs of a shell script, read in a child process, never executed.

The grammar can crash on hostile text, so this file is also the child's program: it reads a script
from stdin and writes JSON. No answer in time, a crash or nonsense means "structure unknown" (None).
Positions are bytes.
"""

import json
import re
import subprocess
import sys
from typing import Any, NamedTuple

MAX_SCRIPT = 200_000  # bytes
MAX_PARTS = 3_000
TIMEOUT_S = 20.0

STATEMENTS = re.compile(
    "command|redirected_statement|pipeline|list|if_statement|for_statement|while_statement"
    "|case_statement|subshell|compound_statement|negated_command|declaration_command"
    "|variable_assignment|unset_command|test_command|c_style_for_statement|function_definition"
)
BLOCKS = re.compile(
    "program|do_group|compound_statement|if_statement|elif_clause|else_clause|case_item|subshell"
    "|list|pipeline"
)
WORDS = ("word", "number", "string", "raw_string", "concatenation")
NAMED = ("command", "redirected_statement", "pipeline", "declaration_command")


class Part(NamedTuple):
    """A statement, a word that is an argument, or the body of a heredoc."""

    role: str  # "statement", "word" or "heredoc"
    start: int
    end: int
    kind: str  # the grammar's name
    command: str  # of a statement or word: the command; of a heredoc: who reads it
    block: int  # statements of one block share it; -1 for others
    inside: str  # kind of the parent
    depth: int


def shell_parts(script: bytes, *, timeout_s: float = TIMEOUT_S) -> tuple[Part, ...] | None:
    """All parts in the order they start; None when the parser did not survive the script."""
    if len(script) > MAX_SCRIPT:
        return None
    try:
        done = subprocess.run(
            [sys.executable, "-I", __file__],
            input=script,
            capture_output=True,
            timeout=timeout_s,
            check=False,
        )
        rows = json.loads(done.stdout) if done.returncode == 0 else None
        return tuple(Part(*row) for row in rows) if isinstance(rows, list) else None
    except (subprocess.TimeoutExpired, ValueError, TypeError):
        return None


def read_parts(script: bytes) -> list[Part]:
    """The child's work. May crash the process."""
    import tree_sitter
    import tree_sitter_bash

    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))
    found: list[Part] = []
    todo: list[tuple[Any, Any, str, int]] = [(parser.parse(script).root_node, None, "", 0)]
    while todo and len(found) < MAX_PARTS:
        node, parent, command, depth = todo.pop()
        inside = parent.type if parent is not None else ""
        here = (node.start_byte, node.end_byte, node.type)
        if node.type in NAMED:
            command = _name(node, script) or command
        block = parent.start_byte if parent is not None else -1
        if STATEMENTS.fullmatch(node.type) and BLOCKS.fullmatch(inside):
            found.append(Part("statement", *here, command, block, inside, depth))
        elif node.type == "heredoc_body":
            found.append(Part("heredoc", *here, command, -1, inside, depth))
        elif node.type in WORDS and inside not in ("command_name", "concatenation", "program"):
            found.append(Part("word", *here, command, -1, inside, depth))
        deeper = depth + bool(BLOCKS.fullmatch(node.type))
        todo += [(child, node, command, deeper) for child in reversed(node.children)]
    return sorted(found, key=lambda part: (part.start, -part.end))


def _name(node: Any, script: bytes) -> str:
    """Name of the first command below a node."""
    todo = [node]
    while todo:
        one = todo.pop()
        if one.type == "command_name":
            text = script[one.start_byte : one.end_byte]
            return text.decode("utf-8", "replace").rpartition("/")[2][:60]
        todo += list(reversed(one.children))
    return ""


def main() -> None:
    """Read a script from stdin, write its parts as JSON."""
    json.dump(read_parts(sys.stdin.buffer.read()), sys.stdout)


if __name__ == "__main__":
    main()
