"""What a buyer demands of a delivery: a TOML file, one table per criterion.

A criterion without its table is not asked for. An unknown table or key is an error: a demand that
nobody understands must not count as met.
"""

import tomllib
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from facet.errors import InputError
from facet.gates import SEVEN
from facet.types.value import Value
from facet.types.verdict import GateName

Share = Annotated[float, Field(ge=0.0, le=1.0)]
MAX_SPEC = 1_000_000  # bytes


class GatesSpec(Value):
    """Tasks must pass these gates, on the base images they name."""

    require: tuple[GateName, ...] = SEVEN
    min_valid: Share = 1.0  # share of tasks
    allow_replaced_bases: bool = False


class BandSpec(Value):
    """Mean pass rate of one model over the tasks of the delivery."""

    min: Share = 0.0
    max: Share = 1.0
    min_trials: Annotated[int, Field(ge=1)] = 1  # graded trials a task


class ImagesSpec(Value):
    """Base images are pinned by digest."""

    pinned: Literal[True] = True
    allow: tuple[str, ...] = ()  # names that need no digest


class LicencesSpec(Value):
    """Every source of a task is under one of these (SPDX names)."""

    allow: tuple[str, ...]


class GradingSpec(Value):
    """Nothing is installed or fetched while a task is graded."""

    no_install: Literal[True] = True


class DecontaminationSpec(Value):
    """No instruction shares much with a list of known texts."""

    against: str  # file or folder, relative to the spec
    ngram: Annotated[int, Field(ge=2, le=20)] = 5  # words
    max_overlap: Share = 0.2  # share of an instruction's n-grams found in one listed text


class DensitySpec(Value):
    """Enough checks that really tell something."""

    min_mean_checks: Annotated[float, Field(gt=0)]


class DuplicatesSpec(Value):
    """No two instructions are nearly the same."""

    max_similarity: Share = 0.7  # Jaccard similarity of their 5-grams


class Spec(Value):
    """The whole file."""

    name: str = ""
    min_tasks: Annotated[int, Field(ge=1)] = 1
    gates: GatesSpec | None = None
    pass_rates: dict[str, BandSpec] = {}  # by model, as the trials name it
    images: ImagesSpec | None = None
    licences: LicencesSpec | None = None
    grading: GradingSpec | None = None
    decontamination: DecontaminationSpec | None = None
    density: DensitySpec | None = None
    duplicates: DuplicatesSpec | None = None


def read_spec(path: Path) -> Spec:
    """The spec in this file; raises InputError naming file, key and reason."""
    try:
        if path.stat().st_size > MAX_SPEC:
            raise InputError(f"{path}: longer than {MAX_SPEC:,} bytes; is it a spec?")
        document = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: no TOML: {str(error)[:200]}") from error
    try:
        spec = Spec.model_validate(document)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])[:200]
        raise InputError(f"{path}: {where}: {first['msg'][:200]}") from error
    for model, band in spec.pass_rates.items():
        if band.min > band.max:
            raise InputError(f"{path}: pass_rates.{model}: min is above max")
    return spec
