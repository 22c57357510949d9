"""What a verifier left behind -> outcome, reward and checks. Pure: bytes in, values out.

The verdict comes from files, never from printed output; the log is looked at for one thing only,
to say of a verifier that reports nothing but reward 0 that it never started. Reward files are one
flat JSON object of finite numbers or one number; `reward.json` wins over `reward.txt` as in
Harbor, but two that disagree are an error. Not covered: reading the files safely (`trial.py`).
"""

import json
import math
import re
from typing import Any, Literal
from xml.etree import ElementTree

from facet.types.trial import CheckResult, CheckStatus, Outcome
from facet.types.value import Value

REWARD_LIMIT = 64 * 1024
"""Largest reward file, bytes."""
REPORT_LIMIT = 16 * 1024 * 1024
"""Largest CTRF or junit file, bytes."""
TEXT_LIMIT = 4000
CHECK_LIMIT = 5000

REWARD_FILES = ("reward.json", "reward.txt")
CTRF_FILES = ("ctrf.json", "ctrf-report.json")
JUNIT_FILES = ("junit.xml", "results.xml")
REPORT_FILES = (*REWARD_FILES, *CTRF_FILES, *JUNIT_FILES)
"""Every file of /logs/verifier that is read, by name only."""


class Found(Value):
    """One file of the verifier's log folder as it was found."""

    state: Literal["absent", "read", "refused"] = "absent"
    data: bytes = b""
    reason: str = ""  # why it was refused: a link, a FIFO, too large


class Left(Value):
    """What a verifier left: its files, how it ended, the end of its log."""

    files: dict[str, Found] = {}  # by name in REPORT_FILES
    exit: int | None = None  # None: killed at its limit, or its exit code is unknown
    timed_out: bool = False
    log: str = ""

    def file(self, name: str) -> Found:
        """The file of this name; absent when it was not looked for."""
        return self.files.get(name, Found())


class Reading(Value):
    """What the files say."""

    outcome: Outcome
    detail: str = ""  # one line: why
    reward: float | None = None  # None = no reward, never 0
    rewards: dict[str, float] = {}
    checks: tuple[CheckResult, ...] = ()


class _Bad(Exception):
    """A file that is there but says nothing usable; the message is the reason."""


class _NotRun(ValueError):
    """A report that says itself that the checks could not be run."""


NOT_STARTED = re.compile(
    r"(?:pytest|py\.test|python3?|pip3?|uvx?|curl|wget|npx|node|go|cargo): "
    r"(?:command )?not found|No module named '?pytest\b|Could not resolve host"
    r"|Temporary failure (?:in name resolution|resolving)|E: Unable to (?:locate|fetch)"
    r"|No such file or directory: 'pytest'|Failed to fetch",
)
"""Lines that say a test runner could not be had; only read when nothing but reward 0 was left."""

EXITS = {126: "its command cannot be executed", 127: "a command was not found"}


def read_left(left: Left) -> Reading:
    """Decide the outcome of a grading from what the verifier left."""
    faults: list[str] = []
    rewards: dict[str, float] = {}
    checks: tuple[CheckResult, ...] | None = None
    try:
        rewards = read_rewards(left)
    except _Bad as bad:
        faults.append(str(bad))
    try:
        checks = read_checks(left)
    except _Bad as bad:
        faults.append(str(bad))
    reward = rewards.get("reward")
    ended = _ended(left)
    kept = checks or ()

    def no_verdict(detail: str, outcome: Outcome = "verifier_error") -> Reading:
        return Reading(outcome=outcome, detail=detail, rewards=rewards, checks=kept)

    if left.timed_out:
        wrote = f"; a reward of {reward:g} had been written" if reward is not None else ""
        return no_verdict(f"the verifier reached its time limit{wrote}", "verifier_timeout")
    if faults:
        return no_verdict("; ".join(faults) + ended)
    if checks is not None and not checks:
        said = f" although a reward of {reward:g} was written" if reward is not None else ""
        return no_verdict(f"0 checks ran{said}{ended}")
    if reward is None:
        named = f"reward.json names no `reward` among {len(rewards)} numbers" if rewards else ""
        return no_verdict((named or "no reward was written") + ended)
    if checks is None:
        if left.exit in EXITS:
            return no_verdict(
                f"0 checks ran: verifier could not start{ended}; it wrote reward {reward:g}"
            )
        line = _not_started(left.log) if reward == 0 else ""
        if line:
            return no_verdict(f"0 checks ran: verifier could not start ({line})")
        checks = (_reward_as_check(reward),)
    return Reading(
        outcome="graded",
        detail=_graded(reward, checks),
        reward=reward,
        rewards=rewards,
        checks=checks,
    )


def _graded(reward: float, checks: tuple[CheckResult, ...]) -> str:
    failing = sum(c.status in ("failed", "error") for c in checks)
    text = f"reward {reward:g}, {len(checks) - failing} of {len(checks)} checks did not fail"
    odd = (reward >= 1 and failing) or (reward <= 0 and not failing)
    return text + (": the reward contradicts the checks" if odd else "")


def _ended(left: Left) -> str:
    if left.exit is None or left.exit == 0:
        return ""
    if left.exit in EXITS:
        return f" (exit {left.exit}: {EXITS[left.exit]})"
    if left.exit > 128:
        return f" (killed by signal {left.exit - 128})"
    return f" (exit {left.exit})"


def _not_started(log: str) -> str:
    for line in log[-200_000:].splitlines():
        if NOT_STARTED.search(line[:2000]):
            return line.strip()[:200]
    return ""


def _reward_as_check(reward: float) -> CheckResult:
    status: CheckStatus = "passed" if reward >= 1 else "failed"
    return CheckResult(
        id="reward",
        title="the verifier's reward is full",
        status=status,
        message="" if reward >= 1 else f"reward {reward:g}",
        expected="1",
        actual=f"{reward:g}",
    )


# ---- reward files ---------------------------------------------------------------------------


def read_rewards(left: Left) -> dict[str, float]:
    """Every number of the reward files, {} when there is none; raises _Bad."""
    said = {}
    for name, parse in (("reward.json", parse_reward_json), ("reward.txt", parse_reward_text)):
        found = left.file(name)
        if found.state == "refused":
            raise _Bad(f"{name} was refused: {found.reason}")
        if found.state == "read":
            if len(found.data) > REWARD_LIMIT:
                raise _Bad(f"{name} was refused: longer than {REWARD_LIMIT} bytes")
            try:
                said[name] = parse(found.data)
            except ValueError as error:
                raise _Bad(f"{name} cannot be read: {error}") from error
    if len(said) == 2:
        one, other = (said[n].get("reward") for n in REWARD_FILES)
        if one != other:
            raise _Bad(f"reward.json says {_number(one)}, reward.txt says {_number(other)}")
    return next(iter(said.values()), {})


def _number(value: float | None) -> str:
    return "nothing" if value is None else f"{value:g}"


def parse_reward_json(data: bytes) -> dict[str, float]:
    """A flat object of finite numbers, or one number; raises ValueError with the reason.

    An object with a single key is the reward, whatever the key's name.
    """
    value = _json(data)
    if isinstance(value, dict):
        if not value:
            raise ValueError("it is empty")
        numbers = {key: _finite(item, f"{key[:60]!r}") for key, item in value.items()}
        if "reward" not in numbers and len(numbers) == 1:
            return {**numbers, "reward": next(iter(numbers.values()))}
        return numbers
    return {"reward": _finite(value, "it")}


def parse_reward_text(data: bytes) -> dict[str, float]:
    """One finite number, white space around it allowed; raises ValueError with the reason."""
    text = data.decode("utf-8", "replace").strip().removeprefix("\ufeff")
    if not re.fullmatch(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?", text):
        raise ValueError("it is empty" if not text else f"{text[:40]!r} is not one number")
    return {"reward": _finite(float(text), "it")}


def _finite(value: Any, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{what} is {_kind(value)}, not a number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ValueError(f"{what} is not a finite number")
    return number


def _kind(value: Any) -> str:
    names = {bool: "a truth value", str: "text", list: "a list", dict: "an object"}
    return names.get(type(value), "null")


def _json(data: bytes) -> Any:
    """Strict JSON: UTF-8, no key twice, bounded depth; raises ValueError."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        keys = dict(pairs)
        if len(keys) != len(pairs):
            raise ValueError("a key stands in it twice")
        return keys

    try:
        return json.loads(data.decode("utf-8-sig"), object_pairs_hook=once)
    except RecursionError as error:
        raise ValueError("it is nested too deep") from error
    except UnicodeDecodeError as error:
        raise ValueError("it is not UTF-8") from error
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON at line {error.lineno}") from error


# ---- checks ---------------------------------------------------------------------------------


def read_checks(left: Left) -> tuple[CheckResult, ...] | None:
    """Checks of the first report there is (CTRF before junit), None without one; raises _Bad."""
    for names, parse in ((CTRF_FILES, parse_ctrf), (JUNIT_FILES, parse_junit)):
        for name in names:
            found = left.file(name)
            if found.state == "refused":
                raise _Bad(f"{name} was refused: {found.reason}")
            if found.state == "read":
                if len(found.data) > REPORT_LIMIT:
                    raise _Bad(f"{name} was refused: longer than {REPORT_LIMIT} bytes")
                try:
                    return _unique(parse(found.data))
                except _NotRun as error:
                    raise _Bad(f"the checks could not be run: {error}") from error
                except ValueError as error:
                    raise _Bad(f"{name} cannot be read: {error}") from error
    return None


def _unique(checks: list[CheckResult]) -> tuple[CheckResult, ...]:
    """No two checks with one id: the second gets `#2`, so none is lost."""
    taken: dict[str, int] = {}
    out = []
    for check in checks:
        number = taken[check.id] = taken.get(check.id, 0) + 1
        name = check.id
        while number > 1 and (name := f"{check.id}#{number}") in taken:
            number += 1
        taken.setdefault(name, 1)
        out.append(check if name == check.id else check.model_copy(update={"id": name}))
    return tuple(out)


def parse_ctrf(data: bytes) -> list[CheckResult]:
    """Checks of a Common Test Report; raises ValueError, also for the faults it reports."""
    value = _json(data)
    results = value.get("results") if isinstance(value, dict) else None
    if not isinstance(results, dict) or not isinstance(results.get("tests"), list):
        raise ValueError("it has no results.tests")
    extra = results.get("extra")
    errors = extra.get("errors") if isinstance(extra, dict) else None
    if isinstance(errors, list) and errors:
        first = str(errors[0])
        line = next((s for s in reversed(first.splitlines()) if s.strip()), "")
        head = first.splitlines()[0] if first else ""
        raise _NotRun(_two(head, line))
    if len(results["tests"]) > CHECK_LIMIT:
        raise ValueError(f"more than {CHECK_LIMIT} tests")
    return [_ctrf_test(test) for test in results["tests"]]


def _two(head: str, line: str) -> str:
    return head[:300] if line == head or not line else f"{head[:200]}: {line.strip()[:300]}"


_STATUS: dict[str, CheckStatus] = {
    "passed": "passed",
    "failed": "failed",
    "error": "error",
    "skipped": "skipped",
    "pending": "skipped",
}


def _ctrf_test(test: Any) -> CheckResult:
    if not isinstance(test, dict) or not isinstance(test.get("name"), str):
        raise ValueError("a test without a name")
    raw, status = test.get("rawStatus"), test.get("status")
    ours = raw if raw in ("error", "passed", "failed", "skipped") else status
    given = test.get("extra")
    extra = given if isinstance(given, dict) else {}
    name = test["name"]
    line = test.get("line")
    paths = extra.get("paths")
    kept = [p for p in paths if isinstance(p, str)] if isinstance(paths, list) else []
    return CheckResult(
        id=_text(extra.get("id")) or name[:500],
        title=_text(extra.get("title")) or name[:500],
        status=_STATUS.get(str(ours), "error"),
        message=_text(test.get("message")) or _text(test.get("trace")),
        expected=_text(extra.get("expected")),
        actual=_text(extra.get("actual")),
        paths=tuple(p[:500] for p in kept[:20]),
        file=_text(test.get("filePath")),
        line=line if isinstance(line, int) and not isinstance(line, bool) else None,
        weight=_positive(extra.get("weight"), 1.0),
        guard=extra.get("guard") is True,
        duration_s=_positive(test.get("duration"), 0.0) / 1000,
    )


def _text(value: Any) -> str:
    if not isinstance(value, str):
        return ""
    clean = value.encode("utf-8", "replace").decode()
    return clean if len(clean) <= TEXT_LIMIT else clean[:TEXT_LIMIT] + " …"


def _positive(value: Any, otherwise: float) -> float:
    try:
        number = _finite(value, "it")
    except ValueError:
        return otherwise
    return number if number > 0 else otherwise


def parse_junit(data: bytes) -> list[CheckResult]:
    """Checks of a junit XML report; raises ValueError. A document type is refused."""
    if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
        raise ValueError("it declares a document type")
    try:
        root = ElementTree.fromstring(data)
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise ValueError(f"not XML: {str(error)[:100]}") from error
    if root.tag not in ("testsuites", "testsuite"):
        raise ValueError("it has no testsuite")
    cases = list(root.iter("testcase"))
    if len(cases) > CHECK_LIMIT:
        raise ValueError(f"more than {CHECK_LIMIT} tests")
    return [_junit_case(case) for case in cases]


def _junit_case(case: ElementTree.Element) -> CheckResult:
    name, owner = case.get("name", ""), case.get("classname", "")
    status: CheckStatus = "passed"
    message = ""
    for tag, meaning in (("skipped", "skipped"), ("failure", "failed"), ("error", "error")):
        node = case.find(tag)
        if node is not None:
            status = _STATUS[meaning]
            message = node.get("message") or node.text or ""
    try:
        seconds = float(case.get("time", "0"))
    except ValueError:
        seconds = 0.0
    return CheckResult(
        id=(f"{owner}::{name}" if owner else name)[:500] or "unnamed",
        title=name[:500],
        status=status,
        message=_text(message),
        file=_text(case.get("file", "")),
        duration_s=_positive(seconds, 0.0),
    )
