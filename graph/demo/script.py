"""Histories, written event by event as Step Functions records them."""

from datetime import datetime, timedelta
from typing import Any

from graph.demo.stepfunctions import RawEvent


class Script:
    """A history in the making. Each method writes events and gives the id of the last.

    ``pace`` is the time between two events, in seconds, where none is given.
    """

    def __init__(self, started_at: datetime, pace: float = 0.2) -> None:
        self.events: list[RawEvent] = []
        self._at, self._pace = started_at, pace
        self.add("ExecutionStarted", 0, input="{}")

    def wait_until(self, instant: datetime) -> None:
        """Let nothing happen before an instant."""
        self._at = max(self._at, instant)

    def add(self, event_type: str, after: int, *, seconds: float | None = None, **details: Any) -> int:
        """Return one event, some seconds later, caused by the event ``after``; 0 for none."""
        self._at += timedelta(seconds=self._pace if seconds is None else seconds)
        event: RawEvent = {
            "id": len(self.events) + 1,
            "previousEventId": after,
            "type": event_type,
            "timestamp": self._at,
        }
        if details:
            event[_details_key(event_type)] = details
        self.events.append(event)
        return len(self.events)

    def enter(self, state_type: str, name: str, after: int) -> int:
        """Enter a state."""
        return self.add(f"{state_type}StateEntered", after, name=name, input="{}")

    def leave(self, state_type: str, name: str, after: int, **more: Any) -> int:
        """Leave a state."""
        return self.add(f"{state_type}StateExited", after, name=name, output="{}", **more)

    def passing(self, state_type: str, name: str, after: int) -> int:
        """Pass through a state that does no work."""
        return self.leave(state_type, name, self.enter(state_type, name, after))

    def work(self, after: int, *, seconds: float = 2, error: str = "", cause: str = "") -> int:
        """Return one attempt of a Task that invokes a function; with an error it fails."""
        scheduled = self.add(
            "LambdaFunctionScheduled", after, resource="arn:aws:lambda:us-west-2:123456789012:function:f"
        )
        started = self.add("LambdaFunctionStarted", scheduled)
        return self.attempt("LambdaFunction", started, seconds=seconds, error=error, cause=cause)

    def attempt(self, integration: str, after: int, *, seconds: float = 2, error: str = "", cause: str = "") -> int:
        """Return the end of an attempt that has started; with an error it fails."""
        if error:
            return self.add(f"{integration}Failed", after, seconds=seconds, error=error, cause=cause)
        return self.add(f"{integration}Succeeded", after, seconds=seconds, output="{}")

    def callback(self, after: int) -> int:
        """Schedule a function that is to call back."""
        about: dict[str, Any] = {"resourceType": "lambda", "resource": "invoke.waitForTaskToken"}
        return self.add("TaskScheduled", after, **about, region="us-west-2", parameters="{}")

    def redrive(self, after: int, number: int, *, error: str, cause: str) -> int:
        """Fail the execution, and redrive it half a minute later."""
        ended = self.add("ExecutionFailed", after, error=error, cause=cause)
        return self.add("ExecutionRedriven", ended, seconds=30, redriveCount=number)

    def task(self, name: str, after: int, *failures: str, seconds: float = 2) -> int:
        """Return a Task that fails so often before it succeeds."""
        last = self.enter("Task", name, after)
        for error in failures:
            last = self.work(last, seconds=seconds, error=error, cause=f"{name}: {error}")
        return self.leave("Task", name, self.work(last, seconds=seconds))

    def batch(self, name: str, after: int, *jobs: tuple[str, str, bool]) -> int:
        """Return a Task that runs a job, one attempt for each (job id, log stream, whether it succeeds)."""
        about: dict[str, Any] = {"resourceType": "batch", "resource": "submitJob.sync"}
        last = self.enter("Task", name, after)
        for job_id, stream, succeeds in jobs:
            last = self.add("TaskScheduled", last, **about, region="us-west-2", parameters="{}")
            last = self.add("TaskStarted", last, **about)
            last = self.add("TaskSubmitted", last, **about, output=f'{{"JobId":"{job_id}"}}')
            container = f'"Container":{{"LogStreamName":"{stream}"}}' if stream else '"Container":{}'
            told = f'{{"JobId":"{job_id}",{container}}}'
            if succeeds:
                last = self.add("TaskSucceeded", last, seconds=40, **about, output=told)
            else:
                last = self.add("TaskFailed", last, seconds=40, **about, error="States.TaskFailed", cause=told)
        return self.leave("Task", name, last)


def _details_key(event_type: str) -> str:
    for ending in ("StateEntered", "StateExited"):
        if event_type.endswith(ending):
            return f"{ending[0].lower()}{ending[1:]}EventDetails"
    return f"{event_type[0].lower()}{event_type[1:]}EventDetails"
