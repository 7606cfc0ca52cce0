"""Engines as the rest of the graph reads them: one set per process, and what one operation reads of them."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil
from typing import Any, Generic, TypeVar, cast

from graph.aws.calls import FORGOTTEN, NOT_KEPT, TIME_IS_UP, Caller, CallFailed
from graph.aws.clients import Clients
from graph.batching import Loader
from graph.engines.engine import (
    EVENTS_OF_A_PAGE,
    ChildPage,
    Engine,
    HistoryPage,
    MapRunFacts,
    NoHistory,
    RegisteredRun,
    RunFacts,
    RunReference,
    StaleToken,
)
from graph.engines.jobs import MOST_BATCH_JOBS, DeadlineJobKey, JobFacts, Jobs
from graph.engines.memory import CheckMemory, LiveStatus, RunDetailMemory, size_of
from graph.engines.reading import Gap, GapReader, HistoryReading, Pages, read_history
from graph.engines.run_detail import Bounds, RunDetail, build_run_detail
from graph.engines.stepfunctions import StepFunctions
from graph.engines.stops import Stops
from graph.execution_warnings import ExecutionWarning, ExecutionWarningCode, call_failed
from graph.operation import OperationScope
from graph.settings import Settings
from graph.tables.states import TERMINAL, ExecutionStatus

ValueT = TypeVar("ValueT")

_MOST_MAPS_WITHIN_MAPS = 5  # distributed ones, around a run

UNRECOGNISED = "UnrecognisedReference"  # the code where no engine knows a reference as its own

MOST_DEFINITION_BYTES = 256 * 1024  # a definition of Step Functions may have 1 MiB
UNTYPED = "stepFunctionsExecution"  # the resource type of entries that name none, as VAMS takes them


_NEWEST_ALONE = "Only the newest events of the history were read."
_NO_PAGES = "The operation has read the insides of as many runs as it may."


@dataclass(frozen=True, slots=True)
class CallResult(Generic[ValueT]):
    """What a call returned; None, and the code of the failure, when it failed."""

    value: ValueT | None
    failure: str | None = None


class Engines:
    """The engines of a deployment. One per process; safe to use from many operations at once."""

    def __init__(self, clients: Clients, caller: Caller, settings: Settings) -> None:
        self.engines: Sequence[Engine] = (StepFunctions(clients.states, caller),)
        self.jobs = Jobs(clients.batch, clients.deadline, caller)
        self.stops = Stops(self.of, self.jobs, clients.batch, clients.deadline, caller)
        self.checks = CheckMemory(settings.status_check_seconds)
        self.details = RunDetailMemory(settings.history_memory_bytes)
        self.settings = settings
        self.caller = caller

    def close(self) -> None:
        """Wait for calls in flight."""
        self.caller.close()

    def of(self, reference: str) -> Engine:
        """Return the engine that recognises a reference.

        Raises:
            CallFailed: when none does.
        """
        for engine in self.engines:
            if engine.recognises(reference):
                return engine
        raise CallFailed(UNRECOGNISED)

    def run(self, reference: str) -> RunReference | None:
        """Return what the reference of a run says; None where a text is no engine's."""
        return next((run for engine in self.engines if (run := engine.run(reference)) is not None), None)

    def registration(self, entry: Mapping[str, Any]) -> RegisteredRun | None:
        """Return what a registered entry of a step says of a run; None where no engine ran what it is."""
        named = entry.get("resourceType")
        resource_type = named if named and isinstance(named, str) else UNTYPED
        return next((one.registration(entry) for one in self.engines if one.resource_type == resource_type), None)

    def operation(self, scope: OperationScope) -> "OperationEngines":
        """Return what one operation reads of the engines; its calls end with the operation."""
        return OperationEngines(self, scope)


class OperationEngines:
    """Everything is asked once for an operation, whoever wants it, within the operation's time and pages of history."""

    def __init__(self, engines: Engines, scope: OperationScope) -> None:
        settings = engines.settings
        self._engines = engines
        self._scope = scope
        self._ends = time.monotonic() + settings.engines_budget_seconds
        self._pages = Pages(settings.history_pages_per_operation)
        self._further_pages = Pages(settings.history_pages)
        self._runs = Pages(settings.history_pages_per_operation)  # of which each has one page at least
        self._bounds = Bounds(MOST_DEFINITION_BYTES, settings.stages, settings.stage_depth)
        self._known: dict[Hashable, asyncio.Future[Any]] = {}
        self._checks_left = settings.status_checks
        self._keeps_stored = False

    @cached_property
    def _batch_jobs(self) -> "_BatchJobs":
        """The loader of jobs, once one is asked for: both refer to each other, which is left to the collector."""
        return _BatchJobs(self._scope, self._described_jobs)

    def run(self, reference: str) -> RunReference | None:
        """Return what the reference of a run says; None where a text is no engine's."""
        return self._engines.run(reference)

    def registration(self, entry: Mapping[str, Any]) -> RegisteredRun | None:
        """Return what a registered entry of a step says of a run; None where no engine ran what it is."""
        return self._engines.registration(entry)

    async def facts(self, reference: str) -> CallResult[RunFacts]:
        """Return what became of a run."""
        return await self._ask("facts", reference, lambda engine: engine.describe(reference))

    async def last_event_id(self, reference: str) -> int | None:
        """Return the id of the newest event of a run; None where the engine does not say, or keeps no history."""

        async def read(engine: Engine) -> int | None:
            try:
                return await engine.last_event_id(reference) if engine.reads_backwards else None
            except NoHistory:
                return None

        return (await self._ask("last event", reference, read)).value

    async def definition(self, reference: str) -> CallResult[str]:
        """Return the text of the definition that a run started with."""
        return await self._ask("definition", reference, lambda engine: engine.definition(reference))

    async def detail(self, reference: str) -> RunDetail:
        """Return the detail of a run, as far as its history may be read."""
        return await self._once(("detail", reference), lambda: self._recall_or_read(reference))

    async def newest(self, reference: str) -> CallResult[RunDetail]:
        """Return the detail by the newest page of events; by all readable events if an engine reads only forwards."""
        return await self._once(("newest", reference), lambda: self._result(self._read_newest(reference)))

    def read_on(self, reference: str, gap: Gap, *, newest_first: bool) -> GapReader:
        """Return a reader of what was left out of a run's history.

        Its pages are beside those of the operation's own readings, so that a walk always comes further.
        """
        engine = self._engines.of(reference)

        async def page(token: str | None, *, newest_first: bool) -> HistoryPage:
            def ask() -> Coroutine[Any, Any, HistoryPage]:
                return self._in_time(engine.history(reference, newest_first=newest_first, token=token))

            return await self._once(("page", reference, token, newest_first), ask)

        return GapReader(page, gap, self._further_pages, newest_first=newest_first)

    async def map_run(self, map_run: str) -> CallResult[MapRunFacts]:
        """Return what became of the executions of a map run."""
        return await self._ask("map run", map_run, lambda engine: engine.map_run(map_run))

    async def children(
        self, map_run: str, status: ExecutionStatus | None, size: int, token: str | None
    ) -> CallResult[ChildPage]:
        """Return a page of the executions that a Map run started, newest first.

        Raises:
            StaleToken: when a token has expired.
        """
        return await self._once(
            ("children", map_run, status, size, token),
            lambda: self._result(self._engines.of(map_run).children(map_run, status, size, token)),
        )

    async def holder(self, run: str, map_run: str) -> str | None:
        """Return the reference of the run that holds a Map run: a run itself, or what its own Map runs started.

        None where neither does, or the engine does not say.
        """
        told = (await self.map_run(map_run)).value
        return told.run if told is not None and await self.is_within(run, told.run) else None

    async def is_within(self, run: str, reference: str) -> bool:
        """Return whether a reference is a run, or what a Map run within it started, as the engine says."""
        for _ in range(_MOST_MAPS_WITHIN_MAPS):
            if reference == run:
                return True
            facts = (await self.facts(reference)).value
            above = (await self.map_run(facts.map_run)).value if facts is not None and facts.map_run else None
            if above is None:
                return False
            reference = above.run
        return False

    def name_within(self, run: str, reference: str) -> str | None:
        """Return the name of a Map run or of one of its executions within a run's state machine."""
        return self._engines.of(run).name_within(run, reference)

    def reference_within(self, run: str, name: str) -> str | None:
        """Return the reference for such a name."""
        return self._engines.of(run).reference_within(run, name)

    async def log_group(self, flow: str) -> CallResult[str]:
        """Return the ARN of the log group that a state machine or flow writes to."""
        return await self._ask("log group", flow, lambda engine: engine.log_group(flow))

    async def deadline_job(self, key: DeadlineJobKey) -> CallResult[JobFacts]:
        """Return a job of Deadline Cloud."""
        return await self._once(("deadline", key), lambda: self._result(self._engines.jobs.deadline_job(key)))

    async def batch_job(self, job_id: str) -> CallResult[JobFacts]:
        """Return a job of AWS Batch; those that are asked for at the same time are described together."""
        return await self._batch_jobs.load(job_id)

    async def live_status(
        self, execution_id: str, reference: str, on_check: Callable[[LiveStatus], None]
    ) -> LiveStatus | None:
        """Return what the engine says of an execution that may run; ask for few in an operation, and seldom for each.

        None where it was not asked, or did not answer. An execution that the engine forgot is not asked for again.
        ``on_check`` is told what the engine says, when it is asked and not remembered.
        """
        return await self._once(("live", execution_id), lambda: self._live_status(execution_id, reference, on_check))

    def keep_stored(self) -> None:
        """Leave every execution of the operation as it is stored, whichever way leads to it."""
        self._keeps_stored = True

    async def off_loop(self, work: Callable[[], ValueT]) -> ValueT:
        """Run work that would block the event loop in a thread, and return its result."""
        return await self._engines.caller.run(work)

    async def _recall_or_read(self, reference: str) -> RunDetail:
        """Return what is kept of a run that ended, unless it was redriven since; else what is read of it now.

        What is kept takes pages of the operation as well, so that it shows as much whether or not it was asked before.
        """
        if not self._runs.take():
            return await self._without_pages(reference)
        details = self._engines.details
        if (kept := details.recall(reference)) is not None:
            facts = (await self.facts(reference)).value
            is_as_kept = (
                facts is not None and facts.status in TERMINAL and (facts.redrive_count or 0) == kept.redrive_index
            )
            if is_as_kept and self._pages.take(ceil(len(kept.detail.attribution.events) / EVENTS_OF_A_PAGE)):
                return kept.detail
        detail = await self._read_detail(reference)
        if detail.is_complete:
            details.keep(reference, detail, await self.off_loop(lambda: size_of(detail)))
        return detail

    async def _without_pages(self, reference: str) -> RunDetail:
        """Return the detail of a run that the operation has no pages left for."""
        warning = ExecutionWarning(ExecutionWarningCode.OPERATION_BUDGET, _NO_PAGES)
        history = HistoryReading((), read_to_end=False, warning=warning)
        return build_run_detail(self._engines.of(reference), None, history, self._bounds, warning)

    async def _read_detail(self, reference: str) -> RunDetail:
        engine, bounds = self._engines.of(reference), self._bounds

        async def page(token: str | None, *, newest_first: bool) -> HistoryPage:
            return await self._in_time(engine.history(reference, newest_first=newest_first, token=token))

        most = self._engines.settings.history_pages
        definition, history = await self._scope.gather(
            self.definition(reference), read_history(page, most, self._pages, backwards=engine.reads_backwards)
        )
        failed = None if definition.failure is None else _without_definition(definition.failure)
        text = definition.value
        return await self.off_loop(lambda: build_run_detail(engine, text, history, bounds, failed))

    async def _read_newest(self, reference: str) -> RunDetail:
        engine, bounds = self._engines.of(reference), self._bounds
        if not engine.reads_backwards:
            return await self.detail(reference)
        if not self._pages.take():
            raise CallFailed(TIME_IS_UP)
        try:
            definition, page = await self._scope.gather(
                self.definition(reference), engine.history(reference, newest_first=True, token=None)
            )
        except NoHistory:
            self._pages.left += 1  # nothing was asked for
            raise CallFailed(NOT_KEPT) from None
        is_whole = page.token is None
        warning = None if is_whole else ExecutionWarning(ExecutionWarningCode.HISTORY_CUT, _NEWEST_ALONE)
        reading = HistoryReading(page.events, read_to_end=True, warning=warning)
        return await self.off_loop(lambda: build_run_detail(engine, definition.value, reading, bounds))

    async def _live_status(
        self, execution_id: str, reference: str, on_check: Callable[[LiveStatus], None]
    ) -> LiveStatus | None:
        checks = self._engines.checks
        if self._keeps_stored:
            return None
        if (check := checks.recall(execution_id)) is not None:
            return check.answer
        if self._checks_left <= 0 or self.run(reference) is None:
            return None
        self._checks_left -= 1
        result = await self.facts(reference)
        facts = result.value
        error = facts and ": ".join(filter(None, (facts.error, facts.cause)))
        answer = LiveStatus(facts.status, facts.stopped_at, error or None) if facts is not None else None
        checks.keep(execution_id, answer, is_final=result.failure == "ExecutionDoesNotExist")
        if answer is not None:
            on_check(answer)
        return answer

    async def _described_jobs(self, job_ids: Sequence[str]) -> Sequence[CallResult[JobFacts]]:
        result = await self._result(self._engines.jobs.batch_jobs(job_ids))
        found = result.value or {}
        return [
            CallResult(found.get(job_id), result.failure or (None if job_id in found else FORGOTTEN))
            for job_id in job_ids
        ]

    async def _ask(
        self, what: str, reference: str, ask: Callable[[Engine], Coroutine[Any, Any, ValueT | None]]
    ) -> CallResult[ValueT]:
        async def of_its_engine() -> ValueT | None:
            return await ask(self._engines.of(reference))

        return await self._once((what, reference), lambda: self._result(of_its_engine()))

    async def _result(self, call: Coroutine[Any, Any, ValueT | None]) -> CallResult[ValueT]:
        try:
            return CallResult(await self._in_time(call))
        except StaleToken:
            raise
        except CallFailed as failure:
            return CallResult(None, failure.code)

    async def _in_time(self, call: Coroutine[Any, Any, ValueT]) -> ValueT:
        try:
            async with asyncio.timeout(max(0.0, self._ends - time.monotonic())):
                return await call
        except TimeoutError:
            raise CallFailed(TIME_IS_UP) from None

    async def _once(self, key: Hashable, ask: Callable[[], Coroutine[Any, Any, ValueT]]) -> ValueT:
        """Ask at most once. A field that is cancelled takes nothing from the others that wait for the same answer."""
        task = self._known.get(key)
        if task is None:
            task = self._known[key] = self._scope.start(ask())
        return cast("ValueT", await asyncio.shield(task))


def _without_definition(failure: str) -> ExecutionWarning:
    code = ExecutionWarningCode.DEFINITION_UNAVAILABLE
    return call_failed("The definition could not be read", failure, otherwise=code)


class _BatchJobs(Loader[str, CallResult[JobFacts]]):
    """Jobs of AWS Batch by id, as many in one call as DescribeJobs takes."""

    max_batch_size = MOST_BATCH_JOBS

    def __init__(
        self, scope: OperationScope, describe: Callable[[Sequence[str]], Awaitable[Sequence[CallResult[JobFacts]]]]
    ) -> None:
        super().__init__(scope)
        self._describe = describe

    async def read(self, keys: Sequence[str]) -> Sequence[CallResult[JobFacts]]:
        """Return the result of describing each job."""
        return await self._describe(keys)
