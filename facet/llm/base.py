"""The contract every model provider fulfils.

A provider turns one `Request` into one `Completion` (text that should parse as the ask's reply
type). Caching, parsing, the corrective retry, the ledger and budgets are the client's
(`facet/llm/client.py`), so every provider has them alike.

Errors a provider may raise: `ModelUnavailable` (outage, rate limit after retries, missing or
refused key: the work is owed) and `ReplyError` (refusal, or nothing usable came back).
"""

from typing import Any, Literal, Protocol

from facet.types.asks import Ask
from facet.types.value import Value


class Message(Value):
    """One rendered message."""

    role: Literal["system", "user", "assistant"]
    text: str


class Usage(Value):
    """What one call used. `dollars` is None where the price is unknown (never 0)."""

    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    dollars: float | None = None
    latency_s: float = 0.0
    retries: int = 0


class Completion(Value):
    """A provider's raw answer."""

    text: str  # JSON text of the reply type
    usage: Usage = Usage()
    problem: str = ""  # why it is no usable reply though it was paid for (refused, cut off)


class Request:
    """What is sent: the ask, its rendered messages and the parameters that shape the answer."""

    def __init__(
        self,
        ask: "Ask[Any]",
        messages: tuple[Message, ...],
        template_digest: str,
        max_tokens: int = 16_000,
    ) -> None:
        self.ask = ask
        self.messages = messages
        self.template_digest = template_digest
        self.max_tokens = max_tokens

    @property
    def role(self) -> str:
        """Which prompt this is."""
        return self.ask.role

    @property
    def reply_type(self) -> type[Value]:
        """The type the answer must parse as."""
        return self.ask.reply


class Provider(Protocol):
    """One model behind one name."""

    @property
    def name(self) -> str:
        """E.g. `offline`, `anthropic:<model>`; the label on everything it makes."""
        ...

    def complete(self, request: Request) -> Completion:
        """Answer one request. Safe to call from several threads."""
        ...
