"""A local HTTP server that answers as told, for tests of providers through the real SDKs."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple


class Answer(NamedTuple):
    """One HTTP answer; `cut` closes the connection after that many bytes of the body."""

    status: int = 200
    body: bytes = b"{}"
    headers: dict[str, str] = {}
    cut: int | None = None


class Server(NamedTuple):
    url: str
    requests: list[dict[str, Any]]  # parsed bodies, in order


@contextmanager
def answering(*answers: Answer) -> Iterator[Server]:
    """A server that gives these answers in order, then 599 for ever."""
    left = list(answers)
    seen: list[dict[str, Any]] = []
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            with lock:
                seen.append({"path": self.path, **json.loads(body)})
                answer = left.pop(0) if left else Answer(599, b"no answer left")
            self.send_response(answer.status)
            self.send_header("content-length", str(len(answer.body)))
            for name, value in {"content-type": "application/json", **answer.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer.body if answer.cut is None else answer.body[: answer.cut])
            self.close_connection = True

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield Server(f"http://127.0.0.1:{server.server_port}", seen)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def error(status: int, kind: str = "error", **headers: str) -> Answer:
    """An API error with a JSON body."""
    body = {"type": "error", "error": {"type": kind, "message": f"{kind} says no"}}
    names = {k.replace("_", "-"): v for k, v in headers.items()}
    return Answer(status, json.dumps(body).encode(), names)


def chat(text: str | None, *, finish: str = "stop", **message: Any) -> Answer:
    """An OpenAI chat completion."""
    body = {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish,
                "message": {"role": "assistant", "content": text, **message},
            }
        ],
        "usage": {
            "prompt_tokens": 100,
            "completion_tokens": 20,
            "total_tokens": 120,
            "prompt_tokens_details": {"cached_tokens": 40},
        },
    }
    return Answer(200, json.dumps(body).encode())


def stream(reply: Any, *, stop: str = "tool_use", cut: int | None = None) -> Answer:
    """An Anthropic event stream whose one tool call has this input."""
    usage = {"input_tokens": 60, "output_tokens": 1, "cache_read_input_tokens": 40}
    events: list[dict[str, Any]] = [
        {
            "type": "message_start",
            "message": {
                "id": "m1",
                "type": "message",
                "role": "assistant",
                "model": "m",
                "content": [],
                "stop_reason": None,
                "stop_sequence": None,
                "usage": usage,
            },
        },
        {
            "type": "content_block_start",
            "index": 0,
            "content_block": {"type": "tool_use", "id": "t1", "name": "reply", "input": {}},
        },
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "input_json_delta", "partial_json": json.dumps(reply)},
        },
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": stop, "stop_sequence": None},
            "usage": {"output_tokens": 20},
        },
        {"type": "message_stop"},
    ]
    return events_answer(events, cut=cut)


def events_answer(events: list[dict[str, Any]], *, cut: int | None = None) -> Answer:
    """Server-sent events."""
    text = "".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events)
    return Answer(200, text.encode(), {"content-type": "text/event-stream"}, cut)
