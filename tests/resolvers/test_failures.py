"""What ended executions, steps and the runs of engines, as the graph tells it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from botocore.exceptions import ClientError

from graph.aws.clients import Clients
from graph.demo.insides import FAILING_ITERATION, INSIDES_ID
from graph.demo.logs import log_clients
from graph.demo.model import Run, Step, identifier
from graph.demo.permissions import LISTER
from graph.demo.rows import workflow_row
from graph.demo.run_rows import run_rows
from graph.demo.samples import SAMPLE_EXECUTION_ID
from graph.demo.script import Script
from graph.demo.shapes import ABORTED_ID, FAILED_ID, RUNNING_ID, TIMED_OUT_ID
from graph.demo.stepfunctions import EmbeddedStepFunctions, Machine, Played
from graph.tables.reader import Reader
from tests.harness import Graph
from tests.memory import NAMES, MemoryDatabase
from tests.worlds import PIPELINE, WORKFLOW, everything_but, graph_for, items, run, viewer

FAILURE = """failure { error cause pipelineExecution { jobName } subExecution { label } engineExecution { flowName }
    stage { name status } visit { name status scope { stageName iteration } } event { eventId type stepName }
    warnings { code } }"""
OF_EXECUTION = f"query ($id: String!) {{ execution(executionId: $id) {{ {FAILURE} }} }}"


class Counted:
    """Step Functions that remembers what it was asked."""

    def __init__(self, states: Any) -> None:
        self.asked: list[tuple[str, Mapping[str, Any]]] = []
        self._states = states

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def call(**request: Any) -> Any:
            self.asked.append((name, request))
            return getattr(self._states, name)(**request)

        return call

    def pages(self) -> list[tuple[str, bool]]:
        return [
            (request["executionArn"].rpartition(":")[2], request["reverseOrder"])
            for name, request in self.asked
            if name == "get_execution_history"
        ]


@pytest.fixture
def counted(memory: MemoryDatabase) -> Iterator[tuple[Graph, Counted]]:
    clients = log_clients()
    states = Counted(clients.states)
    graph = Graph(memory, NAMES, reader=Reader, logs=replace(clients, states=states))
    yield graph, states
    graph.close()


async def failure_of(graph: Graph, execution_id: str) -> Any:
    return (await graph.data(OF_EXECUTION, id=execution_id))["execution"]["failure"]


async def test_a_failure_is_followed_into_the_run_that_the_failed_step_registered(quick: Graph) -> None:
    assert await failure_of(quick, INSIDES_ID) == {
        "error": "PartError",
        "cause": "part 137 has no surface, TaskToken=<redacted>",
        "pipelineExecution": {"jobName": "thumbs"},
        "subExecution": {"label": "Assembly"},
        "engineExecution": {"flowName": "Assemble"},
        "stage": {"name": "Convert", "status": "FAILED"},
        "visit": {
            "name": "Convert",
            "status": "FAILED",
            "scope": [{"stageName": "Parts", "iteration": FAILING_ITERATION}],
        },
        "event": {"eventId": 2290, "type": "LambdaFunctionFailed", "stepName": "Convert"},
        "warnings": [],
    }


async def test_it_takes_one_page_of_the_newest_events_of_each_run_and_no_whole_history(
    counted: tuple[Graph, Counted],
) -> None:
    graph, states = counted
    document = OF_EXECUTION.replace("stage { name status }", "")
    await graph.data(document, id=INSIDES_ID)
    assert states.pages() == [(INSIDES_ID, True), ("assemble-1", True)]


async def test_a_failure_of_the_workflow_itself_names_the_step_all_the_same(quick: Graph) -> None:
    found = await failure_of(quick, FAILED_ID)
    assert found["event"]["type"] == "FailStateEntered"
    assert found["stage"] == {"name": "Failed", "status": "FAILED"}
    assert found["subExecution"] is None
    assert found["error"] == "WorkflowFailed"


async def test_a_step_that_never_started_is_not_what_failed(quick: Graph) -> None:
    """VAMS ends the steps that are left as FAILED, too."""
    asked = "query ($id: String!) { execution(executionId: $id) { %s } }"
    data = await quick.data(asked % "pipelineExecutions { nodes { name status startedAt } }", id=FAILED_ID)
    *_, last = data["execution"]["pipelineExecutions"]["nodes"]
    assert last == {"name": "Thumbnailer", "status": "FAILED", "startedAt": None}
    data = await quick.data(asked % "failure { pipelineExecution { name } }", id=FAILED_ID)
    assert data["execution"]["failure"]["pipelineExecution"]["name"] == "Quality check"


@pytest.mark.parametrize(
    ("execution_id", "event"), [(ABORTED_ID, "ExecutionAborted"), (TIMED_OUT_ID, "ExecutionTimedOut")]
)
async def test_a_run_that_was_stopped_or_out_of_time_was_ended_by_that(
    quick: Graph, execution_id: str, event: str
) -> None:
    found = await failure_of(quick, execution_id)
    assert found["event"]["type"] == event
    assert (found["pipelineExecution"], found["stage"], found["visit"]) == (None, None, None)


@pytest.mark.parametrize("execution_id", [SAMPLE_EXECUTION_ID, RUNNING_ID])
async def test_nothing_ended_what_succeeded_or_goes_on(quick: Graph, execution_id: str) -> None:
    assert await failure_of(quick, execution_id) is None


async def test_it_is_guarded_as_the_error_is(graph: Graph) -> None:
    document = "{ executions(first: 5) { nodes { failure { error } } } }"
    answer = await graph.ask(document, viewer=viewer(LISTER))
    assert set(answer.codes) == {"FORBIDDEN"}


# Runs of one step that registered several machines.

DEFINITION = {"StartAt": "Do", "States": {"Do": {"Type": "Task", "Resource": "r", "End": True}}}
MACHINE = Machine("arn:aws:states:us-west-2:123456789012:stateMachine:inner", DEFINITION)
OWN = Machine(
    WORKFLOW.arn,
    {"StartAt": "job", "States": {"job": {"Type": "Task", "Resource": "r", "End": True}}},
)


def played(machine: Machine, name: str, minute: int, ending: str = "ExecutionFailed", error: str = "") -> Played:
    """A run of one task that ends at a minute."""
    state = next(iter(machine.definition["States"]))
    script = Script(datetime(2026, 7, 14, 9, 0, 1, tzinfo=UTC))
    last = script.work(script.enter("Task", state, 0), error=error)
    script.wait_until(datetime(2026, 7, 14, 9, minute, tzinfo=UTC))
    script.add(ending, 0 if ending == "ExecutionAborted" else last, error=error)
    status = {"ExecutionFailed": "FAILED", "ExecutionAborted": "ABORTED", "ExecutionSucceeded": "SUCCEEDED"}[ending]
    return Played(machine, name, status, script.events)


def registering(*names: str) -> Run:
    entries = tuple(
        {"resourceType": "stepFunctionsExecution", "executionArn": MACHINE.execution(name), "label": name}
        for name in names
    )
    step = Step(
        step_id=identifier("step", "one"),
        pipeline=PIPELINE,
        status="FAILED",
        started_at="2026-07-14T09:00:00Z",
        stopped_at="2026-07-14T09:10:30Z",
        sub_executions=entries,
    )
    return replace(run("one", steps=(step,)), status="FAILED", error="the step failed")


async def ended_by(of: Run, *executions: Played, states: Any = None) -> Any:
    known = states or EmbeddedStepFunctions(executions)
    clients = Clients(None, None, None, known)  # type: ignore[arg-type]
    with graph_for(
        MemoryDatabase(items(run_rows(of), [workflow_row(WORKFLOW)])), {"user": everything_but()}, logs=clients
    ) as graph:
        answer = await graph.ask(OF_EXECUTION, viewer=viewer("user"), id=of.execution_id)
    assert answer.codes == []
    assert answer.data is not None
    return answer.data["execution"]["failure"]


OWN_RUN = played(OWN, run("one").execution_id, 11, error="StepFailed")
CASES: Mapping[str, tuple[tuple[Played, ...], str | None]] = {
    "the last that failed before the step did": (
        (played(MACHINE, "a", 3, error="A"), played(MACHINE, "b", 10, error="B"), played(MACHINE, "c", 2, error="C")),
        "b",
    ),
    "not one that failed afterwards": (
        (played(MACHINE, "a", 3, error="A"), played(MACHINE, "b", 20, error="B")),
        "a",
    ),
    "the first of those that all failed afterwards": (
        (played(MACHINE, "a", 30, error="A"), played(MACHINE, "b", 20, error="B")),
        "b",
    ),
    "not one that was stopped because of it": (
        (played(MACHINE, "a", 11, "ExecutionAborted"), played(MACHINE, "b", 20, error="B")),
        "b",
    ),
    "one that was stopped before, where none failed": (
        (played(MACHINE, "a", 5, "ExecutionAborted"), played(MACHINE, "b", 4, "ExecutionSucceeded")),
        "a",
    ),
    "none that succeeded, or was stopped afterwards": (
        (played(MACHINE, "a", 4, "ExecutionSucceeded"), played(MACHINE, "b", 30, "ExecutionAborted")),
        None,
    ),
}


@pytest.mark.parametrize(("inner", "expected"), CASES.values(), ids=list(CASES))
async def test_of_several_registered_runs_it_is_the_one_that_the_step_failed_by(
    inner: tuple[Played, ...], expected: str | None
) -> None:
    found = await ended_by(registering(*(one.name for one in inner)), *inner, OWN_RUN)
    assert (found["subExecution"] or {}).get("label") == expected
    assert found["pipelineExecution"] == {"jobName": "job"}
    if expected is None:
        assert (found["error"], found["stage"]["name"]) == ("StepFailed", "job")


async def test_a_step_that_nothing_registered_for_failed_by_its_own_state() -> None:
    found = await ended_by(registering(), OWN_RUN)
    assert found["event"]["stepName"] == found["stage"]["name"] == "job"


class Refusing(EmbeddedStepFunctions):
    """Step Functions that refuses histories."""

    def __init__(self, code: str, *executions: Played) -> None:
        super().__init__(executions)
        self._code = code

    def get_execution_history(self, **_: Any) -> Any:
        raise ClientError({"Error": {"Code": self._code}}, "GetExecutionHistory")


@pytest.mark.parametrize(
    ("code", "warned"),
    [
        ("AccessDeniedException", "ENGINE_DENIED"),
        ("ExecutionDoesNotExist", "RUN_GONE"),
        ("Broken", "HISTORY_UNAVAILABLE"),
    ],
)
async def test_without_a_history_the_reason_is_what_the_engine_says_of_the_run(code: str, warned: str) -> None:
    found = await ended_by(registering(), states=Refusing(code, OWN_RUN))
    assert (found["error"], found["event"], found["stage"]) == ("StepFailed", None, None)
    assert found["warnings"] == [{"code": warned}]
    assert found["pipelineExecution"] == {"jobName": "job"}


async def test_of_a_run_that_its_engine_forgot_the_stored_message_is_left() -> None:
    found = await ended_by(registering(), states=EmbeddedStepFunctions(()))
    assert (found["cause"], found["warnings"]) == ("the step failed", [{"code": "RUN_GONE"}])
    assert found["pipelineExecution"] == {"jobName": "job"}


async def test_an_operation_asks_for_each_run_once_however_many_ask(counted: tuple[Graph, Counted]) -> None:
    graph, states = counted
    fields = " ".join(f"f{number}: failure {{ error }}" for number in range(5))
    document = f"query ($id: String!) {{ execution(executionId: $id) {{ {fields} }} }}"
    await graph.data(document, id=INSIDES_ID)
    assert len(states.pages()) == 2
