import asyncio
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from graph.aws.calls import FORGOTTEN, Caller
from graph.demo.insides import INSIDES_RUN
from graph.demo.logs import log_clients
from graph.engines.service import CallResult, Engines
from graph.operation import OperationScope
from graph.settings import Settings
from graph.tables.states import ExecutionStatus
from tests.harness import told
from tests.logs.unruly import Recorded

PUBLISH = INSIDES_RUN.steps[0].sub_executions[0]["executionArn"]


class Batch:
    def describe_jobs(self, *, jobs: list[str]) -> Any:
        return {"jobs": [{"jobId": job, "status": "SUCCEEDED"} for job in jobs if job != "forgotten"]}


class Slow:
    def __getattr__(self, name: str) -> Any:
        def call(**_: Any) -> Any:
            time.sleep(0.3)
            return {"status": "RUNNING"}

        return call


@pytest.fixture
def make() -> Iterator[Callable[..., Engines]]:
    made: list[Engines] = []

    def engines(settings: Settings | None = None, **clients: Any) -> Engines:
        caller = Caller(concurrency=4, attempts=1)
        made.append(Engines(replace(log_clients(), **clients), caller, settings or Settings()))
        return made[-1]

    yield engines
    for one in made:
        one.close()


async def test_jobs_that_are_asked_for_at_once_are_described_a_hundred_at_a_time(make: Callable[..., Engines]) -> None:
    batch = Recorded(Batch())
    operation = make(batch=batch).operation(OperationScope())
    asked = [*(f"job-{number}" for number in range(149)), "forgotten"]
    told = await asyncio.gather(*map(operation.batch_job, [*asked, *asked]))
    assert sorted(len(request["jobs"]) for _, request in batch.requests) == [50, 100]
    assert told[-1] == CallResult(None, FORGOTTEN)
    assert all(one.value is not None and one.value.status is ExecutionStatus.SUCCEEDED for one in told[:149])
    assert (await operation.batch_job("job-0")) is told[0]
    assert len(batch.requests) == 2


async def test_who_gives_up_takes_nothing_from_the_others(make: Callable[..., Engines]) -> None:
    states = Recorded(Slow())
    operation = make(states=states).operation(OperationScope())
    impatient, patient = (asyncio.create_task(operation.facts(PUBLISH)) for _ in range(2))
    await asyncio.sleep(0.05)
    impatient.cancel()
    told = await patient
    assert told.value is not None
    assert told.value.status is ExecutionStatus.RUNNING
    assert len(states.requests) == 1


async def test_nothing_is_waited_for_when_the_time_is_up(make: Callable[..., Engines]) -> None:
    operation = make(Settings(engines_budget_seconds=0.05), states=Slow()).operation(OperationScope())
    begun = time.monotonic()
    assert await operation.facts(PUBLISH) == CallResult(None, "TimeBudget")
    detail = await operation.detail(PUBLISH)
    assert time.monotonic() - begun < 0.25
    assert told(detail.warnings) == [
        ("OPERATION_BUDGET", "The definition could not be read: TimeBudget."),
        ("OPERATION_BUDGET", "The history could not be read whole: TimeBudget."),
    ]


async def test_operations_share_no_answers(make: Callable[..., Engines]) -> None:
    states = Recorded(log_clients().states)
    engines = make(states=states)
    for _ in range(2):
        await engines.operation(OperationScope()).facts(PUBLISH)
    assert len(states.requests) == 2
