"""What every model call has in common."""

from typing import ClassVar

from facet.types.value import Value


class Ask[R: Value](Value):
    """A request to a model. Subclasses name their role and reply type."""

    role: ClassVar[str]
    reply: ClassVar[type[Value]]
    nonce: str = ""  # run seed and seed id; never rendered
    attempt: int = 0  # 0 = first; a retry is a new call
