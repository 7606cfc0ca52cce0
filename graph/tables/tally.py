"""What one operation cost at AWS: of the database calls, dependent rounds, consumed capacity."""

from collections import Counter
from dataclasses import dataclass, field


@dataclass(slots=True)
class Tally:
    """Counts of one operation. ``capacity`` is in read units, as DynamoDB reports them; ``services`` counts the others.

    A call that starts when nothing has answered yet is in the first round; one that starts after a call of round n has
    answered may depend on it and is in round n + 1. So ``rounds`` is never less than the true depth.
    """

    calls: int = 0
    rounds: int = 0
    capacity: float = 0.0
    services: Counter[str] = field(default_factory=Counter)
    _answered: int = 0

    def start(self) -> int:
        """Count a call and return its round."""
        self.calls += 1
        current = self._answered + 1
        self.rounds = max(self.rounds, current)
        return current

    def finish(self, current: int, capacity: float) -> None:
        """Count the answer of a call of the given round."""
        self._answered = max(self._answered, current)
        self.capacity += capacity
