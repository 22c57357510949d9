"""Skills are matched by what their sentences say, and never forced."""

from pathlib import Path

import pytest

from facet.author.matching import calls, sentences, why_not
from facet.author.provider import OfflineAuthor
from facet.author.recipes import RECIPES, recipe
from facet.llm.base import Request
from facet.skills.read import read_folder
from facet.types.asks import ContextsAsk, ContextsReply, PairAsk
from facet.types.skill import Context, PairVerdict, Skill
from tests.author.harness import context_for, skill_for

CALLING = (
    ("tables", "Clean and merge CSV files, drop bad rows, and pivot the result."),
    ("database", "Write SQL queries against a SQLite database and tune its indexes."),
    ("logs", "Parse and analyze server logs to find recurring errors."),
    ("config", "Validate and migrate configuration files between environments."),
    ("jsondata", "Parse nested JSON output with jq and build reports from it."),
    ("archive", "Create scheduled backups of folders as tar.gz and verify checksums."),
    ("history", "Summarise git history and write changelogs from commit messages."),
    ("permissions", "Audit file permissions and fix them with chmod and chown."),
    ("reconcile", "Reconcile bank transactions with invoices and find duplicates."),
    ("notes", "Organise notes in a Markdown folder with front matter and an index."),
    ("webpages", "Scrape web pages and extract tables from their HTML."),
    ("series", "Compute moving averages over sensor readings and fill daily series."),
    ("service", "Fetch pages of results from a REST API and retry failed requests."),
    ("schedule", "Schedule nightly scripts with cron and watch that they ran."),
)


def skill(description: str, body: str = "", name: str = "helper") -> Skill:
    return Skill(id="tests/x", name=name, description=description, body=body)


def ask(value: ContextsAsk | PairAsk) -> str:
    return OfflineAuthor().complete(Request(value, (), "none")).text


@pytest.mark.parametrize(("name", "sentence"), CALLING)
def test_a_plain_sentence_calls_its_recipe(name: str, sentence: str) -> None:
    found = calls(skill(sentence))
    assert name in [c.recipe.name for c in found]
    assert next(c.quote for c in found if c.recipe.name == name) in sentence


def test_every_recipe_is_called_by_some_sentence() -> None:
    assert {name for name, _ in CALLING} == {r.name for r in RECIPES}


@pytest.mark.parametrize(
    "text",
    [
        "Write a heartfelt birthday poem in the voice of a pirate.",
        "Buy and sell tokens on the exchange when the whale moves.",
        "Control the lights in your living room with your voice.",
    ],
)
def test_skills_about_something_else_are_not_covered(text: str) -> None:
    reply = ContextsReply.model_validate_json(ask(ContextsAsk(skill=skill(text, text * 3))))
    assert reply.contexts == ()
    assert reply.not_covered


def test_words_inside_code_fences_call_nothing() -> None:
    body = "Talk kindly to people who write to you, always.\n```\ncsv csv sqlite cron\n```\n"
    assert calls(skill("Be a kind companion for people who feel alone.", body)) == []


def test_a_passing_mention_in_the_body_is_not_enough() -> None:
    body = "Sing the melody twice.\n\nYou may also keep a CSV file of songs.\n"
    assert calls(skill("Compose a lullaby for a child who cannot sleep.", body)) == []


def test_why_not_tells_silence_language_and_other_work_apart() -> None:
    assert "too little" in why_not(skill("x"))
    assert "language" in why_not(skill("使用中国天气网获取实时天气预报，无需密钥即可查询。" * 4))
    assert "no sentence" in why_not(
        skill("Compose a lullaby for a child who cannot sleep now. " * 2)
    )


def test_sentences_are_verbatim_parts_of_the_text() -> None:
    text = "# Title here, long\n- First do this. Then do that!\n\n> Quoted advice goes here."
    assert sentences(text)
    assert all(s in text for s in sentences(text))


@pytest.mark.parametrize("hostile", ["((((" * 5000, "\0\ufffd" * 3000, "a" * 300_000, "- " * 9000])
def test_hostile_text_is_bounded(hostile: str) -> None:
    assert calls(skill(hostile, hostile)) == []


def verdict(one: str, other: str) -> PairVerdict:
    first, second = recipe(one), recipe(other)
    assert first is not None
    assert second is not None
    skills = (skill_for(first, "a"), skill_for(second, "b"))
    contexts = (context_for(first, skills[0]), context_for(second, skills[1]))
    return PairVerdict.model_validate_json(ask(PairAsk(skills=skills, contexts=contexts)))


def test_a_pair_is_kept_when_the_second_can_use_what_the_first_makes() -> None:
    found = verdict("logs", "database")
    assert found.keep
    assert "SQLite" in found.complementary


def test_a_pair_is_dropped_when_the_first_yields_no_records() -> None:
    found = verdict("schedule", "tables")
    assert not found.keep
    assert "yields no records" in found.complementary


def test_a_pair_of_the_same_work_is_dropped_with_the_reason() -> None:
    found = verdict("logs", "logs")
    assert not found.keep
    assert "same work" in found.complementary


def test_an_unknown_capability_is_dropped_not_guessed() -> None:
    one = skill_for(RECIPES[0], "a")
    odd = Context(skill_id="x", situation="s", inputs=(), outputs=(), tools=(), capability="magic")
    asked = PairAsk(skills=(one, one), contexts=(context_for(RECIPES[0], one), odd))
    found = PairVerdict.model_validate_json(ask(asked))
    assert not found.keep
    assert "magic" in found.complementary


def test_quotes_of_real_skills_stand_in_their_text(shared_data: Path) -> None:
    quoted = covered = 0
    for found in read_folder(shared_data / "skills" / "clawhub-repo"):
        if not isinstance(found, Skill):
            continue
        text = " ".join(f"{found.description}\n{found.body}\n{found.name}.".split())
        for call in calls(found):
            quoted += 1
            assert " ".join(call.quote.split()) in text
        covered += bool(calls(found))
    assert quoted >= covered
