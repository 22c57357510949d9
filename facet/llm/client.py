"""Every model call goes through here: render, cache, budget, ask, parse, correct once, account.

Providers only turn a request into text. Not covered: retries after outages (the providers'), and
what is done with a reply.
"""

import time
from collections.abc import Callable
from typing import Any, Protocol, cast

from facet.errors import Cancelled, ModelError, ReplyError
from facet.llm.base import Completion, Message, Provider, Request, Usage
from facet.llm.budget import Budget
from facet.llm.cache import Recorded, ReplyCache, cache_key, request_digest
from facet.llm.prices import Prices
from facet.llm.schema import parse_reply
from facet.prompts import Prompts
from facet.types.asks import Ask
from facet.types.payloads import ModelCall
from facet.types.value import Value, canonical_json
from facet.workspace import Workspace

SHOWN_REPLY = 20_000  # characters of a bad reply that the corrective retry shows
MAX_TOKENS = {"environment": 32_000, "verifier": 32_000, "repair/environment": 32_000}


class Caller(Protocol):
    """What a stage needs of a client."""

    def call[R: Value](self, ask: Ask[R]) -> R:
        """The reply to an ask; raises ModelError."""
        ...


class Client:
    """One provider for one run. Safe to use from several threads."""

    def __init__(
        self,
        provider: Provider,
        *,
        workspace: Workspace,
        run: str = "",
        budget: Budget | None = None,
        prompts: Prompts | None = None,
        prices: Prices | None = None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> None:
        self.provider = provider
        self.budget = budget or Budget()
        self.prompts = prompts or Prompts()
        self._workspace = workspace
        self._run = run
        self._prices = prices or Prices.load()
        self._cache = ReplyCache(workspace.root / "cache" / "replies")
        self._cancelled = cancelled

    def at(self, seed: str) -> "SeedClient":
        """The same client, its ledger rows marked with a seed."""
        return SeedClient(self, seed)

    def call[R: Value](self, ask: Ask[R], *, seed: str = "") -> R:
        """The reply to an ask, from the cache or the model.

        Raises ReplyError (unusable twice), ModelUnavailable (owed), BudgetExceeded (not asked),
        Cancelled (not asked), PromptError.
        """
        rendered = self.prompts.render(ask)
        limit = MAX_TOKENS.get(ask.role, 16_000)
        request = Request(ask, rendered.messages, rendered.template, limit)
        fingerprint = str(getattr(self.provider, "fingerprint", ""))
        key = cache_key(request, self.provider.name, fingerprint)
        reply_type = cast(type[R], ask.reply)
        if (known := self._cache.get(key)) is not None:
            try:
                reply = parse_reply(reply_type, known.text)
            except ReplyError:
                pass  # kept by an older version of the type: ask again
            else:
                self._account(request, Completion(text=known.text), seed, from_cache=True)
                return reply
        completion, reply = self._ask(request, reply_type, seed)
        record = Recorded(
            request=request_digest(request),
            provider=self.provider.name,
            role=ask.role,
            text=completion.text,
            usage=completion.usage,
        )
        self._cache.put(key, record)
        return reply

    def _ask[R: Value](
        self, request: Request, reply_type: type[R], seed: str
    ) -> tuple[Completion, R]:
        """Ask; on an unusable reply ask once more and show the model its error."""
        current = request
        for last in (False, True):
            completion = self._complete(current, seed)
            try:
                if completion.problem:
                    raise ReplyError(completion.problem)
                reply = parse_reply(reply_type, completion.text)
            except ReplyError as error:
                self._account(current, completion, seed, error=str(error))
                if last:
                    raise ReplyError(
                        f"{self.provider.name} gave no usable {request.role} reply: {error}"
                    ) from error
                current = _corrected(request, completion.text, str(error))
            else:
                self._account(current, completion, seed)
                return completion, reply
        raise AssertionError("unreachable")

    def _complete(self, request: Request, seed: str) -> Completion:
        if self._cancelled():
            raise Cancelled("cancelled before a model call")
        self.budget.take()
        started = time.monotonic()
        try:
            completion = self.provider.complete(request)
        except ReplyError as error:
            failed = Usage(latency_s=time.monotonic() - started)
            return Completion(text="", usage=failed, problem=str(error))
        except ModelError as error:
            failed = Usage(latency_s=time.monotonic() - started)
            self._account(request, Completion(text="", usage=failed), seed, error=str(error))
            raise
        usage = completion.usage
        changes: dict[str, Any] = {}
        if not usage.latency_s:
            changes["latency_s"] = time.monotonic() - started
        if usage.dollars is None:
            changes["dollars"] = self._prices.dollars(self.provider.name, usage)
        usage = usage.model_copy(update=changes)
        self.budget.settle(usage.dollars)
        return completion.model_copy(update={"usage": usage})

    def _account(
        self,
        request: Request,
        completion: Completion,
        seed: str,
        *,
        from_cache: bool = False,
        error: str = "",
    ) -> None:
        """One ledger row."""
        usage = completion.usage
        messages = canonical_json([m.to_json() for m in request.messages])
        row = ModelCall(
            role=request.role,
            model=self.provider.name,
            template=request.template_digest,
            attempt=request.ask.attempt,
            input_tokens=usage.input_tokens,
            cached_tokens=usage.cached_tokens,
            output_tokens=usage.output_tokens,
            dollars=0.0 if from_cache else usage.dollars,
            latency_s=usage.latency_s,
            retries=usage.retries,
            from_cache=from_cache,
            ok=not error,
            error=error[:2000],
            prompt_blob=self._workspace.blobs.put(messages),
            reply_blob=self._workspace.blobs.put(completion.text.encode("utf-8", "replace")),
        )
        self._workspace.journal.append("model.call", row, run=self._run, seed=seed)


class SeedClient:
    """A client whose ledger rows name one seed."""

    def __init__(self, client: Client, seed: str) -> None:
        self._client = client
        self._seed = seed

    def call[R: Value](self, ask: Ask[R]) -> R:
        """See Client.call."""
        return self._client.call(ask, seed=self._seed)


def _corrected(request: Request, text: str, error: str) -> Request:
    """The same request, followed by the bad reply and what is wrong with it."""
    shown = text[:SHOWN_REPLY] or "(nothing)"
    messages = (
        *request.messages,
        Message(role="assistant", text=shown),
        Message(
            role="user",
            text=f"This reply cannot be used: {error}\n"
            "Reply again with the whole JSON object that fits the schema, and nothing else.",
        ),
    )
    return Request(request.ask, messages, request.template_digest, request.max_tokens)
