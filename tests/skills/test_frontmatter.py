"""Front matter as found in the wild: what is said is found, whatever its form."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from facet.skills.frontmatter import by_line, scalar, split

BODY = "# Title\n\nDo it."

FORMS: dict[str, str] = {
    "clean": "---\nname: n\ndescription: d\n---\n" + BODY,
    "byte order mark and CRLF": "\ufeff---\r\nname: n\r\ndescription: d\r\n---\r\n"
    + BODY.replace("\n", "\r\n"),
    "blank line first": "\n\n---\nname: n\ndescription: d\n---\n\n" + BODY,
    "closed by dots": "---\nname: n\ndescription: d\n...\n" + BODY,
    "long dashes": "-----\nname: n\ndescription: d\n-----\n" + BODY,
    "quoted": "---\nname: 'n'\ndescription: \"d\"\n---\n" + BODY,
    "folded": "---\nname: n\ndescription: >\n  d\n---\n" + BODY,
    "never closed": "---\nname: n\ndescription: d\n\n" + BODY,
    "never closed before a heading": "---\nname: n\ndescription: d\n" + BODY,
    "closed at the end of a value": "---\nname: n\ndescription: d---\n" + BODY,
    "no fence": "name: n\ndescription: d\n\n" + BODY,
    "opens on the line of its key": "--- name: n\ndescription: d\n\n" + BODY,
    "json": '{"name": "n", "description": "d"}\n' + BODY,
    "unquoted colon": "---\nname: n\nother: a: b\ndescription: d\n---\n" + BODY,
    "unbalanced brace": '---\nname: n\nmetadata: {"a": {"b": 1}\ndescription: d\n---\n' + BODY,
    "list as a key": '---\nname: n\nmetadata: {"a":["x"],["y"]}\ndescription: d\n---\n' + BODY,
    "duplicate key": "---\nname: n\ndescription: d\ndescription: d\n---\n" + BODY,
    "tab": "---\nname: n\nother: x\n\tmore\ndescription: d\n---\n" + BODY,
    "alias": "---\nname: n\nglob: *.py\ndescription: d\n---\n" + BODY,
}


@pytest.mark.parametrize("form", FORMS)
def test_name_and_description_are_found_in_every_form(form: str) -> None:
    found = split(FORMS[form])

    assert scalar(found.meta.get("name")) == "n"
    assert scalar(found.meta.get("description")) == "d"
    assert found.body.strip().endswith("Do it.")
    assert "description" not in found.body


@pytest.mark.parametrize("form", [f for f in FORMS if f not in ("clean", "quoted", "folded")])
def test_a_mended_form_is_said_or_harmless(form: str) -> None:
    harmless = {
        "byte order mark and CRLF",
        "blank line first",
        "closed by dots",
        "long dashes",
        "duplicate key",
    }

    assert bool(split(FORMS[form]).notes) == (form not in harmless)


def test_text_before_the_block_stays_in_the_body() -> None:
    found = split("# Heading\n\n---\nname: n\ndescription: d\n---\nDo it.")

    assert found.meta["name"] == "n"
    assert found.body.startswith("# Heading")
    assert "front matter is not first" in found.notes


def test_a_rule_in_the_text_is_no_front_matter() -> None:
    text = "# Heading\n\nSome words.\n\n---\n\nMore words."

    assert split(text).meta == {}
    assert split(text).body == text


def test_no_front_matter_leaves_the_text_whole() -> None:
    assert split(BODY) == ({}, BODY, ("no front matter",))
    assert split("") == ({}, "", ("empty file",))


def test_aliases_of_aliases_do_not_grow() -> None:
    lines = ["a: &a [x, x, x, x, x, x, x, x, x]"]
    lines += [
        f"{b}: &{b} [*{a},*{a},*{a},*{a},*{a},*{a}]"
        for a, b in zip("abcdefgh", "bcdefghi", strict=True)
    ]
    found = split("---\nname: n\ndescription: *i\n" + "\n".join(lines) + "\n---\n" + BODY)

    assert len(scalar(found.meta.get("description"))) < 100


@pytest.mark.parametrize(
    "value",
    [True, None, {"a": 1}, [[1]], float("nan"), pytest.param(1 << 20_000, id="huge integer")],
)
def test_a_value_that_is_no_text_becomes_short_text_or_none(value: object) -> None:
    assert len(scalar(value)) < 10


def test_a_list_becomes_its_scalars() -> None:
    assert scalar(["a", 1, ["nested"], " b "]) == "a, 1, b"


@given(st.text(max_size=300))
def test_no_text_raises(text: str) -> None:
    found = split(text)

    assert all(isinstance(k, str) for k in found.meta)
    by_line(text)


@given(st.sampled_from(["---\n{}\n---\nx", "--- {}\nx", "{}\nx"]), st.text(max_size=120))
def test_no_front_matter_raises(form: str, text: str) -> None:
    json.dumps(list(split(form.replace("{}", text)).notes))


@pytest.mark.parametrize(
    "block", ["- " * 20_000 + "x", "[" * 20_000, "{" * 400, "a: " + "!!x " * 9_000]
)
def test_deep_yaml_is_bounded(block: str) -> None:
    assert split(f"---\nname: n\n{block}\n---\n{BODY}").body.endswith("Do it.")
