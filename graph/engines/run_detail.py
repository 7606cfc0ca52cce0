"""What happened inside a run: its events, each at its state, and its states, each with what became of it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property

from graph.engines.engine import Engine
from graph.engines.reading import Gap, HistoryReading
from graph.execution_warnings import ExecutionWarning, ExecutionWarningCode
from graph.history import (
    AttributedEvent,
    Attribution,
    Definition,
    DefinitionError,
    Event,
    EventKind,
    StageSummary,
    Visit,
    attribute,
    frame,
    roll_up,
)

_MOST_NAMED = 10  # oddities of one definition, types of one history


class StageSource(Enum):
    """What the stages of a run are known from."""

    DEFINITION = "DEFINITION"
    HISTORY = "HISTORY"
    NONE = "NONE"


@dataclass(frozen=True, slots=True)
class Bounds:
    """What is read and shown of one run: bytes of its definition, stages, containers around a stage."""

    definition_bytes: int
    stages: int
    depth: int


@dataclass(frozen=True)
class RunDetail:
    """The detail of a run, built from one reading of its history, which may have left out a gap.

    ``definition_warnings`` say what its stages lack, ``history_warnings`` what its events and visits do.
    """

    attribution: Attribution
    stages: Sequence[StageSummary]
    stage_source: StageSource
    definition_warnings: Sequence[ExecutionWarning] = ()
    history_warnings: Sequence[ExecutionWarning] = ()
    gap: Gap | None = None
    definition: Definition | None = field(default=None, repr=False)

    @property
    def is_complete(self) -> bool:
        """Whether every event was read."""
        return self.attribution.is_complete

    @property
    def warnings(self) -> Sequence[ExecutionWarning]:
        """What was not read or is not shown."""
        return (*self.definition_warnings, *self.history_warnings)

    def stage(self, name: str) -> StageSummary | None:
        """Return the stage of a name."""
        return self._stages.get(name)

    @cached_property
    def events(self) -> Sequence[AttributedEvent]:
        """Every event that was read, oldest first. The first use takes a while: keep it off the loop."""
        return tuple(self.attribution)

    def events_with(self, more: Sequence[Event]) -> Sequence[AttributedEvent]:
        """Return every event, with some that were read later, oldest first. Takes a while: keep it off the loop."""
        if not more:
            return self.events
        known = self.attribution
        return tuple(attribute([*known.events, *more], self.definition, read_to_end=known.read_to_end))

    def events_of(self, visit: Visit) -> Sequence[AttributedEvent]:
        """Return the events of a visit, oldest first. The first use takes a while: keep it off the loop."""
        return self._events.get(visit, ())

    @cached_property
    def _stages(self) -> Mapping[str, StageSummary]:
        return {stage.name: stage for stage in self.stages}

    @cached_property
    def _events(self) -> Mapping[Visit, Sequence[AttributedEvent]]:
        found: dict[Visit, list[AttributedEvent]] = {}
        for event in self.events:
            if event.visit is not None:
                found.setdefault(event.visit, []).append(event)
        return found


def build_run_detail(
    engine: Engine,
    definition: str | None,
    history: HistoryReading,
    bounds: Bounds,
    without_definition: ExecutionWarning | None = None,
) -> RunDetail:
    """Build the detail from a definition, if known, and the events read. Takes a while: keep off the loop.

    ``without_definition`` says why it is not known.
    """
    said = [without_definition] if without_definition is not None else []
    states: Definition | None = None
    if definition is not None:
        try:
            states = engine.parse(definition, bounds.definition_bytes)
            said.extend(_odd(states.warnings))
        except DefinitionError as error:
            code = ExecutionWarningCode.DEFINITION_UNAVAILABLE
            said.append(ExecutionWarning(code, f"The definition cannot be read: {error}."))
    shown = frame(states, max_stages=bounds.stages, max_depth=bounds.depth) if states is not None else None
    cuts = list(shown.cuts) if shown is not None else []
    attribution = attribute(history.events, states, read_to_end=history.read_to_end)
    framed = {state.name for state in shown.states} if shown is not None else set()
    cut = states.states.keys() - framed if states is not None else set()
    found = [stage for stage in roll_up(shown, attribution) if stage.name not in cut]
    if len(found) > bounds.stages:
        cuts.append(f"{len(found) - bounds.stages} states after the first {bounds.stages}")
    said.extend(ExecutionWarning(ExecutionWarningCode.STAGES_CUT, f"Not shown: {cut}.") for cut in cuts)
    stages = found[: bounds.stages]
    source = StageSource.DEFINITION if shown is not None else StageSource.HISTORY if stages else StageSource.NONE
    return RunDetail(attribution, stages, source, said, list(_of_history(history)), history.gap, states)


def _of_history(history: HistoryReading) -> Iterator[ExecutionWarning]:
    if history.warning is not None:
        yield history.warning
    unknown = dict.fromkeys(event.type for event in history.events if event.kind is EventKind.OTHER)
    if unknown:
        named = ", ".join([*unknown][:_MOST_NAMED])
        code = ExecutionWarningCode.EVENT_UNKNOWN
        yield ExecutionWarning(code, f"Events of types that this release does not know tell nothing: {named}.")


def _odd(oddities: Sequence[str]) -> Iterator[ExecutionWarning]:
    code = ExecutionWarningCode.DEFINITION_ODD
    for oddity in oddities[:_MOST_NAMED]:
        yield ExecutionWarning(code, f"Odd definition: {oddity}.")
    if len(oddities) > _MOST_NAMED:
        yield ExecutionWarning(code, f"Odd definition: {len(oddities) - _MOST_NAMED} more of the kind.")
