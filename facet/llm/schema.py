"""Reply types as JSON schemas, and replies back into types.

Two conveniences for models, none for us: a planned file may carry `text` instead of base64
`data`, and a reply may stand in a fenced block or after some prose. Everything else is strict.
Not covered: what a reply means. That is the stages' and gates' business.
"""

import base64
import json
import re
from typing import Any

from pydantic import ValidationError
from pydantic_core import from_json

from facet.errors import ReplyError
from facet.types.asks import EnvironmentReply
from facet.types.value import Value, canonical_json

MAX_REPLY_BYTES = 8_000_000
_FENCE = re.compile(r"```[a-zA-Z]*\s*\n(.*?)\n\s*```", re.S)


def reply_schema(reply: type[Value]) -> dict[str, Any]:
    """JSON schema of a reply type, with `text` offered where a planned file has content."""
    schema = reply.model_json_schema()
    planned = schema.get("$defs", {}).get("PlannedFile")
    if planned is not None:
        planned["properties"].pop("data", None)
        planned["properties"]["text"] = {
            "anyOf": [{"type": "string"}, {"type": "null"}],
            "default": None,
            "title": "Text",
            "description": "content of a file as text, written exactly as it must be on disk",
        }
    return schema


def schema_text(reply: type[Value]) -> str:
    """The schema as compact JSON, for prompts."""
    return json.dumps(reply_schema(reply), ensure_ascii=False, separators=(",", ":"))


def parse_reply[R: Value](reply: type[R], text: str) -> R:
    """The reply as its type. ReplyError says what does not fit, in a few lines a model can use."""
    if len(text) > MAX_REPLY_BYTES:
        raise ReplyError(f"the reply is {len(text)} characters long, over {MAX_REPLY_BYTES}")
    data = _json_of(text)
    if issubclass(reply, EnvironmentReply):
        data = _with_data(data)
    try:
        return reply.model_validate_json(canonical_json(data))
    except ValidationError as error:
        lines = [
            f"{'.'.join(str(p) for p in e['loc']) or 'reply'}: {e['msg']}"[:300]
            for e in error.errors(include_url=False, include_context=False, include_input=False)[:8]
        ]
        more = error.error_count() - len(lines)
        if more > 0:
            lines.append(f"and {more} more")
        raise ReplyError(f"does not fit {reply.__name__}: " + "; ".join(lines)) from error
    except (ValueError, RecursionError) as error:
        raise ReplyError(f"does not fit {reply.__name__}: {error}"[:400]) from error


def _json_of(text: str) -> Any:
    """The JSON object in a reply: all of it, else the last fenced block, else the outer braces."""
    stripped = text.strip()
    if not stripped:
        raise ReplyError("the reply is empty")
    tries = [stripped]
    fenced = _FENCE.findall(stripped)
    if fenced:
        tries.append(fenced[-1])
    start, end = stripped.find("{"), stripped.rfind("}")
    if 0 <= start < end:
        tries.append(stripped[start : end + 1])
    problem = ""
    for candidate in tries:
        try:
            found = from_json(candidate.encode("utf-8", "replace"), allow_inf_nan=False)
        except ValueError as error:
            problem = problem or str(error)
            continue
        if isinstance(found, dict):
            return found
        problem = problem or f"a JSON object is needed, not a {type(found).__name__}"
    raise ReplyError(f"not JSON: {problem}"[:300])


def _with_data(data: Any) -> Any:
    """Turn `text` of planned files into base64 `data`."""
    manifest = data.get("manifest") if isinstance(data, dict) else None
    files = manifest.get("files") if isinstance(manifest, dict) else None
    if not isinstance(manifest, dict) or not isinstance(files, list):
        return data
    new: list[Any] = []
    for file in files:
        if isinstance(file, dict) and "text" in file:
            file = dict(file)
            text = file.pop("text")
            if isinstance(text, str) and file.get("data") is None:
                file["data"] = base64.b64encode(text.encode("utf-8", "replace")).decode()
        new.append(file)
    return {**data, "manifest": {**manifest, "files": new}}
