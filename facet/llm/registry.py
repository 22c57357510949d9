"""Model names to providers: the one place that knows the forms."""

from pathlib import Path

from facet.config import Config, load_config
from facet.errors import InputError
from facet.llm.base import Provider

FORMS: tuple[tuple[str, str], ...] = (
    ("offline", "the embedded author: no key, no network"),
    ("anthropic:<model>", "a Claude model; needs ANTHROPIC_API_KEY"),
    ("openai:<model>", "an OpenAI model (OPENAI_API_KEY), or a compatible server by --base-url"),
    ("replay:<folder>", "recorded replies, e.g. a workspace's cache/replies"),
)
"""Every form a model name can have, with what it needs."""


def provider(
    name: str, *, config: Config | None = None, base_url: str = "", slips: float = 1.0
) -> Provider:
    """The provider of a name. InputError lists the forms; ModelUnavailable: its key is missing."""
    config = config or load_config()
    kind, _, rest = name.partition(":")
    if name == "offline":
        from facet.author.provider import OfflineAuthor

        return OfflineAuthor(slips=slips)
    if kind == "anthropic" and rest:
        from facet.llm.anthropic import AnthropicProvider

        return AnthropicProvider(rest, key=config.anthropic_key, base_url=base_url)
    if kind == "openai" and rest:
        from facet.llm.openai import OpenAIProvider

        address = base_url or config.openai_base_url
        return OpenAIProvider(rest, key=config.openai_key, base_url=address)
    if kind == "replay" and rest:
        from facet.llm.replay import ReplayProvider

        return ReplayProvider(Path(rest))
    forms = ", ".join(form for form, _ in FORMS)
    raise InputError(f"unknown model {name[:80]!r}: give one of {forms}")
