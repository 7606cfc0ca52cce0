import logging
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ConnectTimeoutError, NoCredentialsError, ParamValidationError

from graph.aws.calls import Caller, CallFailed
from tests.faults import without_pauses
from tests.logs.unruly import refused

OPERATION = "states.DescribeExecution"


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    without_pauses(monkeypatch)


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
    assert await caller.call(OPERATION, method, {}) == {"answer": 42}
    assert method.threads[0].startswith("aws")


@pytest.mark.parametrize(
    "fault", [refused("ThrottlingException"), refused("Strange", 503), ConnectTimeoutError(endpoint_url="x")]
)
async def test_what_may_pass_is_tried_again_and_is_no_warning(
    caller: Caller, fault: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    method = Failing(fault, fault)
    assert await caller.call(OPERATION, method, {}) == {"answer": 42}
    assert len(method.threads) == 3
    assert caplog.messages == []


@pytest.mark.parametrize(
    ("fault", "code", "attempt"),
    [
        (refused("ThrottlingException"), "ThrottlingException", 3),
        (ConnectTimeoutError(endpoint_url="x"), "ConnectTimeoutError", 3),
        (refused("", 503), "503", 3),
        (refused("AccessDeniedException"), "AccessDeniedException", 1),
        (NoCredentialsError(), "NoCredentialsError", 1),
        (ParamValidationError(report="x"), "ParamValidationError", 1),
    ],
)
async def test_what_does_not_pass_is_a_failure_with_its_code_and_one_line(
    caller: Caller, fault: Exception, code: str, attempt: int, caplog: pytest.LogCaptureFixture
) -> None:
    method = Failing(*[fault] * 9)
    with pytest.raises(CallFailed) as failed:
        await caller.call(OPERATION, method, {})
    assert failed.value.code == code
    assert len(method.threads) == attempt
    assert [(record.levelname, record.getMessage(), record.exc_info) for record in caplog.records] == [
        ("WARNING", f"states.DescribeExecution failed: code={code} attempt={attempt}", None)
    ]


@pytest.mark.parametrize("code", ["ExecutionDoesNotExist", "ResourceNotFoundException", "StateMachineDoesNotExist"])
async def test_that_something_is_gone_is_no_warning(
    caller: Caller, code: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "graph.aws")
    with pytest.raises(CallFailed):
        await caller.call(OPERATION, Failing(refused(code)), {})
    assert [record.levelname for record in caplog.records if record.name == "graph.aws.retries"] == ["DEBUG"]


async def test_a_caller_says_what_it_can_deal_with(caller: Caller, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(CallFailed):
        await caller.call(OPERATION, Failing(refused("InvalidToken")), {}, expected={"InvalidToken"})
    assert caplog.messages == []


async def test_work_that_takes_long_leaves_the_event_loop(caller: Caller) -> None:
    assert await caller.run(lambda: threading.current_thread().name) != threading.current_thread().name
