"""AWS Step Functions."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from enum import Enum
from typing import Any, TypeVar

from graph.aws.calls import NOT_FOUND, Caller, CallFailed
from graph.aws.clients import StatesClient
from graph.engines.engine import (
    EVENTS_OF_A_PAGE,
    ChildPage,
    EngineName,
    HistoryPage,
    ListedChild,
    MapRunFacts,
    NoHistory,
    RedriveStatus,
    RegisteredRun,
    RunFacts,
    RunReference,
    StaleToken,
)
from graph.history import (
    Definition,
    IterationCounts,
    MalformedHistoryError,
    item_definition,
    parse_definition,
    parse_event,
)
from graph.tables.states import ExecutionStatus

_STALE_TOKEN = "InvalidToken"  # noqa: S105 - a code

_EXPRESS = "Express executions keep no history; what they logged is in CloudWatch Logs"
_ANY = re.compile(r"arn:[\w-]+:states:", re.ASCII)
_RUN = re.compile(
    r"arn:[\w-]+:states:[\w-]+:\d+:(?P<kind>execution|express):(?P<flow>[^:/\s]{1,80})(?:/[^:/\s]+)?:(?P<name>[^\s]+)",
    re.ASCII,
)
_MACHINE = re.compile(
    r"(arn:[\w-]+:states:[\w-]+:\d+):(?:stateMachine|execution|express):([^:/\s]{1,80})[^\s]*", re.ASCII
)

_LABELLED = re.compile(
    r"(?P<prefix>arn:[\w-]+:states:[\w-]+:\d+):(?P<kind>execution|express|mapRun):"
    r"(?P<flow>[^:/\s]{1,80})/(?P<label>[^:/\s]{1,80}):(?P<name>[^\s]{1,200})",
    re.ASCII,
)
_NAMED = re.compile(r"(?P<kind>execution|express|mapRun)/(?P<label>[^:/\s]{1,80}):(?P<name>[^/\s]{1,200})", re.ASCII)

Member = TypeVar("Member", bound=Enum)


class StepFunctions:
    """Reads executions. One per process; safe to use from many operations at once."""

    name = EngineName.STEP_FUNCTIONS
    resource_type = "stepFunctionsExecution"
    reads_backwards = True

    def __init__(self, client: StatesClient, caller: Caller) -> None:
        self._client = client
        self._caller = caller

    def recognises(self, reference: str) -> bool:
        """Return whether a text begins as ARNs of Step Functions do."""
        return _ANY.match(reference) is not None

    def run(self, reference: str) -> RunReference | None:
        """Return what the ARN of an execution says; None where a text is none."""
        match = _RUN.fullmatch(reference)
        if match is None:
            return None
        return RunReference(
            self.name, reference, match["name"], match["flow"], arn=reference, flow_arn=_machine_of(reference)
        )

    def registration(self, entry: Mapping[str, Any]) -> RegisteredRun:
        """Return what an entry says: its ``executionArn`` and, for the state machine, its ``stateMachineArn`` first."""
        execution, machine = (_text(entry.get(key)) for key in ("executionArn", "stateMachineArn"))
        either = machine or execution
        return RegisteredRun(
            run=execution,
            flow=_machine_of(either) if either else None,
            flow_name=(machine or "").partition(":stateMachine:")[2] or None,
        )

    async def describe(self, reference: str) -> RunFacts:
        """Return what became of an execution, with DescribeExecution."""
        said = await self._caller.call(
            "states.DescribeExecution", self._client.describe_execution, {"executionArn": reference}
        )
        return _facts(said)

    async def definition(self, reference: str) -> str:
        """Return the definition that an execution started with, with DescribeStateMachineForExecution.

        For a child of a Map run that is what its Map holds for each item.
        """
        method = self._client.describe_state_machine_for_execution
        said = await self._caller.call("states.DescribeStateMachineForExecution", method, {"executionArn": reference})
        text = str(said.get("definition", ""))
        if (child := _LABELLED.fullmatch(reference)) is None:
            return text
        return await self._caller.run(lambda: item_definition(text, child["label"]) or text)

    def parse(self, definition: str, most_bytes: int) -> Definition:
        """Return the states of a definition in the Amazon States Language."""
        return parse_definition(definition, max_bytes=most_bytes)

    async def history(self, reference: str, *, newest_first: bool, token: str | None) -> HistoryPage:
        """Return a page of the events of an execution, with GetExecutionHistory."""
        return await self._history(reference, newest_first=newest_first, token=token, size=EVENTS_OF_A_PAGE)

    async def last_event_id(self, reference: str) -> int | None:
        """Return the id of the newest event of an execution, from one page of one event."""
        page = await self._history(reference, newest_first=True, token=None, size=1)
        return page.events[0].id if page.events else None

    async def _history(self, reference: str, *, newest_first: bool, token: str | None, size: int) -> HistoryPage:
        if (match := _RUN.fullmatch(reference)) is not None and match["kind"] == "express":
            raise NoHistory(_EXPRESS)
        request: dict[str, Any] = {"executionArn": reference, "maxResults": size, "reverseOrder": newest_first}
        if token is not None:
            request["nextToken"] = token
        try:
            said = await self._caller.call(
                "states.GetExecutionHistory",
                self._client.get_execution_history,
                request,
                expected=NOT_FOUND | {_STALE_TOKEN},
            )
        except CallFailed as failure:
            if failure.code == _STALE_TOKEN:
                raise StaleToken(failure.code) from failure
            raise
        return await self._caller.run(lambda: _page(said))

    async def stop(self, reference: str, *, error: str, cause: str) -> None:
        """Stop an execution, with StopExecution."""
        request = {"executionArn": reference, "error": error, "cause": cause}
        await self._caller.call("states.StopExecution", self._client.stop_execution, request)

    async def map_run(self, map_run: str) -> MapRunFacts:
        """Return what became of a Map run, with DescribeMapRun."""
        said = await self._caller.call("states.DescribeMapRun", self._client.describe_map_run, {"mapRunArn": map_run})
        return MapRunFacts(
            run=str(said.get("executionArn", "")),
            status=_member(ExecutionStatus, said.get("status")),
            counts=self._counts(said.get("executionCounts", {})),
            started_at=_instant(said.get("startDate")),
            stopped_at=_instant(said.get("stopDate")),
            redrive_count=said.get("redriveCount"),
        )

    async def children(self, map_run: str, status: ExecutionStatus | None, size: int, token: str | None) -> ChildPage:
        """Return a page of the child executions of a Map run, with ListExecutions."""
        request: dict[str, Any] = {"mapRunArn": map_run, "maxResults": size}
        if status is not None:
            request["statusFilter"] = status.value
        if token is not None:
            request["nextToken"] = token
        try:
            said = await self._caller.call(
                "states.ListExecutions", self._client.list_executions, request, expected=NOT_FOUND | {_STALE_TOKEN}
            )
        except CallFailed as failure:
            if failure.code == _STALE_TOKEN:
                raise StaleToken(failure.code) from failure
            raise
        children = [ListedChild(str(one["executionArn"]), _facts(one)) for one in said.get("executions", ())]
        return ChildPage(children, said.get("nextToken") or None)

    def name_within(self, run: str, reference: str) -> str | None:
        """Return ``kind/label:name`` of a labelled ARN of the run's state machine."""
        machine, labelled = _MACHINE.fullmatch(run), _LABELLED.fullmatch(reference)
        if machine is None or labelled is None or labelled["prefix"] != machine[1] or labelled["flow"] != machine[2]:
            return None
        return f"{labelled['kind']}/{labelled['label']}:{labelled['name']}"

    def reference_within(self, run: str, name: str) -> str | None:
        """Return the labelled ARN of the run's state machine."""
        machine, named = _MACHINE.fullmatch(run), _NAMED.fullmatch(name)
        if machine is None or named is None:
            return None
        return f"{machine[1]}:{named['kind']}:{machine[2]}/{named['label']}:{named['name']}"

    def _counts(self, counts: Mapping[str, int]) -> IterationCounts:
        total = counts.get("total", 0)
        return IterationCounts(
            total=total,
            started=total - counts.get("pending", 0),
            succeeded=counts.get("succeeded", 0),
            failed=counts.get("failed", 0),
            aborted=counts.get("aborted", 0),
            running=counts.get("running", 0),
            pending=counts.get("pending", 0),
            timed_out=counts.get("timedOut", 0),
        )

    async def log_group(self, flow: str) -> str | None:
        """Return the ARN of a state machine's log group, with DescribeStateMachine; None without one."""
        said = await self._caller.call(
            "states.DescribeStateMachine", self._client.describe_state_machine, {"stateMachineArn": flow}
        )
        for destination in said.get("loggingConfiguration", {}).get("destinations", ()):
            if group := destination.get("cloudWatchLogsLogGroup", {}).get("logGroupArn"):
                return str(group)
        return None


def _facts(said: Mapping[str, Any]) -> RunFacts:
    redrivable = said.get("redriveStatus")
    return RunFacts(
        status=_member(ExecutionStatus, said.get("status")),
        started_at=_instant(said.get("startDate")),
        stopped_at=_instant(said.get("stopDate")),
        input=said.get("input"),
        output=said.get("output"),
        error=said.get("error"),
        cause=said.get("cause"),
        redrive_count=said.get("redriveCount"),
        redrive_status=None if redrivable is None else _member(RedriveStatus, redrivable),
        redrive_status_reason=said.get("redriveStatusReason"),
        last_redriven_at=_instant(said.get("redriveDate")),
        map_run=_text(said.get("mapRunArn")),
    )


def _machine_of(arn: str) -> str | None:
    """Return the ARN of the state machine that an ARN of it, of one of its versions or of an execution names."""
    match = _MACHINE.fullmatch(arn)
    return f"{match[1]}:stateMachine:{match[2]}" if match else None


def _page(said: Mapping[str, Any]) -> HistoryPage:
    events = []
    for raw in said.get("events", ()):
        try:
            events.append(parse_event(raw))
        except MalformedHistoryError:
            continue  # a gap in the ids, which attribution sees
    return HistoryPage(events, said.get("nextToken") or None)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _member(members: type[Member], text: object) -> Member:
    try:
        return members(text)
    except ValueError:
        return members["UNKNOWN"]


def _instant(value: object) -> datetime | None:
    return value.astimezone(UTC) if isinstance(value, datetime) else None
