"""A second opinion: runs of random machines, which record their history and, eagerly, what became of each visit.

Each scope is a coroutine, so branches and iterations interleave. It yields after each event, and it yields what it
cannot get past; when it is resumed after a redrive it goes on from the state it stopped in.
"""

from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

from tests.history.machines import Machine

Path = tuple[tuple[str, int | None, str | None, int | None, int], ...]
Steps = Generator["Stop | None", None, int]
"""Yields None after a step and a Stop where it is stuck; returns the id of its last event."""


@dataclass(eq=False)
class Seen:
    """What a visit ought to look like."""

    name: str
    type: str
    path: Path
    entered: int
    exited: int | None = None
    status: str = "RUNNING"
    attempts: int = 0
    has_failed: bool = False
    last: int = 0
    container: "Children | None" = None


@dataclass(eq=False)
class Thread:
    """A scope: the coroutine that runs it and the visits it made."""

    path: Path
    seen: list[Seen] = field(default_factory=list)
    steps: Steps | None = None
    index: int | None = None
    last: int = 0
    resumed_by: int = 0
    is_done: bool = False

    def open(self) -> Iterator[Seen]:
        for seen in self.seen:
            if seen.exited is None:
                yield seen
                if seen.container is not None:
                    for thread in seen.container.threads:
                        yield from thread.open()


@dataclass(eq=False)
class Children:
    threads: list[Thread]
    attempt: int = 0


@dataclass(frozen=True)
class Stop:
    """A scope cannot go on: because a state failed, or because the interpreter did (`is_fatal`)."""

    event: int
    seen: Seen
    is_fatal: bool = False
    origin: "Origin | None" = None
    """Of a container: what failed inside it."""


@dataclass(frozen=True)
class Origin:
    """What failed by itself: a visit, and the event that says so; None where none does."""

    seen: Seen
    event: int | None


class Simulation:
    """One execution of a machine; afterwards ``events`` is its history and ``seen`` what attribution should find."""

    def __init__(self, machine: Machine, random: Random, *, written: bool, redrives: int = 2, steps: int = 400) -> None:
        self.events: list[dict[str, Any]] = []
        self.seen: list[Seen] = []
        self.owner: dict[int, Seen | None] = {}
        self.is_over = False
        self.ended_by: tuple[int | None, int] | None = None
        """The entry of the visit that ended the last run, if one did, and the event that says so; None of a success."""
        self._random = random
        self._written = written
        self._run = self._redriven = 0
        self._steps_left = steps
        self._ending = random.choice(["finish", "finish", "finish", "abort", "time out", "leave running"])
        self._ends_at = random.randrange(1, 60)
        start = self._record("ExecutionStarted", 0)
        self._root = Thread((), last=start if written else 0)
        self._drive(machine, redrives)

    # -- the engine

    def _drive(self, machine: Machine, redrives: int) -> None:
        steps = self._machine(self._root, machine)
        while True:
            stop: Stop | None = None
            try:
                while stop is None:
                    stop = next(steps)
                    self._ends_at -= 1
                    if self._ends_at <= 0 and self._ending != "finish" and stop is None:
                        break
            except StopIteration as finished:
                self._record("ExecutionSucceeded", finished.value)
                self.ended_by = None
                self.is_over = True
                return
            if stop is not None:
                end = self._fail(stop)
            elif self._ending == "leave running":
                self.ended_by = None
                return
            else:
                end = self._cut_short()
            if redrives == 0 or self._random.random() < 0.3:
                self.is_over = True
                return
            redrives -= 1
            self._ends_at, self._ending = self._random.randrange(1, 60), self._random.choice(["finish", self._ending])
            self._run += 1
            redriven = self._redriven = self._record("ExecutionRedriven", end, redriveCount=self._run)
            self._root.resumed_by = redriven
            for seen in self._root.open():
                if seen.type != "Fail":
                    seen.status, seen.has_failed = "RUNNING", False

    def _fail(self, stop: Stop) -> int:
        details = {"error": "Broken"}
        if stop.is_fatal:
            details = {"error": "States.Runtime", "cause": _interpreters_cause(stop.seen)}
        end = self._record("ExecutionFailed", stop.event, **details)
        origin = stop.origin or Origin(stop.seen, None)
        told = origin.event or 0
        self.ended_by = origin.seen.entered, told if told > self._redriven else end
        blamed = {stop.seen.name} | {around[0] for around in stop.seen.path}
        for seen in self._root.open():
            if seen.status == "RUNNING":
                is_around = seen.name in blamed and seen.path == stop.seen.path[: len(seen.path)]
                seen.status = "FAILED" if is_around or seen.has_failed else "ABORTED"
        return end

    def _cut_short(self) -> int:
        kind, status = (
            ("ExecutionAborted", "ABORTED") if self._ending == "abort" else ("ExecutionTimedOut", "TIMED_OUT")
        )
        last = len(self.events)
        if self._written and kind == "ExecutionAborted":
            for seen in reversed(list(self._root.open())):
                if (
                    seen.type in ("Task", "Wait", "Parallel", "Map")
                    and not seen.has_failed
                    and seen.status == "RUNNING"
                ):
                    self.owner[last := self._record(f"{seen.type}StateAborted", seen.last)] = seen
        end = self._record(kind, last if self._written else 0)
        self.ended_by = None, end
        for seen in self._root.open():
            if seen.status == "RUNNING":
                seen.status = status
        return end

    # -- scopes

    def _machine(self, thread: Thread, machine: Machine) -> Steps:
        name: str | None = machine["StartAt"]
        while name is not None:
            body = machine["States"][name]
            seen = self._enter(thread, name, body["Type"])
            name = yield from self._state(thread, seen, body)
        thread.is_done = True
        return thread.last

    def _state(self, thread: Thread, seen: Seen, body: Machine) -> Generator[Stop | None, None, str | None]:
        if seen.type == "Fail":
            while True:
                yield Stop(seen.last, seen, origin=Origin(seen, seen.last))
                self._again(thread, seen)
        way_on = body.get("Next")
        if seen.type == "Parallel":
            is_ok = yield from self._container(thread, seen, body)
        elif seen.type == "Map" and body["ItemProcessor"].get("ProcessorConfig"):
            is_ok = yield from self._distributed(thread, seen, body)
        elif seen.type == "Map":
            is_ok = yield from self._container(thread, seen, body)
        elif seen.type == "Task":
            is_ok = yield from self._task(thread, seen, body)
        else:
            is_ok = True
            yield from self._rest(thread, seen)
            while self._random.random() < 0.03:  # an error of the interpreter, which nothing catches
                yield Stop(seen.last, seen, is_fatal=True)
                self._again(thread, seen)
        if not is_ok:
            way_on = body["Catch"][0]["Next"]
        if seen.type == "Choice":
            loops = self._steps_left > 0 and self._random.random() < 0.4
            way_on = body["Choices"][0]["Next"] if loops else body["Default"]
        link = seen.last
        self.owner[event := self._record(f"{seen.type}StateExited", link, name=seen.name)] = seen
        seen.exited, seen.status, thread.last = event, "SUCCEEDED" if is_ok else "CAUGHT", event
        return way_on

    def _enter(self, thread: Thread, name: str, kind: str) -> Seen:
        link = thread.last
        if self._written and thread.resumed_by:
            link, thread.resumed_by = thread.resumed_by, 0
        event = self._record(f"{kind}StateEntered", link, name=name)
        seen = Seen(name, kind, thread.path, event, last=event, status="FAILED" if kind == "Fail" else "RUNNING")
        self.owner[event] = seen
        self.seen.append(seen)
        thread.seen.append(seen)
        thread.last = event
        return seen

    def _again(self, thread: Thread, seen: Seen) -> None:
        """Resume a state after a redrive: the written dialect enters it again, the recorded one links to its entry."""
        if self._written:
            event = self._record(f"{seen.type}StateEntered", thread.resumed_by, name=seen.name)
            self.owner[event], seen.last, thread.resumed_by = seen, event, 0
        else:
            seen.last = seen.entered

    def _rest(self, thread: Thread, seen: Seen) -> Generator[Stop | None, None, bool]:
        """Let others go on; afterwards tell whether a redrive came between, and resume the state if so."""
        run = self._run
        self._steps_left -= 1
        thread.last = max(thread.last, seen.last)
        yield None
        if self._run == run:
            return False
        self._again(thread, seen)
        return True

    def _work(self, seen: Seen, kind: str, **details: Any) -> None:
        seen.last = self._record(kind, seen.last, **details)
        self.owner[seen.last] = seen

    # -- states that can fail

    def _task(self, thread: Thread, seen: Seen, body: Machine) -> Generator[Stop | None, None, bool]:
        prefix = self._random.choice(["Task", "LambdaFunction", "Activity"])
        retries = self._retries(body)
        yield from self._rest(thread, seen)
        while True:
            is_ok = self._random.random() < 0.6
            if not is_ok and self._random.random() < 0.2:
                self._evaluation_failed(seen)
            else:
                self._work(seen, f"{prefix}Scheduled")
                seen.attempts += 1
                seen.has_failed = False
                if (yield from self._rest(thread, seen)):
                    retries = self._retries(body)
                    continue
                self._work(
                    seen, f"{prefix}Succeeded" if is_ok else f"{prefix}Failed", **({} if is_ok else {"error": "E"})
                )
                seen.has_failed = not is_ok
            if is_ok or (body.get("Catch") and retries == 0):
                return is_ok
            if retries > 0:
                retries -= 1
                if (yield from self._rest(thread, seen)):
                    retries = self._retries(body)
            else:
                yield Stop(seen.last, seen, origin=Origin(seen, seen.last))
                self._again(thread, seen)
                retries = self._retries(body)

    def _evaluation_failed(self, seen: Seen) -> None:
        cause = _interpreters_cause(seen)
        link = (
            seen.last
            if self._written or seen.last != seen.entered
            else self.events[seen.entered - 1]["previousEventId"]
        )
        seen.last = self._record(
            "EvaluationFailed", link, state=seen.name, cause=cause, error="States.QueryEvaluationError"
        )
        seen.has_failed = True
        self.owner[seen.last] = seen

    def _distributed(self, thread: Thread, seen: Seen, body: Machine) -> Generator[Stop | None, None, bool]:
        retries, started, runs = self._retries(body), 0, 0
        while True:
            if self._written or not started or runs == 0:
                self._work(seen, "MapStateStarted", length=0)
                started = seen.last
                seen.attempts += 1
                seen.has_failed = False
            else:
                seen.last = started
            self._work(seen, "MapRunRedriven" if runs else "MapRunStarted", mapRunArn="arn", redriveCount=runs)
            if (yield from self._rest(thread, seen)):
                runs += 1
                continue
            if self._random.random() < 0.6:
                chain = seen.last
                self._work(seen, "MapRunSucceeded")
                self._work(seen, "MapStateSucceeded")
                seen.last = seen.last if self._written else chain
                return True
            self._work(seen, "MapRunFailed", error="E")
            seen.has_failed = True
            origin = Origin(seen, seen.last)
            if retries > 0:
                retries, runs = retries - 1, 0
                continue
            self._work(seen, "MapStateFailed")
            if body.get("Catch"):
                return False
            yield Stop(seen.last, seen, origin=origin)
            self._again(thread, seen)
            retries, runs = self._retries(body), runs + 1

    def _container(self, thread: Thread, seen: Seen, body: Machine) -> Generator[Stop | None, None, bool]:
        retries = self._retries(body)
        length = self._random.randrange(4)
        seen.container = Children([])
        attempt = 0
        while True:
            self._start(seen, length)
            seen.container.threads[:] = self._open(seen, body, length, attempt)
            while (stop := (yield from self._children(thread, seen, body, length))) is not None:
                if stop.is_fatal:
                    yield stop
                elif retries > 0:
                    break
                else:
                    self._abandon(seen, stop)
                    self._work_at(seen, stop.event, f"{seen.type}StateFailed")
                    seen.has_failed = True
                    if body.get("Catch"):
                        self._settle(seen)
                        return False
                    origin = stop.origin or Origin(stop.seen, None)
                    if origin.event is None or origin.event <= self._redriven:  # nothing of this run says so inside
                        origin = Origin(origin.seen, seen.last)
                    yield Stop(seen.last, seen, origin=origin)
                self._resume(thread, seen, length)
                retries = self._retries(body)
            else:
                last = max((each.last for each in seen.container.threads), default=seen.last)
                last = max(last, seen.last)
                self._work_at(seen, last, f"{seen.type}StateSucceeded")
                seen.last = seen.last if self._written else last
                return True
            retries -= 1
            attempt += 1
            self._abandon(seen, stop)
            self._settle(seen)
            seen.last = stop.event

    def _start(self, seen: Seen, length: int) -> None:
        details = {"length": length} if seen.type == "Map" else {}
        self._work(seen, f"{seen.type}StateStarted", **details)
        seen.attempts += 1
        seen.has_failed = False

    def _open(self, seen: Seen, body: Machine, length: int, attempt: int) -> list[Thread]:
        inner: list[tuple[Machine, tuple[str, int | None, str | None, int | None, int]]]
        if seen.type == "Map":
            inner = [(body["ItemProcessor"], (seen.name, None, None, index, attempt)) for index in range(length)]
        else:
            inner = [
                (branch, (seen.name, index, branch["StartAt"], None, attempt))
                for index, branch in enumerate(body["Branches"])
            ]
        threads = []
        for index, (machine, around) in enumerate(inner):
            new = Thread((*seen.path, around), index=index, last=seen.last)
            new.steps = self._machine(new, machine)
            threads.append(new)
        return threads

    def _resume(self, thread: Thread, seen: Seen, length: int) -> None:
        """Go on after a redrive with the threads that had not ended."""
        assert seen.container is not None
        self._again(thread, seen)
        if self._written:
            self._start(seen, length)
        for child in seen.container.threads:
            child.resumed_by = 0 if child.is_done else seen.last if self._written else 0
            if self._written and seen.type == "Map" and child.resumed_by and child.seen:
                child.last = child.resumed_by = self._iteration(seen, child, "Started", seen.last)

    def _children(
        self, thread: Thread, seen: Seen, body: Machine, length: int
    ) -> Generator[Stop | None, None, Stop | None]:
        """Step the threads in any order until all have ended or one is stuck."""
        assert seen.container is not None
        threads = seen.container.threads
        width = body.get("MaxConcurrency") or length
        slot: int | None = None
        while waiting := [child for child in threads if not child.is_done]:
            running = [child for child in waiting if child.seen] or waiting
            allowed = waiting if seen.type == "Parallel" else running[: max(width, 1)]
            if seen.type == "Map" and len(running) < width:
                allowed = waiting[:width]
            child = self._random.choice(allowed)
            if seen.type == "Map" and not child.seen:
                link = seen.last if self._written or slot is None else slot
                child.last = child.resumed_by = self._iteration(seen, child, "Started", link)
            assert child.steps is not None
            run = self._run
            try:
                stop = next(child.steps)
            except StopIteration:
                slot = child.last
                if seen.type == "Map":
                    event = self._iteration(seen, child, "Succeeded", child.last)
                    child.last = event if self._written else child.last
                continue
            if stop is not None:
                return stop
            yield None
            if self._run != run:
                self._resume(thread, seen, length)
        return None

    def _abandon(self, seen: Seen, stop: Stop) -> None:
        """Record what a failure cuts short, in the manner of the dialect."""
        assert seen.container is not None
        for child in seen.container.threads:
            open_states = list(child.open())
            is_stuck = any(each is stop.seen for each in open_states)
            for each in reversed(open_states):
                aborted = each.type in ("Task", "Wait") and each.status == "RUNNING"
                if aborted and not (self._written and each.has_failed):
                    event = self._record(f"{each.type}StateAborted", each.last if self._written else stop.event)
                    self.owner[event] = each if self._written else None
                if each.status == "RUNNING":
                    each.status = "FAILED" if each.has_failed else "ABORTED"
            if seen.type == "Map" and child.seen and not child.is_done:
                ending = "Failed" if is_stuck else "Aborted"
                self._iteration(seen, child, ending, child.last if self._written and not is_stuck else stop.event)

    def _settle(self, seen: Seen) -> None:
        """Let go of an attempt: nothing in it can be resumed."""
        assert seen.container is not None
        seen.container.threads[:] = []

    def _iteration(self, seen: Seen, child: Thread, ending: str, link: int) -> int:
        event = self._record(f"MapIteration{ending}", link, name=seen.name, index=child.index)
        self.owner[event] = seen
        return event

    def _work_at(self, seen: Seen, link: int, kind: str) -> None:
        seen.last = link
        self._work(seen, kind)

    def _retries(self, body: Machine) -> int:
        return body["Retry"][0]["MaxAttempts"] if body.get("Retry") else 0

    def _record(self, kind: str, link: int, **details: Any) -> int:
        event_id = len(self.events) + 1
        key = kind[0].lower() + kind[1:]
        for ending in ("Entered", "Exited"):
            if kind.endswith(f"State{ending}"):
                key = f"state{ending}"
        seconds = event_id // 3  # ties are common
        event = {"timestamp": 1_700_000_000 + seconds, "type": kind, "id": event_id, "previousEventId": link}
        if details:
            event[f"{key}EventDetails"] = details
        self.events.append(event)
        return event_id


def _interpreters_cause(seen: Seen) -> str:
    return f"An error occurred while executing the state '{seen.name}' (entered at the event id #{seen.entered}). Why"
