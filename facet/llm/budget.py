"""Limits a user set: checked before a call, so that no call is made beyond them."""

import threading

from facet.errors import BudgetExceeded


class Budget:
    """Calls and dollars of one run. Safe for threads.

    Calls are counted before they are made, so their limit is exact. A call's dollars are known
    only afterwards: with several workers, calls already under way may pass the dollar limit.
    """

    def __init__(
        self,
        *,
        usd: float | None = None,
        max_calls: int | None = None,
        spent_usd: float = 0.0,
        calls: int = 0,
    ) -> None:
        self.usd = usd
        self.max_calls = max_calls
        self.spent_usd = spent_usd
        self.calls = calls
        self.unknown = 0  # calls whose price is not known
        self._lock = threading.Lock()

    def take(self) -> None:
        """Count a call about to be made; BudgetExceeded says which limit it would pass."""
        with self._lock:
            if self.max_calls is not None and self.calls >= self.max_calls:
                raise BudgetExceeded(f"--max-calls {self.max_calls} is used up")
            if self.usd is not None and self.spent_usd >= self.usd:
                raise BudgetExceeded(
                    f"--budget-usd {self.usd:g} is used up ({self.spent_usd:.4f} spent)"
                )
            self.calls += 1

    def settle(self, dollars: float | None) -> None:
        """Add what a call cost."""
        with self._lock:
            if dollars is None:
                self.unknown += 1
            else:
                self.spent_usd += dollars

    @property
    def dollars(self) -> float | None:
        """What was spent; None when the price of any call was unknown."""
        return None if self.unknown else self.spent_usd
