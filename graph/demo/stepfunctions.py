"""Step Functions in memory, as its documentation says, for the calls that executions are read with.

It plays written histories: in pages, in either order, with or without execution data. A token holds for one request and
for a day; what is appended to a history is seen by whoever reads on.
"""

import base64
import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from botocore.exceptions import ClientError

_MOST_EVENTS = 1000
_TOKEN_SECONDS = 24 * 3600
_DATA = ("input", "inputDetails", "output", "outputDetails", "parameters")

RawEvent = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Machine:
    """A state machine; ``log_group`` is the ARN of where it logs, empty for nowhere."""

    arn: str
    definition: Mapping[str, Any]
    log_group: str = ""

    def execution(self, name: str) -> str:
        """Return the ARN of one of its executions."""
        return f"{self.arn.replace(':stateMachine:', ':execution:')}:{name}"


@dataclass(slots=True)
class Played:
    """An execution: what DescribeExecution says beside the obvious, and its events.

    With ``is_live`` its events come when their time does; until the last it is RUNNING. ``map_run`` is the ARN of the
    Map run that started it, if one did.
    """

    machine: Machine
    name: str
    status: str
    events: list[RawEvent]
    input: str = "{}"
    described: dict[str, Any] = field(default_factory=dict)
    map_runs: dict[str, dict[str, Any]] = field(default_factory=dict)
    is_live: bool = False
    map_run: str = ""

    @property
    def arn(self) -> str:
        """Its ARN, with the label of its Map where a Map run started it."""
        flow, _, name = self.machine.execution(self.name).rpartition(":")
        label = self.map_run.partition("/")[2].partition(":")[0]
        return f"{flow}/{label}:{name}" if label else f"{flow}:{name}"


class EmbeddedStepFunctions:
    """Some executions. ``clock`` tells the Unix time in seconds; machines may have no execution."""

    def __init__(
        self,
        executions: Iterable[Played],
        machines: Iterable[Machine] = (),
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._executions = {execution.arn: execution for execution in executions}
        self._machines = {machine.arn: machine for machine in machines}
        self._machines |= {execution.machine.arn: execution.machine for execution in self._executions.values()}
        self._clock = clock

    def append(self, execution: str, events: Sequence[RawEvent], status: str) -> None:
        """Let an execution go on; what was still to come of it does not come."""
        known = self._so_far(self._executions[execution])
        self._executions[execution] = replace(known, events=[*known.events, *events], status=status, is_live=False)

    def describe_execution(self, *, executionArn: str) -> dict[str, Any]:  # noqa: N803
        """Return what became of an execution."""
        execution = self._execution(executionArn, "DescribeExecution")
        times: dict[str, datetime] = {"startDate": execution.events[0]["timestamp"]}
        if execution.status != "RUNNING":
            times["stopDate"] = execution.events[-1]["timestamp"]
        last: dict[str, Any] = next(
            (details for key, details in execution.events[-1].items() if key.endswith("EventDetails")), {}
        )
        told: dict[str, Any] = {key: last[key] for key in ("output", "error", "cause") if key in last}
        return {
            "executionArn": executionArn,
            "stateMachineArn": execution.machine.arn,
            "name": execution.name,
            "status": execution.status,
            "input": execution.input,
            "redriveCount": 0,
            "redriveStatus": "NOT_REDRIVABLE" if execution.status in ("RUNNING", "SUCCEEDED") else "REDRIVABLE",
            **({"mapRunArn": execution.map_run} if execution.map_run else {}),
            **times,
            **told,
            **execution.described,
        }

    def stop_execution(self, *, executionArn: str, error: str, cause: str) -> dict[str, Any]:  # noqa: N803
        """Stop an execution that runs."""
        execution, now = self._execution(executionArn, "StopExecution"), datetime.fromtimestamp(self._clock(), UTC)
        if execution.status == "RUNNING":
            ending = {"id": len(execution.events) + 1, "previousEventId": 0, "type": "ExecutionAborted"}
            details = {"executionAbortedEventDetails": {"error": error, "cause": cause}}
            self.append(executionArn, [{**ending, "timestamp": now, **details}], "ABORTED")
        return {"stopDate": self._executions[executionArn].events[-1]["timestamp"]}

    def describe_state_machine(self, *, stateMachineArn: str) -> dict[str, Any]:  # noqa: N803
        """Return a state machine."""
        machine = self._machines.get(stateMachineArn)
        if machine is None:
            raise _refused("DescribeStateMachine", "StateMachineDoesNotExist")
        return _shown(machine)

    def describe_state_machine_for_execution(self, *, executionArn: str) -> dict[str, Any]:  # noqa: N803
        """Return the state machine of an execution."""
        return _shown(self._execution(executionArn, "DescribeStateMachineForExecution").machine)

    def describe_map_run(self, *, mapRunArn: str) -> dict[str, Any]:  # noqa: N803
        """Return the run of a distributed Map."""
        for execution in self._executions.values():
            if mapRunArn in execution.map_runs:
                return {"mapRunArn": mapRunArn, "executionArn": execution.arn, **execution.map_runs[mapRunArn]}
        raise _refused("DescribeMapRun", "ResourceNotFound")

    def list_executions(
        self,
        *,
        mapRunArn: str,  # noqa: N803
        maxResults: int = 100,  # noqa: N803
        statusFilter: str = "",  # noqa: N803
        nextToken: str | None = None,  # noqa: N803
    ) -> dict[str, Any]:
        """Return one page of the executions that a Map run started, newest first."""
        call = "ListExecutions"
        self.describe_map_run(mapRunArn=mapRunArn)
        if not 0 <= maxResults <= _MOST_EVENTS:
            raise _refused(call, "ValidationException")
        found = [
            execution
            for execution in map(self._so_far, self._executions.values())
            if execution.map_run == mapRunArn and statusFilter in ("", execution.status)
        ]
        found.sort(key=lambda execution: execution.events[0]["timestamp"], reverse=True)
        of = [mapRunArn, maxResults, statusFilter]
        place = 0 if nextToken is None else self._open(nextToken, of, call)
        following = place + (maxResults or 100)
        answer: dict[str, Any] = {"executions": [_listed(execution) for execution in found[place:following]]}
        if following < len(found):
            answer["nextToken"] = self._seal(following, of)
        return answer

    def get_execution_history(
        self,
        *,
        executionArn: str,  # noqa: N803
        maxResults: int = 100,  # noqa: N803
        reverseOrder: bool = False,  # noqa: N803
        includeExecutionData: bool = True,  # noqa: N803
        nextToken: str | None = None,  # noqa: N803
    ) -> dict[str, Any]:
        """Return one page of the events of an execution."""
        call = "GetExecutionHistory"
        events = self._execution(executionArn, call).events
        of = [executionArn, reverseOrder, includeExecutionData]
        place = len(events) - 1 if reverseOrder else 0
        if nextToken is not None:
            place = self._open(nextToken, of, call)
        size = min(maxResults or _MOST_EVENTS, _MOST_EVENTS)
        chosen = events[max(0, place - size + 1) : place + 1][::-1] if reverseOrder else events[place : place + size]
        following = place - size if reverseOrder else place + size
        answer: dict[str, Any] = {"events": [_copy(event, with_data=includeExecutionData) for event in chosen]}
        if 0 <= following < len(events):
            answer["nextToken"] = self._seal(following, of)
        return answer

    def _execution(self, arn: str, call: str) -> Played:
        if arn not in self._executions:
            raise _refused(call, "ExecutionDoesNotExist")
        return self._so_far(self._executions[arn])

    def _so_far(self, execution: Played) -> Played:
        """Return an execution as it stands now; there is none before its first event."""
        if not execution.is_live:
            return execution
        now = datetime.fromtimestamp(self._clock(), UTC)
        events = [event for event in execution.events if event["timestamp"] <= now] or execution.events[:1]
        return replace(
            execution, events=events, status=execution.status if len(events) == len(execution.events) else "RUNNING"
        )

    def _seal(self, place: int, of: list[Any]) -> str:
        return base64.b64encode(json.dumps({"place": place, "of": of, "made": self._clock()}).encode()).decode()

    def _open(self, token: str, of: list[Any], call: str) -> int:
        try:
            held = json.loads(base64.b64decode(token))
        except ValueError:
            raise _refused(call, "InvalidToken") from None
        if held["of"] != of or self._clock() - held["made"] > _TOKEN_SECONDS:
            raise _refused(call, "InvalidToken")
        return int(held["place"])


def _listed(execution: Played) -> dict[str, Any]:
    ended = {} if execution.status == "RUNNING" else {"stopDate": execution.events[-1]["timestamp"]}
    return {
        "executionArn": execution.arn,
        "stateMachineArn": execution.machine.arn,
        "mapRunArn": execution.map_run,
        "name": execution.name,
        "status": execution.status,
        "startDate": execution.events[0]["timestamp"],
        "redriveCount": execution.described.get("redriveCount", 0),
        **ended,
    }


def _shown(machine: Machine) -> dict[str, Any]:
    destination = {"cloudWatchLogsLogGroup": {"logGroupArn": machine.log_group}}
    return {
        "stateMachineArn": machine.arn,
        "name": machine.arn.rpartition(":")[2],
        "definition": json.dumps(machine.definition),
        "loggingConfiguration": {"level": "ALL", "destinations": [destination] if machine.log_group else []},
    }


def _copy(event: RawEvent, *, with_data: bool) -> RawEvent:
    return {
        key: {name: held for name, held in value.items() if with_data or name not in _DATA}
        if isinstance(value, dict)
        else value
        for key, value in event.items()
    }


def _refused(call: str, code: str) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": code}, "ResponseMetadata": {"HTTPStatusCode": 400}}, call)  # type: ignore[typeddict-item]
