"""What is tried again, how long is waited, and what each failure of an API means here.

| failure | means |
|---|---|
| 401, 403 | ModelUnavailable: the key is missing or refused |
| 404 | ModelUnavailable: no such model or address |
| 408, 409, 425, 429, 5xx, no connection, cut answer | tried again, then ModelUnavailable |
| 400 that speaks of credit or billing, 402 | ModelUnavailable |
| any other 4xx, an answer nobody can read | ReplyError |
"""

import email.utils
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from tenacity import (
    RetryCallState,
    Retrying,
    retry_if_exception_type,
    stop_after_attempt,
    wait_exponential_jitter,
)

from facet.errors import ModelError, ModelUnavailable, ReplyError
from facet.types.value import Value

TRANSIENT_STATUS = frozenset({408, 409, 425, 429})
TRANSIENT_KINDS = ("overloaded_error", "api_error", "rate_limit_error", "timeout_error")


class Policy(Value):
    """How long to try: attempts in all, first and longest wait, longest retry-after, in seconds."""

    attempts: int = 6
    first_s: float = 1.0
    longest_s: float = 60.0
    longest_retry_after_s: float = 180.0


PATIENT = Policy()


class Transient(Exception):
    """Worth trying again; `wait_s` is what the server asked for."""

    def __init__(self, message: str, wait_s: float | None = None) -> None:
        super().__init__(message)
        self.wait_s = wait_s


def with_retries[T](
    work: Callable[[], T],
    *,
    name: str,
    policy: Policy,
    sleep: Callable[[float], None] = time.sleep,
) -> tuple[T, int]:
    """The result of `work` and how often it was repeated. ModelUnavailable when it stays down."""
    backoff = wait_exponential_jitter(initial=policy.first_s, max=policy.longest_s)

    def wait(state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        asked = error.wait_s if isinstance(error, Transient) else None
        return backoff(state) if asked is None else asked

    retrying = Retrying(
        retry=retry_if_exception_type(Transient),
        stop=stop_after_attempt(policy.attempts),
        wait=wait,
        sleep=sleep,
        reraise=True,
    )
    try:
        for attempt in retrying:
            with attempt:
                try:
                    return work(), attempt.retry_state.attempt_number - 1
                except Transient as error:
                    if (error.wait_s or 0) > policy.longest_retry_after_s:
                        raise ModelUnavailable(
                            f"{name}: {error}, and asks to wait {error.wait_s:.0f} s"
                        ) from error
                    raise
    except Transient as error:
        raise ModelUnavailable(f"{name}: {error} ({policy.attempts} attempts)") from error
    raise AssertionError("unreachable")


def status_error(
    name: str, status: int, message: str, headers: Mapping[str, str], body: Any
) -> ModelError | Transient:
    """What an HTTP answer that is not a reply means; see the table above."""
    short = " ".join(str(message).split())[:300]
    inner = body.get("error") if isinstance(body, dict) else None
    kind = inner.get("type") if isinstance(inner, dict) else None
    if status in (401, 403):
        return ModelUnavailable(f"{name}: the API key is missing or refused ({status}): {short}")
    if status == 402 or (status == 400 and any(w in short.lower() for w in ("credit", "billing"))):
        return ModelUnavailable(f"{name}: {short}")
    if status in TRANSIENT_STATUS or status >= 500 or kind in TRANSIENT_KINDS:
        return Transient(f"answered {status}: {short}", retry_after(headers))
    if status == 404:
        return ModelUnavailable(f"{name}: no such model or address (404): {short}")
    return ReplyError(f"{name}: the request was refused ({status}): {short}")


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds the server asks to wait (milliseconds, seconds or a date), or None."""
    for header, divisor in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        value = headers.get(header)
        if value is None:
            continue
        try:
            seconds = float(value) / divisor
        except ValueError:
            try:
                then = email.utils.parsedate_to_datetime(value)
            except ValueError:
                return None
            then = then if then.tzinfo else then.replace(tzinfo=UTC)
            seconds = (then - datetime.now(UTC)).total_seconds()
        return max(0.0, seconds) if seconds == seconds else None
    return None
