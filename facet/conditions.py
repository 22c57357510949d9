"""What a trial varies on purpose, to see whether a verdict depends on it."""

from facet.types.value import Value

FAKETIME = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1"
"""Where base images keep libfaketime."""


class Conditions(Value):
    """The plain run leaves all of it empty."""

    check_order_seed: int | None = None  # shuffles the checks
    clock_shift: str = ""  # libfaketime offset such as "+400d"; services keep the real clock
    env: tuple[tuple[str, str], ...] = ()  # e.g. LANG, TZ: for actor and verifier

    def for_script(self) -> dict[str, str]:
        """Environment of a script of the image: the actor's, or a foreign test.sh."""
        env = dict(self.env)
        if self.clock_shift:
            # the monotonic clock shifts too: left alone, Python's subprocess timeouts raise EINVAL
            env |= {"LD_PRELOAD": FAKETIME, "FAKETIME": self.clock_shift}
        return env | self._order()

    def for_runner(self) -> dict[str, str]:
        """Environment of the grading runner, which brings its own libfaketime."""
        clock = {"FACET_CLOCK": self.clock_shift} if self.clock_shift else {}
        return dict(self.env) | clock | self._order()

    def _order(self) -> dict[str, str]:
        seed = self.check_order_seed
        return {} if seed is None else {"FACET_CHECK_ORDER": str(seed)}
