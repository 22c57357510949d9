"""Prompts: one Jinja file per role under prompts/, rendered with every field of its Ask.

A template has two blocks: `system` (task, contract, reply type, example: stable, so that providers
can cache it) and `user` (what this call shows). Undefined variables are errors. Text by third
parties (skills, container output, what other calls wrote) goes through `data(label, value)`: a
marked block that its content cannot close.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

from jinja2 import (
    Environment,
    FileSystemLoader,
    StrictUndefined,
    TemplateError,
    TemplateNotFound,
    meta,
)

from facet.config import prompts_dir
from facet.errors import PromptError
from facet.llm.base import Message
from facet.llm.schema import schema_text
from facet.types.asks import Ask
from facet.types.skill import Skill
from facet.types.value import Value, digest_bytes

SHARED = "_shared.md.j2"
NOT_RENDERED = ("nonce", "attempt")
OURS = ("data", "schema", "rules", "look_rules")  # globals of every template
DATA_LIMIT = 40_000  # characters of one data block; what is cut is said


class Rendered(Value):
    """One ask as messages, and the digest of the template (and shared parts) behind them."""

    messages: tuple[Message, ...]
    template: str


class Prompts:
    """The templates of one folder. Safe to use from several threads."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or prompts_dir()
        self._env = Environment(
            loader=FileSystemLoader(self.folder),
            undefined=StrictUndefined,
            autoescape=False,
            keep_trailing_newline=False,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._env.globals.update(data=data_block, schema="")
        try:
            shared = self._env.get_template(SHARED).module
        except TemplateError as error:
            raise PromptError(f"{self.folder / SHARED}: {error}") from error
        self._env.globals.update(rules=shared.rules, look_rules=shared.look_rules)  # type: ignore[attr-defined]

    def path(self, role: str) -> Path:
        """File of a role's template."""
        return self.folder / f"{role}.md.j2"

    def digest(self, role: str) -> str:
        """Digest over the role's template and the shared parts; changes when either does."""
        return digest_bytes(self._source(role) + b"\0" + (self.folder / SHARED).read_bytes())

    def variables(self, role: str) -> frozenset[str]:
        """Fields of the ask that the template uses."""
        tree = self._env.parse(self._source(role).decode())
        return frozenset(meta.find_undeclared_variables(tree)) - frozenset(OURS)

    def render(self, ask: Ask[Any]) -> Rendered:
        """The ask as a system and a user message. PromptError names template and variable."""
        fields = {n: getattr(ask, n) for n in type(ask).model_fields if n not in NOT_RENDERED}
        values = {**fields, "schema": schema_text(ask.reply)}
        try:
            template = self._env.get_template(f"{ask.role}.md.j2")
            context = template.new_context(values)
            parts = {
                name: "".join(template.blocks[name](context)).strip() for name in ("system", "user")
            }
        except TemplateNotFound as error:
            raise PromptError(f"no prompt {self.path(ask.role)} for role {ask.role!r}") from error
        except (TemplateError, KeyError) as error:
            raise PromptError(f"{self.path(ask.role)}: {error}") from error
        messages = (
            Message(role="system", text=parts["system"]),
            Message(role="user", text=parts["user"]),
        )
        return Rendered(messages=messages, template=self.digest(ask.role))

    def _source(self, role: str) -> bytes:
        try:
            return self.path(role).read_bytes()
        except OSError as error:
            raise PromptError(f"no prompt {self.path(role)} for role {role!r}") from error


def data_block(label: str, value: Any, limit: int = DATA_LIMIT) -> str:
    """Third-party text in a marked block. The marker depends on the content, and a closing tag
    inside it is defused, so no content can end its own block."""
    text = _shown(value)
    if len(text) > limit:
        text = f"{text[:limit]}\n[{len(text) - limit} more characters cut]"
    text = text.replace("</facet-data", "<\\/facet-data")
    mark = hashlib.sha256(f"{label}\0{text}".encode("utf-8", "surrogatepass")).hexdigest()[:16]
    label = "".join(c for c in label if c.isalnum() or c in " ._-/")[:80]
    return f'<facet-data id="{mark}" what="{label}">\n{text}\n</facet-data id="{mark}">'


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, Skill):
        return _skill(value)
    return json.dumps(_plain(value), ensure_ascii=False, indent=1)


def _plain(value: Any) -> Any:
    """A JSON value for reading: bytes as text where they are text, empty fields left out."""
    if isinstance(value, Value):
        fields = {n: getattr(value, n) for n in type(value).model_fields}
        return {n: _plain(v) for n, v in fields.items() if v not in (None, "", ())}
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            return f"[{len(value)} bytes that are not text]"
    if isinstance(value, tuple | list):
        return [_plain(v) for v in value]
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    return value


def _skill(skill: Skill, body: int = 16_000, file: int = 4_000, files: int = 6) -> str:
    """A skill package for reading: identity, description, body and the first text files."""
    parts = [f"id: {skill.id}", f"name: {skill.name}", f"description: {skill.description}", ""]
    parts.append(_cut(skill.body, body))
    for item in [f for f in skill.files if f.text][:files]:
        parts += ["", f"--- file {item.path} ({item.size} bytes)", _cut(item.text or "", file)]
    rest = [f.path for f in skill.files]
    if rest:
        parts += ["", "all files: " + ", ".join(rest[:60])]
    return "\n".join(parts)


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]}\n[{len(text) - limit} characters cut]"
