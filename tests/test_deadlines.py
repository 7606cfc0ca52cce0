"""Time limits count of a pause of the machine one step at most."""

import asyncio
import os
import signal
import subprocess
import sys
import time

import pytest

from graph.admission import AdmissionController
from graph.deadlines import Deadline, Timer
from graph.errors import Overloaded


def pause(seconds: float) -> None:
    """What a pause of the machine is to the loop: nothing runs, and time goes on."""
    time.sleep(seconds)


async def test_what_takes_too_long_is_cancelled() -> None:
    begun = time.monotonic()
    with pytest.raises(TimeoutError):
        async with Deadline(0.05):
            await asyncio.sleep(10)
    assert 0.04 < time.monotonic() - begun < 0.3


async def test_what_is_in_time_is_not() -> None:
    async with Deadline(0.05):
        await asyncio.sleep(0)
    await asyncio.sleep(0.1)


async def test_a_cancellation_from_elsewhere_is_passed_on() -> None:
    async def work() -> None:
        async with Deadline(10):
            await asyncio.sleep(10)

    task = asyncio.create_task(work())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_pause_does_not_use_up_the_time() -> None:
    ready: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    loop = asyncio.get_running_loop()
    loop.call_later(0.01, pause, 0.7)
    loop.call_later(0.35, ready.set_result, "there all along")  # due after the timer
    async with Deadline(0.3):
        assert await ready == "there all along"


@pytest.mark.parametrize("ends", [0.5, 0.85, 0.97, 1.1, 2.0])
async def test_a_pause_counts_as_one_step_wherever_it_ends(ends: float) -> None:
    """One that ends right before the limit leaves its last timer in time, and has still used up nearly all of it."""
    ready: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    loop = asyncio.get_running_loop()
    loop.call_later(0.02, pause, ends - 0.02)
    loop.call_later(ends + 0.4, ready.set_result, "in time")
    async with Deadline(1.0):
        assert await ready == "in time"


async def test_a_pause_moves_a_limit_by_no_more_than_itself() -> None:
    begun = time.monotonic()
    asyncio.get_running_loop().call_later(0.01, pause, 1.0)
    with pytest.raises(TimeoutError):
        async with Deadline(0.6):
            await asyncio.sleep(10)
    assert 1.25 < time.monotonic() - begun < 1.65


async def test_a_loop_that_is_always_late_still_ends_what_waits() -> None:
    loop = asyncio.get_running_loop()

    handles: list[asyncio.TimerHandle] = []

    def always_late() -> None:
        pause(0.3)
        handles.append(loop.call_later(0, always_late))

    begun = time.monotonic()
    always_late()
    with pytest.raises(TimeoutError):
        async with Deadline(0.5):
            await asyncio.sleep(10)
    handles[-1].cancel()
    assert time.monotonic() - begun < 3


async def test_a_timer_that_is_cancelled_while_it_moves_calls_nothing() -> None:
    called = []
    timer = Timer(asyncio.get_running_loop(), 0.01, lambda: called.append(1))
    pause(0.4)
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    timer.cancel()
    await asyncio.sleep(0.5)
    assert called == []


async def test_whose_turn_came_during_a_pause_has_it() -> None:
    turns, loop = AdmissionController(1, 0.2), asyncio.get_running_loop()
    await turns.begin(1)

    async def wait() -> str:
        try:
            async with turns.admit(1):
                return "had a turn"
        except Overloaded:
            return "overloaded"

    waiting = [asyncio.create_task(wait()) for _ in range(5)]
    await asyncio.sleep(0)
    pause(0.5)
    loop.call_soon(turns.end, 1)
    assert await asyncio.gather(*waiting) == ["had a turn"] * 5


async def test_overload_is_still_overload() -> None:
    turns = AdmissionController(1, 0.05)
    await turns.begin(1)
    with pytest.raises(Overloaded):
        await turns.begin(1)


PROGRAM = """
import asyncio, sys
from graph.deadlines import Deadline

async def main():
    print("ready", flush=True)
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    try:
        async with Deadline(0.5):
            print((await reader.readline()).decode().strip())
    except TimeoutError:
        print("too late")

{run}
"""


@pytest.mark.parametrize("run", ["asyncio.run(main())", "import uvloop; uvloop.run(main())"], ids=["asyncio", "uvloop"])
def test_a_process_that_was_stopped_reads_what_came_meanwhile(run: str) -> None:
    command = [sys.executable, "-c", PROGRAM.format(run=run)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.1)
        os.kill(process.pid, signal.SIGSTOP)
        process.stdin.write("came meanwhile\n")
        process.stdin.flush()
        time.sleep(1)
        os.kill(process.pid, signal.SIGCONT)
        assert process.stdout.read() == "came meanwhile\n"
