"""What a call costs, from data/prices.toml. An unknown price is None, never 0."""

import re
import tomllib
from pathlib import Path

from pydantic import ValidationError

from facet.config import data_dir
from facet.errors import InputError
from facet.llm.base import Usage
from facet.types.value import Value

_DATE = re.compile(r"-(\d{8}|\d{4}-\d{2}-\d{2}|latest)$")


class Price(Value):
    """Dollars per million tokens."""

    input: float
    cached: float
    output: float


class Prices:
    """The price table."""

    def __init__(self, table: dict[str, Price]) -> None:
        self.table = table

    @classmethod
    def load(cls, path: Path | None = None) -> "Prices":
        """Read a price file; InputError names it when it is not one."""
        path = path or data_dir() / "prices.toml"
        try:
            raw = tomllib.loads(path.read_text("utf-8"))
            return cls({name: Price.model_validate(row) for name, row in raw.items()})
        except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError, ValidationError) as error:
            raise InputError(f"{path} is not a price table: {error}") from error

    def of(self, model: str) -> Price | None:
        """Price of a model by its full name, with or without a date suffix."""
        return self.table.get(model) or self.table.get(_DATE.sub("", model))

    def dollars(self, model: str, usage: Usage) -> float | None:
        """Cost of one call. `cached_tokens` are part of `input_tokens` and cost less."""
        price = self.of(model)
        if price is None:
            return None
        fresh = max(0, usage.input_tokens - usage.cached_tokens)
        millionths = (
            fresh * price.input
            + usage.cached_tokens * price.cached
            + usage.output_tokens * price.output
        )
        return millionths / 1_000_000
