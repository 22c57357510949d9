"""`openai:<model>` on the official SDK, and every compatible server by `base_url`.

The reply is asked for as `json_schema`; a server that refuses that is asked for `json_object`, and
one that refuses both for plain text: the prompt holds the schema in any case.
"""

import time
from collections.abc import Callable
from typing import Annotated, Any

from pydantic import BaseModel, Field, model_validator

from facet.errors import ModelUnavailable, ReplyError
from facet.llm.base import Completion, Request, Usage
from facet.llm.retrying import PATIENT, Policy, Transient, status_error, with_retries
from facet.llm.schema import reply_schema

OFFICIAL = "api.openai.com"


class _Part(BaseModel):
    """Part of an answer: what is not named is ignored, what is null has its default."""

    @model_validator(mode="before")
    @classmethod
    def _nulls(cls, data: Any) -> Any:
        return {k: v for k, v in data.items() if v is not None} if isinstance(data, dict) else data


class _Details(_Part):
    cached_tokens: int = 0


class _Tokens(_Part):
    prompt_tokens: int = 0
    completion_tokens: int = 0
    prompt_tokens_details: _Details = _Details()


class _Message(_Part):
    content: str = ""
    refusal: str = ""


class _Choice(_Part):
    message: _Message
    finish_reason: str = ""


class _Chat(_Part):
    """A chat completion as far as it is read; the SDK's own type accepts anything."""

    choices: Annotated[list[_Choice], Field(min_length=1)]
    usage: _Tokens = _Tokens()


class OpenAIProvider:
    """One model behind the chat completions API. Safe to use from several threads."""

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
        self._own = not base_url or OFFICIAL in base_url
        if not key and self._own:
            raise ModelUnavailable(
                f"openai:{model} needs a key: set OPENAI_API_KEY, give --base-url of a "
                "compatible server, or use --model offline"
            )
        import httpx2
        import openai

        self._sdk = openai
        self._transport_error = httpx2.HTTPError
        self._model = model
        self._policy = policy
        self._sleep = sleep
        self._formats = ["json_schema", "json_object", "text"]
        self._client = openai.OpenAI(
            api_key=key or "none", base_url=base_url or None, max_retries=0, timeout=timeout_s
        )

    @property
    def name(self) -> str:
        """`openai:<model>`."""
        return f"openai:{self._model}"

    def complete(self, request: Request) -> Completion:
        """One chat completion. Raises ModelUnavailable, ReplyError."""
        started = time.monotonic()
        answer, retries = with_retries(
            lambda: self._once(request), name=self.name, policy=self._policy, sleep=self._sleep
        )
        choice = answer.choices[0]
        text, refusal = choice.message.content, choice.message.refusal
        problem = ""
        if refusal or choice.finish_reason == "content_filter":
            problem = f"{self.name} refused: {refusal or 'content filter'}"[:300]
        elif choice.finish_reason == "length":
            problem = f"the reply was cut off at {request.max_tokens} tokens"
        usage = Usage(
            input_tokens=answer.usage.prompt_tokens,
            cached_tokens=answer.usage.prompt_tokens_details.cached_tokens,
            output_tokens=answer.usage.completion_tokens,
            latency_s=time.monotonic() - started,
            retries=retries,
        )
        return Completion(text=text, usage=usage, problem=problem)

    def _once(self, request: Request) -> "_Chat":
        while True:
            wanted = self._formats[0]
            try:
                return self._send(request, wanted)
            except self._sdk.BadRequestError as error:
                if len(self._formats) > 1 and "response_format" in str(error):
                    if self._formats[0] == wanted:
                        self._formats = self._formats[1:]
                    continue
                raise status_error(
                    self.name, error.status_code, error.message, error.response.headers, error.body
                ) from error
            except self._sdk.APIStatusError as error:
                raise status_error(
                    self.name, error.status_code, error.message, error.response.headers, error.body
                ) from error
            except (self._sdk.APIConnectionError, self._transport_error) as error:
                address = self._client.base_url
                where = f"{address.scheme}://{address.host}:{address.port or 'default port'}"
                raise Transient(f"no answer from {where}: {error}"[:300]) from error
            except (self._sdk.OpenAIError, ValueError) as error:
                raise ReplyError(f"{self.name}: an unreadable answer: {error}"[:300]) from error

    def _send(self, request: Request, wanted: str) -> "_Chat":
        messages: Any = [{"role": m.role, "content": m.text} for m in request.messages]
        options: dict[str, Any] = {}
        if wanted == "json_schema":
            options["response_format"] = {
                "type": "json_schema",
                "json_schema": {
                    "name": request.reply_type.__name__,
                    "schema": reply_schema(request.reply_type),
                },
            }
        elif wanted == "json_object":
            options["response_format"] = {"type": "json_object"}
        limit = "max_completion_tokens" if self._own else "max_tokens"
        options[limit] = request.max_tokens
        raw = self._client.chat.completions.with_raw_response.create(
            model=self._model, messages=messages, **options
        )
        return _Chat.model_validate_json(raw.http_response.content)
