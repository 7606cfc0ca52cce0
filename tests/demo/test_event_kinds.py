"""The run whose state machines record every kind of event, and when what is inside steps happens."""

from datetime import UTC, datetime
from typing import Any

import botocore.session
import pytest

from graph.demo.event_kinds import EVENT_KINDS_ID, EVENT_KINDS_RUN, event_kind_executions
from graph.demo.insides import INSIDES_RUN, step_functions
from graph.demo.model import Run
from graph.demo.samples import SAMPLE_RUN
from graph.demo.shapes import ENDINGS
from graph.history import EventKind, StageStatus, attribute, parse_definition, parse_events
from tests.harness import Graph
from tests.test_docs import ROOT

STATES = step_functions(*ENDINGS)


def instant(text: str) -> datetime:
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)


def span(arn: str) -> tuple[datetime, datetime]:
    found = STATES.describe_execution(executionArn=arn)
    return found["startDate"], found["stopDate"]


async def test_one_query_of_the_documentation_tells_every_type_of_event(quick: Graph) -> None:
    page = (ROOT / "docs" / "engines.md").read_text()
    (query,) = [block.split("```")[0] for block in page.split("```graphql\n") if "EveryKindOfEvent" in block]
    data = await quick.data(query, id=EVENT_KINDS_ID)
    events = [
        event
        for step in data["execution"]["pipelineExecutions"]["nodes"]
        for sub in step["subExecutions"]["nodes"]
        for event in sub["engineExecution"]["history"]["nodes"]
    ]
    service: Any = botocore.session.get_session().get_service_model("stepfunctions")
    assert {event["type"] for event in events} == set(service.shape_for("HistoryEventType").enum)
    assert all(event["isAttributed"] for event in events)


@pytest.mark.parametrize("execution", event_kind_executions(), ids=lambda execution: execution.machine.arn)
def test_every_event_has_a_kind_and_a_place_and_every_state_a_definition(execution: Any) -> None:
    definition = parse_definition(
        str(STATES.describe_state_machine(stateMachineArn=execution.machine.arn)["definition"])
    )
    assert definition.warnings == ()
    found = attribute(parse_events(execution.events), definition)
    assert EventKind.OTHER not in {event.kind for event in found.events}
    assert {visit.name for visit in found.visits} <= set(definition.states)
    assert not {visit.status for visit in found.visits} & {StageStatus.RUNNING, StageStatus.UNKNOWN}


def statuses(name: str) -> dict[str, set[str]]:
    (execution,) = [one for one in event_kind_executions() if one.name == name]
    found: dict[str, set[str]] = {}
    for visit in attribute(parse_events(execution.events)).visits:
        found.setdefault(visit.name or "", set()).add(visit.status.value)
    return found


def test_what_became_of_the_states() -> None:
    assert statuses("attempts-1") == {
        "Scan": {"SUCCEEDED"},
        "Mesh": {"SUCCEEDED"},
        "Review": {"SUCCEEDED"},
        "Judge": {"CAUGHT"},
        "Cool down": {"SUCCEEDED"},
        "Hold": {"TIMED_OUT"},
    }
    assert set().union(*statuses("redrives-1").values()) == {"SUCCEEDED"}
    assert set().union(*statuses("stopped-1").values()) == {"ABORTED"}
    assert statuses("failing-1")["Both"] == {"CAUGHT"}
    assert statuses("failing-1")["Measure"] == {"ABORTED"}


def test_a_parallel_and_two_maps_were_redriven() -> None:
    (execution,) = [one for one in event_kind_executions() if one.name == "redrives-1"]
    visits = attribute(parse_events(execution.events)).visits
    assert {visit.name: visit.redrives for visit in visits if visit.name in ("Welds", "Parts", "Tiles")} == {
        "Welds": 1,
        "Parts": 1,
        "Tiles": 1,
    }


@pytest.mark.parametrize("run", [EVENT_KINDS_RUN, INSIDES_RUN, SAMPLE_RUN], ids=lambda run: run.execution_id)
def test_what_runs_inside_a_step_begins_and_ends_within_it(run: Run) -> None:
    registered = 0
    for step in run.steps:
        assert run.started_at <= step.started_at < step.stopped_at <= run.stopped_at
        for sub in step.sub_executions:
            if "stateMachineArn" in sub:
                registered += 1
                begun, ended = span(sub["executionArn"])
                assert instant(step.started_at) <= begun < ended <= instant(step.stopped_at)
    assert registered


@pytest.mark.parametrize("run", [EVENT_KINDS_RUN, INSIDES_RUN, SAMPLE_RUN, *ENDINGS], ids=lambda run: run.execution_id)
def test_the_machine_of_a_run_goes_with_its_steps(run: Run) -> None:
    arn = f"{run.workflow.arn.replace(':stateMachine:', ':execution:')}:{run.execution_id}"
    events = STATES.get_execution_history(executionArn=arn)["events"]
    entered = [event["timestamp"] for event in events if event["type"] == "TaskStateEntered"]
    for step, at in zip(run.steps, entered, strict=False):
        assert 0 <= (at - instant(step.started_at)).total_seconds() < 1
    if run.stopped_at:
        assert events[-1]["timestamp"] <= instant(run.stopped_at)
