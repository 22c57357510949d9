"""The criteria of an acceptance: one table, and for each a pure function to an answer.

`met`, `not met` or `not assessed`: what could not be found out is never met. A finding that fails
one task decides, also where others could not be assessed.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from facet.accept.delivery import Delivery
from facet.accept.sources import installs, licences_of, unpinned
from facet.accept.spec import BandSpec, Spec
from facet.accept.trials import Trials
from facet.accept.words import near_duplicates, overlaps
from facet.types.value import Value
from facet.validation import Verdict

Status = Literal["met", "not met", "not assessed"]
MOST_ITEMS = 200


class Criterion(Value):
    """One answer."""

    name: str
    title: str
    status: Status
    wanted: str  # what the spec demands
    found: str  # one line
    items: tuple[str, ...] = ()  # what stands against it: tasks, files, lines


class Evidence(Value):
    """All that criteria look at."""

    delivery: Delivery
    trials: Trials | None = None  # None: none were given
    known: tuple[tuple[str, str], ...] = ()  # name and text of the decontamination list


type Answer = tuple[Status, str, Sequence[str]]  # status, found, items


def assess(spec: Spec, evidence: Evidence) -> tuple[Criterion, ...]:
    """Every criterion that the spec asks for, in the order of `CRITERIA`."""
    found = []
    for name, title, wanted, ask in CRITERIA:
        demand = wanted(spec)
        if demand:
            status, line, items = ask(spec, evidence)
            found.append(
                Criterion(
                    name=name,
                    title=title,
                    status=status,
                    wanted=demand,
                    found=line,
                    items=tuple(items)[:MOST_ITEMS],
                )
            )
    for model, band in spec.pass_rates.items():
        status, line, items = _pass_rate(model, band, evidence)
        demand = f"{band.min:.0%} to {band.max:.0%}, {band.min_trials} graded trials a task"
        found.append(
            Criterion(
                name=f"pass_rates.{model}",
                title=f"Pass rate of {model}",
                status=status,
                wanted=demand,
                found=line,
                items=tuple(items)[:MOST_ITEMS],
            )
        )
    return tuple(found)


def not_asked(spec: Spec) -> tuple[str, ...]:
    """Names of criteria that this spec leaves out."""
    names = [name for name, _, wanted, _ in CRITERIA if not wanted(spec)]
    return (*names, *(() if spec.pass_rates else ("pass_rates",)))


def accepted(criteria: Sequence[Criterion]) -> bool:
    """Something was asked for, and all of it is met."""
    return bool(criteria) and all(c.status == "met" for c in criteria)


def _decided(bad: Sequence[str], open_: Sequence[str], good: str, wrong: str) -> Answer:
    """Not met by what is wrong, else not assessed by what is open, else met."""
    if bad:
        return "not met", f"{len(bad)} {wrong}", (*bad, *open_)
    if open_:
        return "not assessed", f"{len(open_)} could not be assessed", open_
    return "met", good, ()


def _size(spec: Spec, evidence: Evidence) -> Answer:
    count = len(evidence.delivery.readable)
    status: Status = "met" if count >= spec.min_tasks else "not met"
    return status, f"{count} readable tasks", evidence.delivery.unreadable


def _gates(spec: Spec, evidence: Evidence) -> Answer:
    wanted = spec.gates
    assert wanted is not None
    bad: list[str] = []
    open_: list[str] = []
    for item in evidence.delivery.items:
        verdict = item.verdict
        if verdict is None:
            open_.append(f"{item.name}: not judged: {evidence.delivery.trouble or 'no verdict'}")
        elif verdict.bases and not wanted.allow_replaced_bases:
            open_.append(f"{item.name}: judged on other bases: {', '.join(verdict.bases)}")
        elif verdict.state in ("invalid", "broken"):
            bad.append(f"{item.name}: {verdict.line}")
        elif verdict.state != "valid":
            open_.append(f"{item.name}: {verdict.line}")
        elif missing := [g for g in wanted.require if not _passed(verdict, g)]:
            open_.append(f"{item.name}: gate {missing[0]} was not asked")
    total = len(evidence.delivery.items)
    good = total - len(bad) - len(open_)
    line = f"{good} of {total} tasks pass"
    if good >= wanted.min_valid * total:
        return "met", line, (*bad, *open_)
    if good + len(open_) < wanted.min_valid * total:
        return "not met", f"{line}, {len(bad)} do not", (*bad, *open_)
    return "not assessed", f"{line}, {len(open_)} could not be assessed", (*bad, *open_)


def _passed(verdict: Verdict, gate: str) -> bool:
    parts = verdict.steps or (verdict,)
    return all(
        any(g.name == gate and g.status in ("passed", "not_applicable") for g in part.gates)
        for part in parts
    )


def _images(spec: Spec, evidence: Evidence) -> Answer:
    assert spec.images is not None
    allow = spec.images.allow
    bad = [
        f"{i.name}: {u}" for i, task in evidence.delivery.readable for u in unpinned(task, allow)
    ]
    good = "every base image is pinned by digest or allowed by name"
    return _decided(bad, evidence.delivery.unreadable, good, "base images are not pinned")


def _licences(spec: Spec, evidence: Evidence) -> Answer:
    assert spec.licences is not None
    allowed = {name.casefold() for name in spec.licences.allow}
    bad: list[str] = []
    open_ = list(evidence.delivery.unreadable)
    seen: dict[str, int] = {}
    for item, _ in evidence.delivery.readable:
        named = licences_of(item)
        for licence in named:
            seen[licence] = seen.get(licence, 0) + 1
            if licence.casefold() not in allowed:
                where = open_ if licence in ("none named", "not recognized") else bad
                where.append(f"{item.name}: licence {licence}")
        if not named:
            open_.append(f"{item.name}: names no licence")
    good = ", ".join(f"{n} under {name}" for name, n in sorted(seen.items()))
    return _decided(bad, open_, good, "licences are not allowed")


def _grading(spec: Spec, evidence: Evidence) -> Answer:
    bad = [f"{i.name}: {line}" for i, task in evidence.delivery.readable for line in installs(task)]
    good = "no test installs or fetches anything"
    return _decided(bad, evidence.delivery.unreadable, good, "lines install or fetch while grading")


def _decontamination(spec: Spec, evidence: Evidence) -> Answer:
    wanted = spec.decontamination
    assert wanted is not None
    if not evidence.known:
        return "not assessed", f"{wanted.against} holds no text", ()
    texts = {i.path: task.instruction.text for i, task in evidence.delivery.readable}
    names = {i.path: i.name for i in evidence.delivery.items}
    likes = overlaps(texts, evidence.known, wanted.ngram)
    bad = [
        f"{names[like.name]}: {like.share:.0%} of its {wanted.ngram}-grams are in {like.other}"
        for like in sorted(likes, key=lambda like: -like.share)
        if like.share > wanted.max_overlap
    ]
    highest = max((like.share for like in likes), default=0.0)
    good = f"largest overlap {highest:.0%} with {len(evidence.known)} known texts"
    return _decided(bad, evidence.delivery.unreadable, good, "instructions overlap too much")


def _density(spec: Spec, evidence: Evidence) -> Answer:
    wanted = spec.density
    assert wanted is not None
    counts: dict[str, int] = {}
    open_ = []
    for item in evidence.delivery.items:
        if item.verdict is None or not item.verdict.checks:
            open_.append(f"{item.name}: its checks were not run")
        else:
            counts[item.name] = counted_checks(item.verdict)
    if open_:
        return "not assessed", f"checks of {len(open_)} tasks were not run", open_
    mean = sum(counts.values()) / len(counts) if counts else 0.0
    line = f"{mean:.2f} counted checks a task"
    few = [f"{name}: {n}" for name, n in sorted(counts.items()) if n < wanted.min_mean_checks]
    return ("met" if mean >= wanted.min_mean_checks else "not met"), line, few


def counted_checks(verdict: Verdict) -> int:
    """Checks that fail before and pass after the solution; guards and dead ones are not counted."""
    return sum(
        c.before in ("failed", "error") and c.after == "passed" and not c.guard
        for c in verdict.checks
    )


def _duplicates(spec: Spec, evidence: Evidence) -> Answer:
    wanted = spec.duplicates
    assert wanted is not None
    names = {i.path: i.name for i in evidence.delivery.items}
    texts = {i.path: task.instruction.text for i, task in evidence.delivery.readable}
    bad = [
        f"{names[like.name]} is {like.share:.0%} like {names[like.other]}"
        for like in near_duplicates(texts, wanted.max_similarity)
    ]
    good = f"no two of {len(texts)} instructions are nearly the same"
    return _decided(bad, evidence.delivery.unreadable, good, "pairs of instructions are alike")


def _pass_rate(model: str, band: BandSpec, evidence: Evidence) -> Answer:
    if evidence.trials is None:
        return "not assessed", "no trial results were given (--trials DIR)", ()
    by_task = evidence.trials.of(model)
    rates: list[float] = []
    open_ = []
    for item, task in evidence.delivery.readable:
        rewards = _rewards(by_task, (item.name, task.name, task.name.rpartition("/")[2]))
        graded = [r for r in rewards if r is not None]
        if len(graded) < band.min_trials:
            open_.append(f"{item.name}: {len(graded)} graded trials of {len(rewards)}")
        else:
            rates.append(sum(r >= 1.0 for r in graded) / len(graded))
    open_ += evidence.delivery.unreadable
    if open_ or not rates:
        return "not assessed", f"{len(open_)} tasks have too few graded trials", open_
    mean = sum(rates) / len(rates)
    solved = sum(r > 0 for r in rates)
    line = f"{mean:.1%} over {len(rates)} tasks ({solved} solved at least once)"
    return ("met" if band.min <= mean <= band.max else "not met"), line, ()


def _rewards(by_task: Mapping[str, list[float | None]], names: Sequence[str]) -> list[float | None]:
    return next((by_task[name] for name in dict.fromkeys(names) if name in by_task), [])


type Row = tuple[str, str, Callable[[Spec], str], Callable[[Spec, Evidence], Answer]]

CRITERIA: tuple[Row, ...] = (
    ("size", "Size", lambda s: f"at least {s.min_tasks} readable tasks", _size),
    (
        "gates",
        "Gates",
        lambda s: (
            f"{s.gates.min_valid:.0%} of tasks pass {len(s.gates.require)} gates" if s.gates else ""
        ),
        _gates,
    ),
    ("images", "Pinned images", lambda s: "digests of base images" if s.images else "", _images),
    (
        "licences",
        "Licences",
        lambda s: f"only {', '.join(s.licences.allow)}" if s.licences else "",
        _licences,
    ),
    (
        "grading",
        "No install at grading",
        lambda s: "tests install and fetch nothing" if s.grading else "",
        _grading,
    ),
    (
        "decontamination",
        "Decontamination",
        lambda s: (
            f"at most {s.decontamination.max_overlap:.0%} of {s.decontamination.ngram}-grams"
            if s.decontamination
            else ""
        ),
        _decontamination,
    ),
    (
        "density",
        "Density",
        lambda s: (
            f"at least {s.density.min_mean_checks:g} counted checks a task" if s.density else ""
        ),
        _density,
    ),
    (
        "duplicates",
        "Duplicates",
        lambda s: f"no pair above {s.duplicates.max_similarity:.0%}" if s.duplicates else "",
        _duplicates,
    ),
)
"""Name, title, what the spec wants ("" = not asked), and who answers. Pass rates come last."""
