"""The order of an execution's steps. Pure.

Each step but the first names its predecessor. Where that chain is broken, the order is the one that the workflow
planned at launch, then whatever it does not name, then the step that ends the chain. No step is ever lost, and the same
pipeline used twice stays two steps.
"""

from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from graph.tables import keys
from graph.tables.records.steps import StepRow


class Chain:
    """The steps of one execution, in order."""

    def __init__(self, steps: Sequence[StepRow]) -> None:
        self.steps = tuple(steps)

    @cached_property
    def _positions(self) -> Mapping[str, int]:
        return {step.pipeline_execution_id: position for position, step in enumerate(self.steps)}

    def position(self, pipeline_execution_id: str) -> int | None:
        """Return the 0-based place of a step; None when the execution has no such step."""
        return self._positions.get(pipeline_execution_id)

    def neighbour(self, pipeline_execution_id: str, distance: int) -> StepRow | None:
        """Return the step at a distance (negative: before) from another."""
        position = self.position(pipeline_execution_id)
        if position is None or not 0 <= position + distance < len(self.steps):
            return None
        return self.steps[position + distance]

    @property
    def end(self) -> StepRow | None:
        """The step that is marked as the end of the chain."""
        return next((step for step in reversed(self.steps) if step.is_end_state), None)


def linked(steps: Sequence[StepRow]) -> Chain | None:
    """Return the chain as its links say; None when they do not lead from one root through every step."""
    successors: dict[str, StepRow] = {step.predecessor_id: step for step in steps}
    ordered: list[StepRow] = []
    step = successors.get("")
    while step is not None and len(ordered) < len(steps):
        ordered.append(step)
        step = successors.get(step.pipeline_execution_id)
    return Chain(ordered) if len(ordered) == len(steps) else None


def planned(steps: Sequence[StepRow], snapshot: Sequence[Mapping[str, Any]]) -> Chain:
    """Return the chain in the order that the workflow planned, for steps whose links are broken."""
    places: dict[str, deque[int]] = defaultdict(deque)
    for place, entry in enumerate(snapshot):
        key = keys.pipeline_key(str(entry.get("pipelineDatabaseId", "")), str(entry.get("pipelineId", "")))
        places[key].append(place)

    ranks: dict[str, tuple[bool, int, str]] = {}
    for step in sorted(steps, key=lambda step: step.pipeline_execution_id):
        free = places[step.pipeline_key]
        place = free.popleft() if free else len(snapshot)
        ranks[step.pipeline_execution_id] = (step.is_end_state, place, step.pipeline_execution_id)
    return Chain(sorted(steps, key=lambda step: ranks[step.pipeline_execution_id]))
