"""`anthropic:<model>` on the official SDK: streamed, the reply as a forced tool call.

The system message is marked for prompt caching: it is the same for every call of a role.
"""

import json
import time
from collections.abc import Callable
from typing import Any

from facet.errors import ModelUnavailable, ReplyError
from facet.llm.base import Completion, Request, Usage
from facet.llm.retrying import PATIENT, Policy, Transient, status_error, with_retries
from facet.llm.schema import reply_schema

TOOL = "reply"
UNREADABLE = (ValueError, TypeError, AttributeError, LookupError, RuntimeError)
"""What the SDK raises on events that do not have the promised shape (it does not check them)."""


class AnthropicProvider:
    """One Claude model. Safe to use from several threads."""

    def __init__(
        self,
        model: str,
        *,
        key: str,
        base_url: str = "",
        policy: Policy = PATIENT,
        timeout_s: float = 600.0,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if not key:
            raise ModelUnavailable(
                f"anthropic:{model} needs a key: set ANTHROPIC_API_KEY, or use --model offline"
            )
        import anthropic
        import httpx2

        self._sdk = anthropic
        self._transport_error = httpx2.HTTPError
        self._model = model
        self._policy = policy
        self._sleep = sleep
        self._client = anthropic.Anthropic(
            api_key=key, base_url=base_url or None, max_retries=0, timeout=timeout_s
        )

    @property
    def name(self) -> str:
        """`anthropic:<model>`."""
        return f"anthropic:{self._model}"

    def complete(self, request: Request) -> Completion:
        """One streamed message. Raises ModelUnavailable, ReplyError."""
        started = time.monotonic()
        message, retries = with_retries(
            lambda: self._once(request), name=self.name, policy=self._policy, sleep=self._sleep
        )
        cached = message.usage.cache_read_input_tokens or 0
        written = message.usage.cache_creation_input_tokens or 0
        usage = Usage(
            input_tokens=message.usage.input_tokens + cached + written,
            cached_tokens=cached,
            output_tokens=message.usage.output_tokens,
            latency_s=time.monotonic() - started,
            retries=retries,
        )
        problem = {
            "refusal": f"{self.name} refused",
            "max_tokens": f"the reply was cut off at {request.max_tokens} tokens",
            "model_context_window_exceeded": "the reply was cut off at the end of the context",
        }.get(message.stop_reason or "", "")
        return Completion(text=_text(message), usage=usage, problem=problem)

    def _once(self, request: Request) -> Any:
        tool = {
            "name": TOOL,
            "description": f"Give the {request.reply_type.__name__}.",
            "input_schema": reply_schema(request.reply_type),
        }
        system = "\n\n".join(m.text for m in request.messages if m.role == "system")
        messages: Any = [
            {"role": m.role, "content": m.text} for m in request.messages if m.role != "system"
        ]
        try:
            with self._client.messages.stream(
                model=self._model,
                max_tokens=request.max_tokens,
                system=[{"type": "text", "text": system, "cache_control": {"type": "ephemeral"}}],
                messages=messages,
                tools=[tool],  # type: ignore[list-item]
                tool_choice={"type": "tool", "name": TOOL},
            ) as stream:
                message = stream.get_final_message()
        except self._sdk.APIStatusError as error:
            raise status_error(
                self.name, error.status_code, error.message, error.response.headers, error.body
            ) from error
        except (self._sdk.APIConnectionError, self._transport_error) as error:
            raise Transient(f"no answer: {error}"[:300]) from error
        except (self._sdk.AnthropicError, *UNREADABLE) as error:
            raise ReplyError(f"{self.name}: an unreadable answer: {error}"[:300]) from error
        except AssertionError as error:  # the SDK's sign of a stream without a final message
            raise Transient("the stream ended before its message did") from error
        if message.stop_reason is None:
            raise Transient("the stream ended before its message did")
        return message


def _text(message: Any) -> str:
    """The tool call's input as JSON text, else whatever text there is."""
    for block in message.content:
        if block.type == "tool_use" and block.name == TOOL:
            return json.dumps(block.input, ensure_ascii=False)
    return "".join(block.text for block in message.content if block.type == "text")
