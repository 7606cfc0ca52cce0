import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from graph.aws.calls import Caller
from graph.demo.logs import log_clients
from graph.demo.script import Script
from graph.engines.reading import HistoryReading
from graph.engines.run_detail import Bounds, RunDetail, StageSource, build_run_detail
from graph.engines.stepfunctions import StepFunctions
from graph.execution_warnings import ExecutionWarning, ExecutionWarningCode
from graph.history import StageStatus, parse_event
from tests.harness import told

MACHINE = {
    "StartAt": "A",
    "States": {"A": {"Type": "Task", "Next": "B"}, "B": {"Type": "Task", "Next": "Nowhere"}},
}


def look(
    definition: str | None,
    *,
    read_to_end: bool = True,
    bounds: Bounds | None = None,
    more: Sequence[Any] = (),
    **history: Any,
) -> RunDetail:
    script = Script(datetime(2026, 7, 14, tzinfo=UTC))
    script.task("A", 0)
    caller = Caller(concurrency=1, attempts=1)
    engine = StepFunctions(log_clients().states, caller)
    caller.close()
    events = [parse_event(event) for event in [*script.events, *more]]
    reading = HistoryReading(events, read_to_end, **history)
    return build_run_detail(engine, definition, reading, bounds or Bounds(100_000, 50, 3))


def statuses(detail: RunDetail) -> dict[str, StageStatus]:
    return {stage.name: stage.status for stage in detail.stages}


def test_a_definition_gives_the_states_that_the_history_does_not_have() -> None:
    detail = look(json.dumps(MACHINE))
    assert detail.stage_source is StageSource.DEFINITION
    assert statuses(detail) == {"A": StageStatus.SUCCEEDED, "B": StageStatus.NOT_STARTED}
    assert told(detail.warnings) == [("DEFINITION_ODD", "Odd definition: B leads to Nowhere, which is not defined.")]
    assert detail.is_complete


def test_what_was_not_read_is_unknown() -> None:
    cut = ExecutionWarning(ExecutionWarningCode.HISTORY_CUT, "Too long.")
    detail = look(json.dumps(MACHINE), read_to_end=False, warning=cut)
    assert statuses(detail) == {"A": StageStatus.SUCCEEDED, "B": StageStatus.UNKNOWN}
    assert cut in detail.history_warnings
    assert cut in detail.warnings
    assert not detail.is_complete


def test_without_a_definition_the_history_tells_the_states() -> None:
    for definition in (None, "{", "[" * 100_000):
        detail = look(definition)
        assert detail.stage_source is StageSource.HISTORY
        assert statuses(detail) == {"A": StageStatus.SUCCEEDED}
        assert [code for code, _ in told(detail.warnings)] == ["DEFINITION_UNAVAILABLE"] * (definition is not None)


def test_a_definition_that_is_too_large_is_not_read() -> None:
    detail = look(json.dumps(MACHINE), bounds=Bounds(10, 50, 3))
    assert detail.stage_source is StageSource.HISTORY
    ((code, message),) = told(detail.warnings)
    assert code == "DEFINITION_UNAVAILABLE"
    assert "at most 10 are read" in message


def test_each_event_is_at_its_visit() -> None:
    detail = look(json.dumps(MACHINE))
    stage = detail.stage("A")
    assert stage is not None
    (visit,) = stage.visits
    assert [event.event.id for event in detail.events_of(visit)] == [2, 3, 4, 5, 6]
    assert [event.event.id for event in detail.events] == [1, 2, 3, 4, 5, 6]
    assert detail.stage("C") is None


def test_the_oddities_of_a_definition_are_told_up_to_a_bound() -> None:
    choices = [{"Variable": "$.a", "Next": f"Nowhere {number}"} for number in range(5_000)]
    machine = {"StartAt": "A", "States": {"A": {"Type": "Choice", "Choices": choices}}}
    warnings = told(look(json.dumps(machine), bounds=Bounds(1_000_000, 50, 3)).definition_warnings)
    assert len(warnings) == 11
    assert warnings[-1] == ("DEFINITION_ODD", "Odd definition: 4990 more of the kind.")


def test_events_of_types_that_are_not_known_are_named_each_once() -> None:
    event = {"previousEventId": 5, "timestamp": datetime(2026, 7, 14, tzinfo=UTC)}
    detail = look(None, more=[event | {"id": number, "type": "Teleported"} for number in (7, 8)])
    text = "Events of types that this release does not know tell nothing: Teleported."
    assert told(detail.history_warnings) == [("EVENT_UNKNOWN", text)]
    assert statuses(detail) == {"A": StageStatus.SUCCEEDED}


def test_what_is_not_shown_is_told_for_each_bound() -> None:
    shown = told(look(json.dumps(MACHINE), bounds=Bounds(100_000, 1, 3)).definition_warnings)
    assert ("STAGES_CUT", "Not shown: 1 states after the first 1.") in shown
