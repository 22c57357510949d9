"""Strangers' text is shown as it is: no markup, no hidden characters, bounded."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from facet.ui.text import (
    JOINER,
    MARKDOWN,
    code_height,
    language,
    line,
    md,
    plain,
    size,
    table_height,
)


def unescape(text: str) -> str:
    """What a Markdown renderer shows of backslash escapes."""
    out, i = [], 0
    while i < len(text):
        if text[i] == "\\" and i + 1 < len(text) and text[i + 1] in MARKDOWN:
            i += 1
        out.append(text[i])
        i += 1
    return "".join(out).replace(JOINER, "")


@given(st.text(max_size=200))
def test_markdown_shows_exactly_the_line_and_every_mark_is_escaped(text: str) -> None:
    shown = md(text)
    assert unescape(shown) == line(text)
    bare = shown.replace("\\\\", "")
    for at, character in enumerate(bare):
        if character in MARKDOWN - {"\\"}:
            assert bare[at - 1] == "\\"


@pytest.mark.parametrize(
    "text",
    ["https://evil.example/x", "www.evil.example", "a@evil.example", ":red[x]", "![x](y)", "$x$"],
)
def test_no_address_icon_colour_or_formula_survives(text: str) -> None:
    shown = md(text)
    for mark in ("://", "www.", "@evil", ":red", "](", "$x"):
        assert mark not in shown.replace("\\" + mark[0], "")


@given(st.text(max_size=300))
def test_no_control_or_bidirectional_character_reaches_a_page(text: str) -> None:
    shown = plain(text)
    assert not any(ord(c) < 0x20 and c not in "\t\n" for c in shown)
    assert not any(0x202A <= ord(c) <= 0x202E or 0x2066 <= ord(c) <= 0x2069 for c in shown)
    shown.encode("utf-8")


def test_escapes_and_carriage_returns_are_visible() -> None:
    assert plain("\x1b[31mred\u202e") == "\\x1b[31mred\\u202e"
    assert plain("a\r\nb\rc") == "a␍\nb␍c"


def test_long_text_is_cut_with_a_note() -> None:
    assert plain("x" * 50, 10) == "x" * 10 + "\n… 40 more characters not shown"
    assert line("y" * 50, 10) == "y" * 9 + "…"


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("Dockerfile", "docker"),
        ("tests.Dockerfile", "docker"),
        ("solve.sh", "bash"),
        ("a/b/test_state.py", "python"),
        ("data.bin", None),
        ("noend", None),
    ],
)
def test_files_are_coloured_by_their_name(path: str, name: str | None) -> None:
    assert language(path) == name


def test_sizes_and_heights() -> None:
    assert [size(n) for n in (7, 1500, 2_000_000)] == ["7 B", "1.5 kB", "2.0 MB"]
    assert table_height(3) < table_height(30) <= table_height(300) == 560
    assert (code_height("one", 300), code_height("x\n" * 100, 300)) == ("content", 300)
