"""For pipelines: tell VAMS what a step started, so that it is shown, and stopped when the run is aborted.

from graph.registration import register

register(
bus="vams-orchestration",
source=event["orchestrationBusEventPrefix"],
sub_execution={"resourceType": "batchJob", "jobId": job_id, "label": "Converter"},
logs=[{"logGroupName": "/aws/batch/job", "logStreamPrefix": "convert/", "sourceType": "batch"}],
)
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import boto3

from graph.actions.registering import DETAIL_TYPE, NotRegistered, read_event


class EventsClient(Protocol):
    """The one call of a boto3 EventBridge client that is used."""

    @property
    def put_events(self) -> Callable[..., Any]:
        """Puts events on a bus."""


class RegistrationRefused(ValueError):
    """Something of a registration would not be stored; the text says what."""


class RegistrationFailed(Exception):
    """The bus did not take the event; the text is its code."""


def register(
    *,
    bus: str,
    source: str,
    sub_execution: Mapping[str, str] | None = None,
    logs: Sequence[Mapping[str, str]] = (),
    client: EventsClient | None = None,
) -> None:
    """Put an event that registers a sub-execution, logs or both with a step.

    Args:
        bus: the name or the ARN of the orchestration bus.
        source: what the step was given as ``orchestrationBusEventPrefix``, which ends in its id.
        sub_execution: fields of ``registeredSubExecutions``.
        logs: fields of ``registeredLogs``, for each log.
        client: a boto3 client of EventBridge; one of the environment unless given.

    Raises:
        RegistrationRefused: some of it would be dropped; nothing was put.
        RegistrationFailed: the bus did not take the event.
        ClientError, BotoCoreError: of botocore, when the bus cannot be reached.
    """
    detail: dict[str, Any] = {"pipelineExecutionId": source.rpartition(".pipeline.")[2]}
    if sub_execution is not None:
        detail["subExecution"] = dict(sub_execution)
    if logs:
        detail["logs"] = [dict(entry) for entry in logs]
    try:
        dropped = read_event({"detail-type": DETAIL_TYPE, "source": source, "detail": detail}).dropped
    except NotRegistered as refused:
        raise RegistrationRefused(f"The source does not name a step: {refused.reason.value}.") from None
    if dropped:
        told = ", ".join(f"{one.place} ({one.reason.value})" for one in dropped)
        raise RegistrationRefused(f"This would not be stored: {told}.")
    entry = {"EventBusName": bus, "Source": source, "DetailType": DETAIL_TYPE, "Detail": json.dumps(detail)}
    events: EventsClient = client or boto3.client("events")
    answer = events.put_events(Entries=[entry])
    if answer.get("FailedEntryCount"):
        raise RegistrationFailed(str(answer["Entries"][0].get("ErrorCode", "Unknown")))
