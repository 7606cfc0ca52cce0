"""A made-up engine, whose references are no ARNs: ``flow:NAME/RUN``. Every run of it succeeded in two events."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from graph.engines.engine import (
    ChildPage,
    EngineName,
    HistoryPage,
    MapRunFacts,
    RegisteredRun,
    RunFacts,
    RunReference,
)
from graph.history import Definition, IterationCounts, parse_definition, parse_event
from graph.tables.states import ExecutionStatus

START = datetime(2026, 7, 14, tzinfo=UTC)
PREFIX = "flow:"


class Flows:
    """Reads runs of flows."""

    name = EngineName.SERVERLESS_WORKFLOW
    resource_type = "flowExecution"
    reads_backwards = True

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.stopped: list[str] = []

    def recognises(self, reference: str) -> bool:
        return reference.startswith(PREFIX)

    def run(self, reference: str) -> RunReference | None:
        flow, _, name = reference.removeprefix(PREFIX).partition("/")
        return RunReference(self.name, reference, name, flow) if self.recognises(reference) and name else None

    def registration(self, entry: Mapping[str, Any]) -> RegisteredRun:
        flow, name = entry.get("flowName"), entry.get("executionName")
        return RegisteredRun(f"{PREFIX}{flow}/{name}" if name else None, f"{PREFIX}{flow}", flow)

    async def describe(self, reference: str) -> RunFacts:
        self.asked.append(reference)
        return RunFacts(ExecutionStatus.SUCCEEDED, START)

    async def definition(self, reference: str) -> str:
        return json.dumps({"StartAt": "Bake", "States": {"Bake": {"Type": "Pass", "End": True}}})

    def parse(self, definition: str, most_bytes: int) -> Definition:
        return parse_definition(definition, max_bytes=most_bytes)

    async def history(self, reference: str, *, newest_first: bool, token: str | None) -> HistoryPage:
        events = [
            {"id": number, "previousEventId": number - 1, "type": kind, "timestamp": START}
            for number, kind in enumerate(("ExecutionStarted", "ExecutionSucceeded"), 1)
        ]
        return HistoryPage([parse_event(event) for event in events], None)

    async def last_event_id(self, reference: str) -> int | None:
        return 2

    async def stop(self, reference: str, *, error: str, cause: str) -> None:
        self.stopped.append(reference)

    async def map_run(self, map_run: str) -> MapRunFacts:
        counts = IterationCounts(total=3, started=3, succeeded=3, failed=0, aborted=0)
        return MapRunFacts(f"{PREFIX}flow/run", ExecutionStatus.SUCCEEDED, counts)

    async def children(self, map_run: str, status: ExecutionStatus | None, size: int, token: str | None) -> ChildPage:
        return ChildPage((), None)

    def name_within(self, run: str, reference: str) -> str | None:
        return None

    def reference_within(self, run: str, name: str) -> str | None:
        return None

    async def log_group(self, flow: str) -> str | None:
        return f"arn:aws:logs:us-west-2:123456789012:log-group:/flows/{flow.removeprefix(PREFIX)}:*"
