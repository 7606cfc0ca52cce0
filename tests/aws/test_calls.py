import logging
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ConnectTimeoutError

from graph.aws import calls
from graph.aws.calls import Caller, CallFailed
from tests.logs.unruly import refused


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "_FIRST_PAUSE", 0)


@pytest.fixture
def caller() -> Iterator[Caller]:
    caller = Caller(concurrency=2, attempts=3)
    yield caller
    caller.close()


class Failing:
    """A method that fails some times and then answers."""

    def __init__(self, *faults: Exception) -> None:
        self.faults = list(faults)
        self.threads: list[str] = []

    def __call__(self, **_: Any) -> Any:
        self.threads.append(threading.current_thread().name)
        if self.faults:
            raise self.faults.pop(0)
        return {"answer": 42}


async def test_a_call_leaves_the_event_loop(caller: Caller) -> None:
    method = Failing()
    assert await caller.call(method, {}) == {"answer": 42}
    assert method.threads[0].startswith("aws")


@pytest.mark.parametrize(
    "fault", [refused("ThrottlingException"), refused("Strange", 503), ConnectTimeoutError(endpoint_url="x")]
)
async def test_what_may_pass_is_tried_again(caller: Caller, fault: Exception) -> None:
    method = Failing(fault, fault)
    assert await caller.call(method, {}) == {"answer": 42}
    assert len(method.threads) == 3


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (refused("ThrottlingException"), "ThrottlingException"),
        (ConnectTimeoutError(endpoint_url="x"), "ConnectTimeoutError"),
    ],
)
async def test_what_never_passes_is_a_failure_with_its_code(caller: Caller, fault: Exception, code: str) -> None:
    method = Failing(*[fault] * 9)
    with pytest.raises(CallFailed) as failed:
        await caller.call(method, {})
    assert failed.value.code == code
    assert len(method.threads) == 3


async def test_a_refusal_is_not_tried_again(caller: Caller, caplog: pytest.LogCaptureFixture) -> None:
    method = Failing(refused("AccessDeniedException"))
    with caplog.at_level(logging.WARNING), pytest.raises(CallFailed):
        await caller.call(method, {})
    assert len(method.threads) == 1
    assert [record.getMessage() for record in caplog.records] == ["a call of AWS failed: AccessDeniedException"]


async def test_work_that_takes_long_leaves_the_event_loop(caller: Caller) -> None:
    assert await caller.run(lambda: threading.current_thread().name) != threading.current_thread().name
