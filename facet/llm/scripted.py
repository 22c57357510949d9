"""A provider whose answers are given beforehand: the test double of every model.

Running out of answers is an error, never a default.
"""

import threading
from collections.abc import Callable, Mapping, Sequence

from facet.llm.base import Completion, Request, Usage
from facet.types.value import Value, canonical_json

type Answer = Value | str | Completion | Exception | Callable[[Request], "Answer"]


class ScriptedProvider:
    """Answers from lists by role (`"*"` = any role), or from one function of the request.

    An answer is a reply value, raw text, a whole Completion, an exception to raise, or a function.
    `requests` keeps what was asked, in order.
    """

    def __init__(
        self,
        answers: Mapping[str, Sequence[Answer]] | Callable[[Request], Answer],
        name: str = "scripted",
    ) -> None:
        self._name = name
        self._answers = answers if callable(answers) else {r: list(a) for r, a in answers.items()}
        self._lock = threading.Lock()
        self.requests: list[Request] = []

    @property
    def name(self) -> str:
        """The name given."""
        return self._name

    def complete(self, request: Request) -> Completion:
        """The next answer for this role. AssertionError when there is none left."""
        with self._lock:
            self.requests.append(request)
            answer = self._next(request)
        while callable(answer):
            answer = answer(request)
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, Completion):
            return answer
        text = answer if isinstance(answer, str) else canonical_json(answer.to_json()).decode()
        return Completion(text=text, usage=Usage(input_tokens=10, output_tokens=5))

    def _next(self, request: Request) -> Answer:
        if callable(self._answers):
            return self._answers
        left = self._answers.get(request.role) or self._answers.get("*")
        if not left:
            raise AssertionError(f"no scripted answer left for role {request.role!r}")
        return left.pop(0)
