"""What filling one page may cost, so that no page is filled for ever."""

import time
from dataclasses import dataclass, field

from graph.context import Context
from graph.resolvers.paging import ShortPageReason


@dataclass(slots=True)
class Budget:
    """Database calls, and seconds on the clock."""

    calls: int
    seconds: float
    _begun: float = field(default_factory=time.monotonic)

    @classmethod
    def of(cls, context: Context) -> "Budget":
        """Return a fresh budget, as the settings say."""
        settings = context.services.settings
        return cls(settings.read_budget_pages, settings.read_budget_seconds)

    def spend(self, calls: int) -> None:
        """Take some calls off the budget."""
        self.calls -= calls

    @property
    def spent(self) -> ShortPageReason | None:
        """Which part of the budget is used up, if one is."""
        if self.calls <= 0:
            return ShortPageReason.READ_BUDGET
        if time.monotonic() - self._begun >= self.seconds:
            return ShortPageReason.TIME_BUDGET
        return None
